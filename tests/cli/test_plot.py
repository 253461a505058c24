"""Pictures and the report: every one in every format, names that mean something to who reads them, and everything that can
be missing."""

import contextlib
import html
import importlib.util
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

import plot_data
import redhost_cli as cli

SCRIPTS = os.path.join(cli.HERE, "..", "..", "host", "tools", "plot")
sys.path.insert(0, SCRIPTS)
import results  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SVG = "{http://www.w3.org/2000/svg}"
ALL = ("rate", "time", "peak", "best")
# All that a shell, XML, matplotlib, JavaScript and printf would take for something of their own.
HOSTILE = ["a_b^c@d{e}&f~g", "back\\slash \\n \\101", "quo\"te's", "$(touch pwned)", "$x^2$ and $", "<b>&amp;</b>", "</script><h1>x",
           "_hidden", "%d %s %n %%", "{{x}} {0}", "#no; comment", "ünïcödé ← 漢字", "-", "x" * 63]


def numbers(text):
    return [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


class Plots(cli.Case):
    def setUp(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib (Debian's package python3-matplotlib)")
        shutil.rmtree(self.cwd)
        os.mkdir(self.cwd)

    def results(self, document, name="r.json"):
        return self.write(name, json.dumps(document))

    def plotted(self, document, *words):
        self.results(document)
        return self.good("--plot=r.json", *words)

    def files(self):
        return sorted(os.listdir(self.cwd))

    def svg(self, name):
        """The root of a picture that is white behind it all."""
        root = ET.parse(self.path(name)).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        self.assertIn("fill: #ffffff", root.find(".//" + SVG + "path").get("style"), name)
        return root

    def texts(self, root):
        return ["".join(text.itertext()).strip() for text in root.iter(SVG + "text")]


class Pictures(Plots):
    def test_each_in_each_format(self):
        done = self.plotted(plot_data.make(peers=plot_data.PEERS), "--export=p.svg", "--export=p.png", "--export=p.pdf", "--export=p.html")
        self.assertEqual([line.split() for line in done.out.splitlines()],
                         [[picture, *("p-%s.%s" % (picture, suffix) for suffix in ("svg", "png", "pdf"))] for picture in ALL]
                         + [["report", "p.html"]])
        for picture in ALL:
            root = self.svg("p-%s.svg" % picture)
            size = [float(root.get(side).replace("pt", "")) for side in ("width", "height")]
            png = cli.read(self.path("p-%s.png" % picture))
            self.assertEqual((png[:8], png[-8:-4]), (b"\x89PNG\r\n\x1a\n", b"IEND"))
            for pixels, points in zip(struct.unpack(">II", png[16:24]), size):
                self.assertAlmostEqual(pixels, 200 / 72 * points, delta=1)
            pdf = cli.read(self.path("p-%s.pdf" % picture))
            self.assertTrue(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"), picture)
        self.good("--plot=r.json", "--picture=rate", "--export=q.svg")  # the only one has the name itself
        self.assertIn("q.svg", self.files())
        with open(self.path("q.svg"), "rb") as one, open(self.path("p-rate.svg"), "rb") as other:
            self.assertEqual(one.read(), other.read(), "the same results make the same file")

    def test_what_they_show(self):
        self.plotted(plot_data.make(peers=plot_data.PEERS), "--export=p.svg")
        for picture in ("rate", "time"):
            texts = self.texts(self.svg("p-%s.svg" % picture))
            for name in plot_data.EIGHT + plot_data.PEERS:
                self.assertEqual(texts.count(name), 1, (picture, name))
            self.assertIn("sum f32 on NVIDIA H200", texts)
            self.assertIn("cold input, driver 580.159.04, 2026-11-20, redhost 0.1.0 (a1b2c3d)", texts)
        rate = self.texts(self.svg("p-rate.svg"))
        for text in ("G elements/s", "% of the read peak", "read peak, 4584 GB/s", "elements", "100", "80", "2²⁰"):
            self.assertIn(text, rate)
        times = self.texts(self.svg("p-time.svg"))
        for text in ("10 µs", "100 µs", "1 ms", "launch + n size / peak"):
            self.assertIn(text, times)
        peak = self.texts(self.svg("p-peak.svg"))
        for name in plot_data.EIGHT + [name + " *" for name in plot_data.PEERS]:
            self.assertEqual(peak.count(name), 1, name)
        self.assertEqual(sum(text.endswith(" %") for text in peak), len(plot_data.EIGHT) + len(plot_data.PEERS))
        best = self.texts(self.svg("p-best.svg"))
        self.assertEqual(sum(len(text) == 1 and text.isalpha() for text in best), 19)

    def test_numbers_are_right(self):
        """What is drawn is what was measured."""
        document = plot_data.make(sizes=(10, 20, 28), strategies=["only"], peers=())
        self.plotted(document, "--picture=rate,peak", "--export=p.svg")
        root = self.svg("p-rate.svg")
        curve = [path for group in root.iter(SVG + "g") if (group.get("id") or "").startswith("line2d")
                 for path in group.iter(SVG + "path") if "#0072b2" in (path.get("style") or "") and path.get("clip-path")]
        points = numbers(curve[0].get("d"))
        rates = [row["elements_per_s"] for row in document["results"]]
        bottom, top = max(points[1::2]), min(points[1::2])
        middle = (bottom - points[3]) / (bottom - top)
        self.assertAlmostEqual(middle, (rates[1] - rates[0]) / (rates[2] - rates[0]), 4)
        self.assertIn("%.1f %%" % (100 * document["results"][-1]["peak_fraction"]), self.texts(self.svg("p-peak.svg")))

    def test_many_strategies(self):
        """Eight in colour, the winners among them, and the peers; the rest in grey, with their number."""
        document = plot_data.make(strategies=plot_data.MANY, peers=plot_data.PEERS)
        for row in document["results"]:  # it wins at one size only, and is far from the best at the largest
            if row["strategy"] == "two_stage" and row["n"] == 2**12:
                row["time_s"] = {"median": 1e-7, "ci95": [1e-7, 1e-7], "samples": 20}
        self.plotted(document, "--picture=rate,peak", "--export=p.svg")
        texts = self.texts(self.svg("p-rate.svg"))
        self.assertIn("25 others", texts)
        self.assertIn("two_stage", texts)
        self.assertEqual(len([name for name in plot_data.MANY if name in texts]), 8, texts)
        self.assertLessEqual(set(plot_data.PEERS), set(texts))
        self.assertLessEqual(set(plot_data.MANY), set(self.texts(self.svg("p-peak.svg"))))

    def test_names_of_files(self):
        self.results(plot_data.make(ops=("sum", "max"), types=("f32", "i8"), sizes=(10, 12), devices=("1:0", "0:0"),
                                    strategies=["cascade"], peers=()))
        os.mkdir(self.path("x"))
        pictures = json.loads(self.good("--plot=r.json", "--export=x/../p.svg", "--json").out)["pictures"]
        names = [picture["picture"] for picture in pictures]
        self.assertEqual(len(set(names)), 8 + 8 + 4 + 1)
        for name in ("rate-1-0-sum-f32", "time-0-0-max-i8", "peak-0-0-sum", "best"):
            self.assertIn(name, names)
        for picture in pictures:
            self.assertEqual(picture["files"], ["x/../p-%s.svg" % picture["picture"]])
            self.svg(picture["files"][0])
        self.assertIn("i8, n = 2¹²", self.texts(self.svg("p-peak-1-0-sum.svg")))
        done = self.good("--plot=r.json", "-q", "--op=max", "--type=f32", "--device=H200", "--export=one.svg", "--export=one.png")
        self.assertEqual(done.out.split(), ["one-%s.%s" % (p, s) for p in ALL for s in ("svg", "png")])

    def test_selection(self):
        self.plotted(plot_data.make(ops=("sum", "max"), types=("f32", "i8"), sizes=(10, 12)),
                     "-s", "*o*,!atomic", "--op=sum", "--type=i8,f64", "--picture=rate", "--export=p.svg")
        texts = self.texts(self.svg("p.svg"))
        self.assertIn("sum i8 on NVIDIA H200", texts)
        self.assertEqual([name for name in plot_data.EIGHT if name in texts],
                         [name for name in plot_data.EIGHT if "o" in name and name != "atomic"])
        self.bad(2, "unknown strategy 'casade'|cascade", "--plot=r.json", "-s", "casade")
        self.bad(2, "r.json|--type", "--plot=r.json", "--type=f16")
        self.bad(2, "--picture 'rat'|rate, time", "--plot=r.json", "--picture=time,rat")
        self.bad(2, "'p.gif'|.svg|.html", "--plot=r.json", "--export=p.gif")
        self.bad(2, "'.svg'|.svg", "--plot=r.json", "--export=.svg")
        self.bad(2, "--json|--export", "--plot=r.json", "--json")
        self.bad(2, "--picture|report|.png", "--plot=r.json", "--picture=rate", "--export=p.html")
        self.bad(2, "'p.html'|.svg", "--compare", "r.json", "r.json", "--export=p.html")

    def test_changes(self):
        """The verdicts of --compare, each with its sign."""
        self.results(plot_data.make(sizes=(10, 20)), "old.json")
        self.results(plot_data.make(sizes=(10, 20), seed=2, change=0.08), "new.json")
        self.assertEqual(self.redhost("--compare", "old.json", "new.json", "-q", "--export=c.svg", "--export=c.png").code, 1)
        texts = self.texts(self.svg("c.svg"))
        self.assertIn("Change of time on NVIDIA H200", texts)
        self.assertIn("slower", texts)
        self.assertNotIn("faster", texts)
        self.assertIn("serial  sum f32  2²⁰", texts)
        self.assertIn("new: driver 580.159.04, 2026-11-20, redhost 0.1.0 (a1b2c3d)", texts)
        self.assertIn("c.png", self.files())


class Arranging(unittest.TestCase):
    """results.py: which rows are drawn, and how."""

    def arrange(self, *rows):
        """Each row: name, n, seconds, and more of the document."""
        document = plot_data.document([])
        for name, n, seconds, more in rows:
            document["results"].append({"device": "1:0", "strategy": name, "op": "sum", "type": "f32", "n": n, "bytes": 4 * n, "status": "ok",
                                        "peer": False, "time_s": {"median": seconds, "samples": 9, "ci95": [seconds, seconds]}, **more})
        best = {}
        for row in document["results"]:
            point = (row["device"], row["op"], row["type"], row["n"])
            if row["status"] == "ok" and row["time_s"] and not row["peer"] and (point not in best or row["time_s"]["median"] < best[point][1]):
                best[point] = (row["strategy"], row["time_s"]["median"])
        document["best"] = [dict(zip(("device", "op", "type", "n"), point), strategy=name) for point, (name, _) in best.items()]
        return results.arrange(document)

    def test_order(self):
        panels = self.arrange(("b", 4096, 2e-6, {}), ("a", 1024, 1e-6, {}), ("a", 4096, 9e-6, {}), ("a", 4096, 1e-6, {}),
                              ("cub", 4096, 5e-7, {"peer": True}), ("short", 1024, 1e-9, {}), ("a", 1024, 1e-3, {"type": "i32"}),
                              ("a", 1024, 1e-3, {"device": "0:0"}))
        self.assertEqual([(panel.device, panel.type) for panel in panels], [("1:0", "f32"), ("1:0", "i32"), ("0:0", "f32")])
        self.assertEqual([curve.name for curve in panels[0].curves], ["cub", "a", "b", "short"])
        self.assertEqual([(row.n, row.seconds) for row in panels[0].curves[1].rows], [(1024, 1e-6), (4096, 1e-6)])
        self.assertEqual(panels[0].best, {4096: "a", 1024: "short"})
        self.assertEqual([panels[0].beaten(n) for n in (1024, 4096)], [False, True])

    def test_left_out(self):
        """What is not ok, has no time, or one that no axis could show."""
        panels = self.arrange(("a", 1, 1e-6, {}), ("b", 1, 1e-6, {"status": "wrong"}), ("c", 1, 1e-300, {}), ("d", 1, 1e300, {}),
                              ("e", 1, 1e-6, {"time_s": None}), ("f", 1, 1e-6, {"time_s": {"median": 1e-6, "samples": 0}}))
        self.assertEqual([curve.name for curve in panels[0].curves], ["a"])
        self.assertEqual(self.arrange(("a", 1, 1e-6, {"status": "failed"})), [])

    def test_key_and_styles(self):
        rows = [("s%02d" % k, n, (k + 1) * 1e-6, {}) for k in range(12) for n in (10, 20)]
        rows += [("p%d" % k, 20, 1e-6 * (k + 1), {"peer": True}) for k in range(8)]
        curves = self.arrange(*rows, ("s11", 30, 1e-3, {}))[0].curves
        shown = [curve.name for curve in curves if curve.in_key]
        self.assertEqual(sorted(shown), ["p0", "p1", "p2", "p3", "p4", "p5", "s00", "s01", "s02", "s03", "s04", "s05", "s06", "s11"])
        for peer in (False, True):
            styles = [curve.style for curve in curves if curve.peer == peer]
            self.assertEqual(sorted(styles), list(range(len(styles))))
        two = self.arrange(("a", 10, 2e-6, {}), ("b", 10, 1e-6, {}), ("a", 10, 1e-6, {"type": "i8"}))
        self.assertEqual({curve.style for panel in two for curve in panel.curves if curve.name == "a"}, {0})

    def test_of_several_operands(self):
        """The share of the peak counts every byte that is read."""
        panel = self.arrange(("a", 1000, 1e-6, {"bytes": 8000}))[0]
        self.assertAlmostEqual(panel.rows[0].share(8e9), 100)

    def test_many_types(self):
        """Bars of four types are told apart; of more, each has a picture."""
        types = ["i8", "u8", "i16", "u16", "f32"]
        for n, expected in ((4, ["peak"]), (5, ["peak-" + type_ for type_ in types])):
            panels = self.arrange(*(("a", 10, 1e-6, {"type": type_}) for type_ in types[:n]))
            self.assertEqual([picture.name for picture in results.pictures_of(panels, ["peak"])], expected)

    def test_texts(self):
        self.assertEqual([results.size_text(n) for n in (1, 1000, 1024, 1500, 2**40, 10**9)],
                         ["1", "1000", "2^10", "1500", "2^40", "1e+09"])
        self.assertEqual([results.seconds_text(t) for t in (1e-12, 2.5e-9, 9.996e-7, 1e-6, 0.25, 30)],
                         ["1 ps", "2.5 ns", "1 µs", "1 µs", "250 ms", "30 s"])
        self.assertEqual(results.plain("a\n\x1b[1m\u202eb"), "a??[1m?b")
        self.assertEqual(results.plain("x" * 30, 10), "xxxxxxx...")


class Text(Plots):
    def test_text(self):
        out = self.plotted(plot_data.make(peers=plot_data.PEERS)).out
        self.assertEqual(self.files(), ["r.json"])
        self.assertNotRegex(out, r"[\x00-\x09\x0b-\x1f\x7f]| \n")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual(out.count("sum f32 on NVIDIA H200"), 2)
        for text in ("Share of the read peak", "Best strategy on", "read peak, 4584 GB/s", " B  cascade", " a  cub", "launch + n size / peak"):
            self.assertIn(text, out)
        for picture in ALL:
            self.assertIn(self.good("--plot=r.json", "--picture", picture).out, out)
        self.assertIn("\x1b[38;5;", self.good("--plot=r.json", "--color=always").out)

    def test_bars_have_lines(self):
        """In text each bar has a line of its own, longer for more."""
        out = self.plotted(plot_data.make(types=("f32", "i8"), peers=()), "--picture=peak").out
        bars = re.findall(r"(?m)^ *([^ |]*) \|(-+) [0-9.]+ %  (f32|i8)$", out)
        self.assertEqual(sorted(name for name, _, _ in bars if name), sorted(plot_data.EIGHT))
        for type_ in ("f32", "i8"):
            lengths = [len(bar) for _, bar, its in bars if its == type_]
            self.assertEqual(len(lengths), len(plot_data.EIGHT), out)
            self.assertEqual(lengths, sorted(lengths, reverse=True))

    def test_window(self):
        """On a terminal it is as wide as that."""
        self.results(plot_data.make())
        import fcntl
        import termios
        for columns, width in ((100, 100), (20, 80)):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
            child = self.start("--plot=r.json", "--picture=rate", "--color=never", stdout=theirs, stderr=None)
            os.close(theirs)
            out = b""
            with contextlib.suppress(OSError):  # where a terminal ends
                while part := os.read(ours, 65536):
                    out += part
            os.close(ours)
            self.assertEqual(child.wait(), 0)
            lines = out.decode().splitlines()
            self.assertTrue(width - 30 < max(map(len, lines)) <= width, (columns, max(map(len, lines))))


class Report(Plots):
    def setUp(self):
        super().setUp()
        if not CHROMIUM:
            self.skipTest("no chromium (Debian's package chromium)")

    def opened(self, name, selected=""):
        """The page as a browser shows it, with no network; the figures in its tables."""
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                               "--user-data-dir=" + os.path.join(self.home, "chromium"), "--proxy-server=127.0.0.1:9",
                               "--virtual-time-budget=3000", "--dump-dom", "file://" + self.path(name) + selected],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=cli.PATIENCE, env=self.env)
        page = done.stdout.decode()
        self.assertIn("</html>", page, done.stderr)
        return page

    def rows(self, page, table):
        body = re.search(r'<table id="%s".*?</table>' % table, page, re.DOTALL).group()
        return [[html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[dh]\b.*?</t[dh]>", line, re.DOTALL)]
                for line in re.findall(r"<tr.*?</tr>", body, re.DOTALL)]

    def test_figures(self):
        """What the tables show is what was measured, for each operator and type; and the curves have all points."""
        document = plot_data.make(ops=("sum", "max"), types=("f32", "i8"), sizes=(10, 20, 28), peers=plot_data.PEERS)
        document["results"].append({"device": "1:0", "strategy": "broken", "op": "max", "type": "i8", "n": 2**20, "bytes": 2**20,
                                    "status": "wrong", "reason": "3 is not 4", "peer": False})
        self.plotted(document, "--export=r.html")
        for op, type_, measure in (("sum", "f32", "rate"), ("max", "i8", "time")):
            page = self.opened("r.html", "#op=%s&type=%s&measure=%s&scale=log" % (op, type_, measure))
            self.assertIn('<h2 id="selected">%s %s on NVIDIA H200</h2>' % (op, type_), page)
            mine = [row for row in document["results"] if (row["op"], row["type"]) == (op, type_) and row["status"] == "ok"]
            last = sorted((row for row in mine if row["n"] == 2**28), key=lambda row: row["time_s"]["median"])
            shown = self.rows(page, "ranking")[1:]
            self.assertEqual([row[0] for row in shown], [row["strategy"] for row in last])
            cub = next(row for row in last if row["peer"])["time_s"]["median"]
            for row, (_, time_, spread, rate, bandwidth, share, times) in zip(last, shown):
                median, (low, high) = row["time_s"]["median"], row["time_s"]["ci95"]
                number, unit = time_.split()
                self.assertAlmostEqual(float(number) * {"µs": 1e-6, "ms": 1e-3}[unit] / median, 1, 3)
                self.assertAlmostEqual(numbers(spread)[0], 50 * (high - low) / median, delta=0.051)
                self.assertAlmostEqual(float(rate) / (1e-9 * row["elements_per_s"]), 1, 3)
                self.assertAlmostEqual(float(bandwidth) / (1e-9 * row["bytes_per_s"]), 1, 3)
                self.assertAlmostEqual(float(share), 100 * row["peak_fraction"], delta=0.051)
                self.assertAlmostEqual(float(times), cub / median, delta=0.0051)
            best = self.rows(page, "best")[1:]
            self.assertEqual([row[0] for row in best], ["2¹⁰", "2²⁰", "2²⁸"])
            fastest = min((row for row in last if not row["peer"]), key=lambda row: row["time_s"]["median"])
            self.assertEqual((best[-1][1], best[-1][7]), (fastest["strategy"], next(row for row in last if row["peer"])["strategy"]))
            chart = re.search(r'<div id="chart">.*?</div>', page, re.DOTALL).group()
            self.assertEqual(chart.count('class="curve"'), len(last))
            self.assertEqual(len(re.findall(r"<title>", chart)), len(mine))
            self.assertIn("launch + n size / peak" if measure == "time" else "read peak, 4584 GB/s", chart)
            self.assertEqual("3 is not 4" in re.search(r'<div id="lost">.*?</div>', page, re.DOTALL).group(), op == "max")
        self.assertIn(["device 1:0", "NVIDIA H200, NVIDIA CUDA, driver 580.159.04, 132 compute units"], self.rows(page, "machine"))

    def test_alone(self):
        """One page: nothing is loaded; it has rules for dark screens and for paper."""
        self.plotted(plot_data.make(sizes=(10, 20)), "--export=r.html")
        page = cli.text(self.path("r.html"))
        self.assertNotRegex(page.replace("http://www.w3.org/2000/svg", ""), r"https?:|src=|@import|<link|url\(")
        self.assertIn("default-src 'none'", page)
        self.assertIn("prefers-color-scheme: dark", page)
        self.assertIn("@media print", page)

    def test_hostile(self):
        """Names are text and nothing else."""
        document = plot_data.make(strategies=HOSTILE, peers=(), sizes=(10, 20))
        document["devices"][0].update(name="</title><script>document.body.id='pwned'</script>", driver="</script><img src=x onerror=alert(1)>")
        self.plotted(document, "--export=r.html")
        page = self.opened("r.html", "#op=</script><b>&measure=constructor&scale=__proto__")
        self.assertEqual(sorted(row[0] for row in self.rows(page, "ranking")[1:]), sorted(HOSTILE))
        self.assertNotIn('id="pwned"', page)
        self.assertNotIn("<img", page)
        self.assertIn('<h2 id="selected">sum f32 on &lt;/title&gt;&lt;script&gt;', page)

    def test_of_a_benchmark(self):
        """--bench writes it, too."""
        self.good("--bench", "-s", "serial,native", "-n", "1000,2000", "--quick", "--op=sum,argmax", "--export=b.html", "--export=b.json")
        page = self.opened("b.html", "#op=argmax")
        self.assertEqual(sorted(row[0] for row in self.rows(page, "ranking")[1:]), ["native", "serial"])
        self.assertIn("argmax f32 on", page)


class Hostile(Plots):
    def test_names(self):
        """They appear as they are, and nothing in them is done."""
        for names in (HOSTILE[:7], HOSTILE[7:]):
            document = plot_data.make(strategies=names, peers=(), sizes=(10, 20, 28))
            document["devices"][0].update(name="`touch pwned` $x", driver="`touch pwned`\n\u0001%s\"\ufffe")
            document["tool"]["version"] = "\"`touch pwned`"
            document["run"]["start"] = "'`touch x`"
            self.plotted(document, "--export=p.svg", "--export=p.pdf")
            for picture in ("rate", "peak"):
                texts = [" ".join(text.split()) for text in self.texts(self.svg("p-%s.svg" % picture))]
                for name in names:
                    shown = results.plain(name, 28 if picture == "rate" else 30)
                    self.assertIn(" ".join(shown.split()), texts, picture)
            texts = self.texts(self.svg("p-rate.svg"))
            self.assertIn("sum f32 on `touch pwned` $x", texts)
            self.assertIn("cold input, driver `touch pwned`??%s\"?, '`touch x`, redhost \"`touch pwned` (a1b2c3d)", texts)
            self.assertNotRegex(self.good("--plot=r.json").out, r"[\x00-\x09\x0b-\x1f\x7f]")
            self.assertNotIn("pwned", self.files())

    def test_names_of_files(self):
        self.results(plot_data.make(sizes=(10, 20), strategies=["serial"]))
        stems = ("a b", "`touch pwned`", "q\"uo'te", "| touch pwned", "back\\slash", "new\nline", "-e", "%s", "ü", "$(x)", "a.b", "d\n/x")
        os.mkdir(self.path("d\n"))
        done = self.good("--plot=r.json", "--picture=rate", "--json", *("--export=%s.svg" % stem for stem in stems))
        self.assertEqual(json.loads(done.out)["pictures"], [{"picture": "rate", "files": [stem + ".svg" for stem in stems]}])
        for stem in stems:
            self.svg(stem + ".svg")
        self.assertNotIn("pwned", self.files())

    def test_numbers(self):
        """Whatever stands in a file: a picture."""
        def point(kind, n, seconds, **more):
            return {"device": "1:0", "strategy": "s", "op": "sum", "type": kind, "n": n, "bytes": 4 * n, "status": "ok",
                    "time_s": {"median": seconds, "samples": 20, **more}}
        rows = [point("i8", 1, 1e-6),  # one alone
                point("u8", 1, 1e-12), point("u8", 2**51, 9e8),  # tiny and huge
                point("i16", 2, 1e-300), point("i16", 3, 1e-6),  # not to be believed
                point("u16", 2**20, 1e-3, ci95=[0, 9e8]),
                *(point("i32", n, n * 1e-9) for n in (1000, 1500, 99999, 10**9)), *(point("u32", n, 1e-6) for n in range(1, 300))]
        peaks = {"1:0": 4e12, "1:1": 1e300, "1:2": 0, "1:3": -5, "1:4": "x", "1:5": 1}
        rows += [dict(rows[0], device=id_) for id_ in peaks if id_ != "1:0"]
        document = plot_data.document(rows)
        document["devices"] = [dict(document["devices"][0], id=id_) for id_ in peaks]
        document["calibration"] = [dict(device=id_, timer="event", read_peak_Bps=peak, empty_kernel_s=peak, launch_s=1e300)
                                   for id_, peak in peaks.items()]
        for shown in (("--picture", ",".join(ALL)), ("--type=i8", "--picture", ",".join(ALL[:3]))):
            self.results(document)
            done = self.good("--plot=r.json", "-q", *shown, "--export=p.svg", "--export=p.html")
            for name in done.out.split():
                if name.endswith(".svg"):
                    self.assertNotRegex(" ".join(self.texts(self.svg(name))), r"(?i)\b(nan|inf)\b", name)
            self.assertNotRegex(self.good("--plot=r.json").out, r"(?i)\b(nan|inf)\b")
            document.pop("calibration", None)

    def test_nothing_to_draw(self):
        failed = plot_data.make(sizes=(10,))
        for row in failed["results"]:
            row.update(status="failed", reason="lost")
            del row["time_s"]
        for document, n in ((plot_data.document([]), 0), (failed, len(failed["results"]))):
            self.results(document)
            for suffix in ("svg", "html"):
                self.bad(6, "r.json|nothing to draw|%d results" % n, "--plot=r.json", "--export=p." + suffix)
            self.bad(6, "nothing to draw", "--plot=r.json")
        document = plot_data.make(sizes=(10,))
        document["calibration"] = []
        self.results(document)
        self.bad(6, "--picture=peak|read peak", "--plot=r.json", "--picture=peak", "--export=p.svg")
        done = self.good("--plot=r.json", "-q", "--export=p.svg")
        self.assertEqual(done.out.split(), ["p-rate.svg", "p-time.svg", "p-best.svg"])

    def test_damaged(self):
        """One sentence, and neither a page nor a picture, also where one is there."""
        whole = json.dumps(plot_data.make(sizes=(10,)))
        other = json.dumps({**plot_data.make(sizes=(10,)), "schema": "redhost/9"})
        for name in ("p.svg", "p.html"):
            self.write(name, "old")
        for text in ("", "{", "[]", whole[:len(whole) // 2], other, "\0" * 100, whole.replace('"median": ', '"median": -')):
            self.write("no.json", text)
            self.bad(6, "no.json", "--plot=no.json", "--export=p.svg", "--export=p.html")
            self.bad(6, "no.json", "--plot=no.json")
        self.bad(6, "absent.json", "--plot=absent.json", "--export=p.svg")
        for name in ("p.svg", "p.html"):
            self.assertEqual(cli.text(self.path(name)), "old")


class Missing(Plots):
    def setUp(self):
        super().setUp()
        self.results(plot_data.make(sizes=(10, 20), strategies=["serial"]))
        self.bin = os.path.join(self.home, "bin-%d" % id(self))
        os.mkdir(self.bin)
        self.addCleanup(shutil.rmtree, self.bin)

    def fake(self, script):
        """A python3 that comes first in PATH."""
        path = os.path.join(self.bin, "python3")
        cli.write(path, "#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return {"PATH": self.bin + ":" + os.environ["PATH"]}

    def test_no_python(self):
        env = {"PATH": self.bin}
        self.bad(6, "python3 not found|python3-matplotlib", "--plot=r.json", "--export=p.svg", env=env)
        self.bad(6, "python3 not found", "--plot=r.json", env=env)
        os.mkdir(os.path.join(self.bin, "python3"))  # no program
        self.bad(6, "python3 not found", "--plot=r.json", env=env)

    def test_no_matplotlib(self):
        """Pictures in files need it; text and the report do not."""
        hidden = 'exec "%s" -c "\n%s\n" "$@"\n' % (sys.executable, """
import runpy, sys, importlib.util as u, os
find = u.find_spec
u.find_spec = lambda name, *more: None if name == 'matplotlib' else find(name, *more)
os.path.exists, exists = (lambda path: path != '/usr/bin/python3' and exists(path)), os.path.exists
sys.argv = sys.argv[2:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name='__main__')
""")
        env = self.fake(hidden)
        self.bad(6, "matplotlib|python3-matplotlib", "--plot=r.json", "--picture=rate", "--export=p.svg", env=env)
        self.good("--plot=r.json", env=env)
        self.good("--plot=r.json", "--export=r.html", env=env)

    def test_debians_python(self):
        """Where one's own Python comes first and has no matplotlib, Debian's is asked."""
        if sys.executable != "/usr/bin/python3":
            self.skipTest("not Debian's Python")
        own = os.path.join(self.bin, "own")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--copies", own], check=True)
        env = {"PATH": os.path.join(own, "bin") + ":" + os.environ["PATH"]}
        self.good("--plot=r.json", "--picture=rate", "--export=p.svg", env=env)
        self.svg("p.svg")

    def test_python_fails(self):
        """It does not cost the picture that is there."""
        self.write("p.svg", "old")
        args = ("--plot=r.json", "--picture=rate", "--export=p.svg", "--export=p.pdf")
        self.bad(6, "failed: ValueError: no such x", *args, env=self.fake("echo >&2 'Traceback'; echo >&2 'ValueError: no such x.'; exit 1\n"))
        self.bad(6, "failed: exit status 7", *args, env=self.fake("exit 7\n"))
        self.bad(6, "failed: signal 9", *args, env=self.fake("kill -9 $$\n"))
        self.bad(6, "incomplete", *args, env=self.fake("exit 0\n"))
        self.bad(6, "incomplete", *args, env=self.fake("echo half >&5; echo rate 0 100 >&4\n"))
        self.bad(6, "said 'x'", *args, env=self.fake("echo x >&4\n"))
        self.assertEqual(cli.text(self.path("p.svg")), "old")

    def test_settings_of_the_person(self):
        """What stands in a matplotlibrc does not get into pictures' backgrounds, and does not stop them."""
        self.write("matplotlibrc", "backend: NoSuchBackend\n")
        self.good("--plot=r.json", "--picture=peak", "--export=p.svg")
        self.svg("p.svg")

    def test_places(self):
        self.bad(6, "absent/", "--plot=r.json", "--export=absent/p.svg")
        self.bad(6, "r.json/", "--plot=r.json", "--export=r.json/p.svg")
        self.bad(6, "/proc/", "--plot=r.json", "--export=/proc/p.svg")
        os.mkdir(self.path("p.svg"))
        self.bad(6, "p.svg|directory", "--plot=r.json", "--picture=rate", "--export=p.svg")
        self.write("target.svg", "old")
        os.symlink("target.svg", self.path("link.svg"))
        self.good("--plot=r.json", "--picture=rate", "--export=link.svg", "--export=link.svg", "--export=./link.svg")
        self.assertTrue(os.path.islink(self.path("link.svg")))
        self.svg("target.svg")

    def test_interrupt(self):
        """Nothing is left, and Python neither."""
        child = self.start("--plot=r.json", "--export=p.svg", env=self.fake("echo $$ >'%s/pid'; exec sleep 60\n" % self.bin))
        pid = os.path.join(self.bin, "pid")
        self.wait_until(lambda: os.path.exists(pid) and os.path.getsize(pid))
        self.interrupted(child)
        self.assertEqual(self.files(), ["r.json"])
        self.assertFalse(os.path.exists("/proc/%s" % cli.text(pid).strip()))
