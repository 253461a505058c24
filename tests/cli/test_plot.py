"""Pictures: every one in every format, names that mean something to gnuplot, and everything that can be missing."""

import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree as ET

import plot_data
import redhost_cli as cli

GNUPLOT = shutil.which("gnuplot")
SVG = "{http://www.w3.org/2000/svg}"
ALL = ("rate", "time", "peak", "best")
# All that gnuplot, a shell, XML and printf would take for something of their own.
HOSTILE = ["a_b^c@d{e}&f~g", "back\\slash \\n \\101", "quo\"te's", "`touch pwned`", "$(touch pwned)", "<b>&amp;</b>",
           "%d %s %n %%", "!touch pwned", "| touch pwned", "#no; comment", "ünïcödé ← 漢字", "-", "x" * 63]


class Plots(cli.Case):
    def setUp(self):
        if not GNUPLOT:
            self.skipTest("no gnuplot")
        shutil.rmtree(self.cwd)
        os.mkdir(self.cwd)

    def results(self, document, name="r.json"):
        return self.write(name, json.dumps(document))

    def files(self):
        return sorted(os.listdir(self.cwd))

    def svg(self, name):
        """The root of a picture that has the form of one: white behind it all, and nothing left over."""
        root = ET.parse(self.path(name)).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        width, height = int(root.get("width")), int(root.get("height"))
        back = root.find(".//" + SVG + "rect")
        self.assertEqual((float(back.get("width")), float(back.get("height"))), (width, height), name)
        self.assertEqual(back.get("fill"), "#ffffff", name)
        return root

    def texts(self, root):
        return ["".join(text.itertext()).strip() for text in root.iter(SVG + "text")]

    def curves(self, root):
        return [group for group in root.iter(SVG + "g") if (group.get("id") or "").startswith("gnuplot_plot_")]

    def colors(self, root):
        """Of strokes, as #rrggbb."""
        found = set()
        for node in root.iter():
            found.update("#%02x%02x%02x" % tuple(map(int, rgb))
                         for rgb in re.findall(r"rgb\( *(\d+), *(\d+), *(\d+)\)", node.get("stroke") or ""))
        return found


class Pictures(Plots):
    def test_each_in_each_format(self):
        self.results(plot_data.make(peers=plot_data.PEERS))
        for picture in ALL:
            done = self.good("--plot=r.json", "--picture", picture, "--export=p.svg", "--export=p.png", "--export=p.pdf")
            self.assertEqual(done.out.split("\n")[0].split(), [picture, "p.svg", "p.png", "p.pdf"])
            self.assertEqual(self.files(), ["p.gp", "p.pdf", "p.png", "p.svg", "r.json"])
            root = self.svg("p.svg")
            size = [int(root.get(side)) for side in ("width", "height")]
            with open(self.path("p.png"), "rb") as file:
                png = file.read()
            self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(png[-8:-4], b"IEND")
            self.assertEqual(list(struct.unpack(">II", png[16:24])), [2 * side for side in size])
            with open(self.path("p.pdf"), "rb") as file:
                pdf = file.read()
            self.assertTrue(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"), picture)
            for name in self.files():
                if name != "r.json":
                    os.remove(self.path(name))

    def test_what_they_show(self):
        self.results(plot_data.make(peers=plot_data.PEERS))
        self.good("--plot=r.json", "--export=p.svg")
        n = len(plot_data.EIGHT) + len(plot_data.PEERS)
        for picture in ("rate", "time"):
            root = self.svg("p-%s.svg" % picture)
            texts = self.texts(root)
            self.assertEqual(len(self.curves(root)), n + 1, picture)  # the peak, the floor
            for name in plot_data.EIGHT + plot_data.PEERS:
                self.assertEqual(texts.count(name), 1, (picture, name))
            self.assertIn("sum f32 on NVIDIA H200", texts)
            self.assertIn("cold input, driver 580.159.04, 2026-11-20, redhost 0.1.0 (a1b2c3d)", texts)
            self.assertGreaterEqual(len(self.colors(root)), 8 + 3, "colours of strategies, peers, axes")
        rate = self.texts(self.svg("p-rate.svg"))
        for text in ("G elements/s", "% of the read peak", "read peak, 4584 GB/s", "elements", "100", "80"):
            self.assertIn(text, rate)
        times = self.texts(self.svg("p-time.svg"))
        for text in ("10 µs", "100 µs", "1 ms", "launch + n size / peak"):
            self.assertIn(text, times)
        peak = self.texts(self.svg("p-peak.svg"))
        for name in plot_data.EIGHT + [name + " *" for name in plot_data.PEERS]:
            self.assertEqual(peak.count(name), 1, name)
        self.assertEqual(sum(text.endswith(" %") for text in peak), n)
        best = self.texts(self.svg("p-best.svg"))
        self.assertEqual(sum(len(text) == 1 and text.isalpha() for text in best), 19)

    def test_numbers_are_right(self):
        """What is drawn is what was measured: the data in the script."""
        document = plot_data.make(sizes=(10, 20, 28), strategies=["only"], peers=())
        self.results(document)
        self.good("--plot=r.json", "--picture=rate,peak", "--export=p.svg")
        with open(self.path("p-rate.gp"), encoding="utf-8") as file:
            data = re.search(r"\$c0 << EOD\n(.*?)EOD\n", file.read(), re.DOTALL).group(1)
        for line, row in zip(data.splitlines(), document["results"]):
            n, rate, seconds = map(float, line.split())
            self.assertEqual(n, row["n"])
            self.assertAlmostEqual(rate / (1e-9 * row["elements_per_s"]), 1, 5)
            self.assertAlmostEqual(seconds / row["time_s"]["median"], 1, 5)
        with open(self.path("p-peak.gp"), encoding="utf-8") as file:
            data = re.search(r"\$t0 << EOD\n(.*?)EOD\n", file.read(), re.DOTALL).group(1)
        share, _, _, low, high = map(float, data.split())
        row = document["results"][-1]
        self.assertAlmostEqual(share / (100 * row["peak_fraction"]), 1, 4)
        self.assertLess(low, share)
        self.assertLess(share, high)

    def test_many_strategies(self):
        """Eight in colour, the winners among them, and the peers; the rest in grey, with their number."""
        document = plot_data.make(strategies=plot_data.MANY, peers=plot_data.PEERS)
        for row in document["results"]:  # it wins at one size only, and is far from the best at the largest
            if row["strategy"] == "two_stage" and row["n"] == 2**12:
                row["time_s"] = {"median": 1e-7, "ci95": [1e-7, 1e-7], "samples": 20}
        self.results(document)
        self.good("--plot=r.json", "--picture=rate", "--export=p.svg")
        root = self.svg("p.svg")
        texts = self.texts(root)
        self.assertIn("25 others", texts)
        self.assertIn("two_stage", texts)
        shown = [name for name in plot_data.MANY if name in texts]
        self.assertEqual(len(shown), 8, shown)
        for name in plot_data.PEERS:
            self.assertIn(name, texts)
        self.good("--plot=r.json", "--picture=peak", "--export=q.svg")
        self.assertTrue(set(plot_data.MANY) <= set(self.texts(self.svg("q.svg"))))

    def test_same_colors_everywhere(self):
        """A strategy has its colour in all pictures of a file."""
        self.results(plot_data.make(ops=("sum", "max"), types=("f32", "i8")))
        self.good("--plot=r.json", "--picture=rate,time", "--export=p.svg")
        looks = {}
        for name in self.files():
            if not name.endswith(".gp"):
                continue
            with open(self.path(name), encoding="utf-8") as file:
                for color, point, title in re.findall(
                        r'linecolor rgb "(#\w+)" dashtype \d+ linewidth 1\.\d pointtype (\d+) pointsize 0\.6 title "([^"]+)"', file.read()):
                    self.assertEqual(looks.setdefault(title, (color, point)), (color, point), (name, title))
        self.assertEqual(len(looks), 9)
        self.assertEqual(len(set(looks.values())), 9)

    def test_names_of_files(self):
        self.results(plot_data.make(ops=("sum", "max"), types=("f32", "i8"), sizes=(10, 12), devices=("1:0", "0:0")))
        os.mkdir(self.path("x"))
        done = self.good("--plot=r.json", "--export=x/../p.svg", "--json")
        pictures = json.loads(done.out)["pictures"]
        names = [picture["picture"] for picture in pictures]
        self.assertEqual(len(names), 8 + 8 + 4 + 1)
        self.assertEqual(len(set(names)), len(names))
        for name in ("rate-1-0-sum-f32", "time-0-0-max-i8", "peak-0-0-sum", "best"):
            self.assertIn(name, names)
        for picture in pictures:
            self.assertEqual(picture["script"], "x/../p-%s.gp" % picture["picture"])
            self.assertEqual(picture["files"], ["x/../p-%s.svg" % picture["picture"]])
            self.svg(picture["files"][0])
        self.assertIn("i8, n = 2", " ".join(self.texts(self.svg("p-peak-1-0-sum.svg"))))
        done = self.good("--plot=r.json", "-q", "--op=max", "--type=f32", "--device=H200", "--export=one.svg", "--export=one.png")
        self.assertEqual(done.out.split(), ["one-%s.%s" % (p, s) for p in ALL for s in ("svg", "png")])

    def test_many_types(self):
        """Bars of four types are told apart; of more, each has a picture."""
        kinds = ["i8", "u8", "i16", "u16", "f32"]
        for n, expected in ((4, ["p.svg"]), (5, ["p-peak-%s.svg" % kind for kind in sorted(kinds)])):
            self.results(plot_data.make(types=kinds[:n], sizes=(10, 12)))
            done = self.good("--plot=r.json", "-q", "--picture=peak", "--export=p.svg")
            self.assertEqual(sorted(done.out.split()), expected)
        self.assertIn("Share of the read peak: sum f32, n = 2^12, on NVIDIA H200", self.texts(self.svg("p-peak-f32.svg")))

    def test_selection(self):
        self.results(plot_data.make(ops=("sum", "max"), types=("f32", "i8"), sizes=(10, 12)))
        self.good("--plot=r.json", "-s", "*o*,!atomic", "--op=sum", "--type=i8,f64", "--picture=rate", "--export=p.svg")
        texts = self.texts(self.svg("p.svg"))
        self.assertIn("sum i8 on NVIDIA H200", texts)
        self.assertEqual([name for name in plot_data.EIGHT if name in texts],
                         [name for name in plot_data.EIGHT if "o" in name and name != "atomic"])
        self.bad(2, "unknown strategy 'casade'|cascade", "--plot=r.json", "-s", "casade")
        self.bad(2, "r.json|--type", "--plot=r.json", "--type=f16")
        self.bad(2, "--picture 'rat'|rate, time", "--plot=r.json", "--picture=time,rat")
        self.bad(2, "'p.gif'|.svg", "--plot=r.json", "--export=p.gif")
        self.bad(2, "'.svg'|.svg", "--plot=r.json", "--export=.svg")
        self.bad(2, "--json|--export", "--plot=r.json", "--json")

    def test_drawn_again(self):
        """The script that is kept makes the same picture, where it stands or elsewhere."""
        self.results(plot_data.make(types=("f32", "f64"), peers=plot_data.PEERS))
        self.good("--plot=r.json", "--export=p.svg", "--export=p.png")
        os.mkdir(self.path("again"))
        for name in [name for name in self.files() if name.endswith(".gp")]:
            subprocess.run([GNUPLOT, "-d", "-e", "directory='again/'", name], cwd=self.cwd, check=True)
            before = self.files()
            subprocess.run([GNUPLOT, "-d", name], cwd=self.cwd, check=True)
            self.assertEqual(self.files(), before)
        drawn = sorted(os.listdir(self.path("again")))
        self.assertEqual(drawn, [name for name in self.files() if name.startswith("p-") and name[-3:] in ("svg", "png")])
        for name in drawn:
            if name.endswith(".svg"):
                with open(self.path(name), "rb") as one, open(self.path("again/" + name), "rb") as other:
                    self.assertEqual(one.read(), other.read(), name)


class Text(Plots):
    def test_text(self):
        self.results(plot_data.make(peers=plot_data.PEERS))
        out = self.good("--plot=r.json").out
        self.assertEqual(self.files(), ["r.json"])
        self.assertNotRegex(out, r"[\x00-\x09\x0b-\x1f\x7f]| \n")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        self.assertEqual(out.count("sum f32 on NVIDIA H200"), 2)
        for text in ("Share of the read peak", "Best strategy on", "read peak, 4584 GB/s", "##B##cascade"):
            self.assertIn(text, out)
        for picture in ALL:
            one = self.good("--plot=r.json", "--picture", picture).out
            self.assertIn(one, out)
        self.assertIn("\x1b[38;5;", self.good("--plot=r.json", "--color=always").out)

    def test_bars_have_lines(self):
        """In text each bar has a line of its own, longer for more."""
        self.results(plot_data.make(types=("f32", "i8"), peers=()))
        out = self.good("--plot=r.json", "--picture=peak").out
        bars = re.findall(r"(?m)^ *([^ |]*) \|(-*)", out)
        names = [name for name, _ in bars if name]
        self.assertEqual(len(bars), 2 * len(plot_data.EIGHT), out)
        self.assertEqual(sorted(names), sorted(plot_data.EIGHT))
        for k in range(0, len(bars), 2):
            self.assertIn(bars[k][0], plot_data.EIGHT)
        for k in (0, 1):
            lengths = [len(bar) for _, bar in bars[k::2]]
            self.assertEqual(lengths, sorted(lengths, reverse=True))

    def test_window(self):
        """On a terminal it is as wide as that."""
        self.results(plot_data.make())
        import fcntl
        import termios
        for columns, width in ((100, 100), (20, 80)):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
            child = subprocess.Popen([cli.REDHOST, "--plot=r.json", "--picture=rate", "--color=never"], stdin=subprocess.DEVNULL,
                                     stdout=theirs, env=self.env, cwd=self.cwd)
            os.close(theirs)
            out = b""
            try:
                while True:
                    part = os.read(ours, 65536)
                    if not part:
                        break
                    out += part
            except OSError:
                pass
            os.close(ours)
            self.assertEqual(child.wait(), 0)
            lines = out.decode().splitlines()
            self.assertTrue(width - 30 < max(map(len, lines)) <= width, (columns, max(map(len, lines))))


class Hostile(Plots):
    def test_names(self):
        """They appear as they are, and nothing in them is done."""
        for names in (HOSTILE[:7], HOSTILE[7:]):
            document = plot_data.make(strategies=names, peers=(), sizes=(10, 20, 28), types=("f32", "i8"))
            document["devices"][0].update(name="`touch pwned`\"; system('touch pwned') #", driver="`touch pwned`\n\u0001%s\"\ufffe")
            document["tool"]["version"] = "\"`touch pwned`"
            document["run"]["start"] = "'`touch x`"
            self.results(document)
            self.good("--plot=r.json", "--export=p.svg", "--export=p.pdf")
            self.assertNotIn("pwned", self.files())
            for picture in ("rate-f32", "time-i8", "peak"):
                texts = self.texts(self.svg("p-%s.svg" % picture))
                for name in names:
                    shown = name if len(name) <= 28 else name[:25] + "..." if picture != "peak" else name[:27] + "..."
                    self.assertIn(" ".join(shown.split()), [" ".join(text.split()) for text in texts], picture)
            texts = self.texts(self.svg("p-rate-f32.svg"))
            self.assertIn("sum f32 on `touch pwned`\"; system('touch pwned') #", texts)
            note = [text for text in texts if text.startswith("cold input")][0]
            self.assertRegex(note, r"\Acold input, driver `touch pwned`\?\?%s\"\?+, '`touch x`, redhost \"`touch pwned` ")
            text = self.good("--plot=r.json", quiet=False).out
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
            self.assertNotIn("pwned", self.files())

    def test_names_of_files(self):
        self.results(plot_data.make(sizes=(10, 20)))
        for stem in ("a b", "`touch pwned`", "q\"uo'te", "| touch pwned", "back\\slash", "new\nline", "-e", "%s", "ü", "$(x)", "a.b"):
            done = self.good("--plot=r.json", "--picture=rate", "--export", stem + ".svg", "--json")
            self.assertEqual(json.loads(done.out)["pictures"][0]["picture"], "rate")
            self.svg(stem + ".svg")
            self.assertNotIn("pwned", self.files())
            subprocess.run([GNUPLOT, "-d", "./" + stem + ".gp"], cwd=self.cwd, check=True)
            self.svg(stem + ".svg")
            self.assertNotIn("pwned", self.files())
            os.remove(self.path(stem + ".svg"))
            os.remove(self.path(stem + ".gp"))
            self.assertEqual(self.files(), ["r.json"])
        os.mkdir(self.path("d `touch pwned` \"'\n"))
        self.good("--plot=r.json", "--picture=time", "--export", "d `touch pwned` \"'\n/p.png")
        self.assertEqual(sorted(os.listdir(self.path("d `touch pwned` \"'\n"))), ["p.gp", "p.png"])
        self.assertNotIn("pwned", self.files())

    def test_numbers(self):
        """Whatever stands in a file: a picture, or a sentence."""
        def point(n, seconds, **more):
            return {"device": "1:0", "strategy": "s", "op": "sum", "type": "f32", "n": n, "bytes": 4 * n, "status": "ok",
                    "time_s": {"median": seconds, "samples": 20, **more}}
        sets = {
            "one point": [point(1, 1e-6)],
            "one size": [point(1000, 1e-6)],
            "tiny and huge": [point(1, 1e-12), point(2**51, 9e8)],
            "not to be believed": [point(2, 1e-300), point(3, 1e-6)],
            "no interval": [point(2**20, 1e-3, ci95=[1e-3, 1e-3])],
            "wide interval": [point(2**20, 1e-3, ci95=[0, 9e8])],
            "no powers": [point(n, n * 1e-9) for n in (1000, 1500, 99999, 10**9)],
            "the same twice": [point(10, 2e-6), point(10, 1e-6)],
            "many sizes": [point(n, 1e-6) for n in range(1, 300)],
        }
        for what, rows in sets.items():
            odd = (1e300, 0, -5, "x", None, 1) if what in ("one point", "no powers") else ()
            for peak in (4e12, *odd):
                document = plot_data.document(rows)
                document["calibration"][0].update(read_peak_Bps=peak, empty_kernel_s=peak, launch_s=1e300)
                if peak is None:
                    document.pop("calibration")
                self.results(document)
                self.good("--plot=r.json", "--export=p.svg", "--export=p.png", quiet=True)
                for name in self.files():
                    if name.endswith(".svg"):
                        text = " ".join(self.texts(self.svg(name)))
                        self.assertNotRegex(text, r"(?i)\b(nan|inf)\b", (what, peak, name))
                        os.remove(self.path(name))
                out = self.good("--plot=r.json").out
                self.assertNotRegex(out, r"(?i)\b(nan|inf)\b", (what, peak))
        self.results(plot_data.document(sets["the same twice"]))
        self.good("--plot=r.json", "--picture=time", "--export=p.svg")
        with open(self.path("p.gp"), encoding="utf-8") as file:
            self.assertIn("\n10 0.01 1e-06\nEOD", file.read().replace("e-06 ", "e-06"))

    def test_nothing_to_draw(self):
        empty = plot_data.document([])
        failed = plot_data.make(sizes=(10,))
        for row in failed["results"]:
            row.update(status="failed", reason="lost")
            del row["time_s"]
        for document, n in ((empty, 0), (failed, len(failed["results"]))):
            self.results(document)
            self.bad(6, "r.json|nothing to draw|%d results" % n, "--plot=r.json", "--export=p.svg")
            self.bad(6, "nothing to draw", "--plot=r.json")
        document = plot_data.make(sizes=(10,))
        document["calibration"] = []
        self.results(document)
        self.bad(6, "--picture=peak|read peak", "--plot=r.json", "--picture=peak", "--export=p.svg")
        done = self.good("--plot=r.json", "-q", "--export=p.svg")
        self.assertEqual(done.out.split(), ["p-rate.svg", "p-time.svg", "p-best.svg"])
        self.bad(6, "absent.json", "--plot=absent.json", "--export=q.svg")
        self.write("no.json", "{")
        self.bad(6, "no.json", "--plot=no.json", "--export=q.svg")


class Missing(Plots):
    def setUp(self):
        super().setUp()
        self.results(plot_data.make(sizes=(10, 20)))
        self.bin = os.path.join(self.home, "bin-%d" % id(self))
        os.mkdir(self.bin)
        self.addCleanup(shutil.rmtree, self.bin)

    def fake(self, script):
        path = os.path.join(self.bin, "gnuplot")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        return {"PATH": self.bin + ":" + os.environ["PATH"]}

    def test_no_gnuplot(self):
        env = {"PATH": self.bin}
        done = self.redhost("--plot=r.json", "--picture=rate", "--export=p.svg", env=env)
        self.assertEqual((done.code, done.out, done.err),
                         (6, "", "redhost: gnuplot not found; wrote p.gp, run: gnuplot p.gp.\n"))
        self.assertEqual(self.files(), ["p.gp", "r.json"])
        subprocess.run([GNUPLOT, "p.gp"], cwd=self.cwd, check=True)
        self.svg("p.svg")
        os.mkdir(self.path("d"))
        done = self.redhost("--plot=r.json", "--export=d/p.svg", env=env)
        self.assertEqual((done.code, done.err),
                         (6, "redhost: gnuplot not found; wrote d/p-rate.gp and 3 more, run in d/: gnuplot p-rate.gp.\n"))
        self.assertEqual(sorted(os.listdir(self.path("d"))), ["p-%s.gp" % picture for picture in sorted(ALL)])
        self.bad(6, "gnuplot not found|gnuplot-nox|--export", "--plot=r.json", env=env)
        os.mkdir(os.path.join(self.bin, "gnuplot"))  # no program
        self.bad(6, "gnuplot not found", "--plot=r.json", env=env)

    def test_gnuplot_fails(self):
        args = ("--plot=r.json", "--picture=rate", "--export=p.svg", "--export=p.pdf")
        self.bad(6, "gnuplot failed|no such terminal", *args, env=self.fake("echo >&2 '  no such terminal.'; echo >&2 more; exit 1\n"))
        self.bad(6, "gnuplot failed|line 5: invalid command", *args,
                 env=self.fake("printf >&2 '\\n\\nnosuch x\\n^\\n\"c.gp\" line 5: invalid command\\n\\n'; exit 1\n"))
        self.bad(6, "gnuplot failed|exit status 3", *args, env=self.fake("exit 3\n"))
        self.bad(6, "gnuplot failed|signal 9", *args, env=self.fake("kill -9 $$\n"))
        self.bad(6, "p.svg|unfinished", *args, env=self.fake("exit 0\n"))
        self.bad(6, "gnuplot failed", "--plot=r.json", env=self.fake("exit 3\n"))
        # The real one, with half of what it drew gone.
        self.bad(6, "p.pdf|unfinished", *args, env=self.fake(
            '"%s" "$@" || exit; for last; do :; done; d=${last%%/*}; head -c 3000 "$d/p.pdf" >"$d/x"; mv "$d/x" "$d/p.pdf"\n' % GNUPLOT))
        done = self.redhost(*args, env=self.fake('echo >&2 "a warning"; exec "%s" "$@"\n' % GNUPLOT))
        self.assertEqual((done.code, done.err), (0, "redhost: gnuplot says: a warning.\n"), done)
        self.svg("p.svg")

    def test_old_pictures_stay(self):
        """A picture that cannot be drawn does not cost the one that is there."""
        for name in ("p.svg", "p.gp"):
            self.write(name, "old")
        self.redhost("--plot=r.json", "--picture=rate", "--export=p.svg", env=self.fake("exit 3\n"))
        for name in ("p.svg", "p.gp"):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(file.read(), "old")

    def test_settings_of_the_person(self):
        """What stands in ~/.gnuplot does not get into pictures."""
        with open(os.path.join(self.home, ".gnuplot"), "w", encoding="utf-8") as file:
            file.write("print 'MINE'\nset decimalsign ','\n")
        self.addCleanup(os.remove, os.path.join(self.home, ".gnuplot"))
        self.good("--plot=r.json", "--picture=peak", "--export=p.svg")
        self.assertNotRegex(" ".join(self.texts(self.svg("p.svg"))), r"\d,\d")

    def test_places(self):
        self.bad(6, "absent/", "--plot=r.json", "--export=absent/p.svg")
        self.bad(6, "r.json/", "--plot=r.json", "--export=r.json/p.svg")
        self.bad(6, "/proc/", "--plot=r.json", "--export=/proc/p.svg")
        os.mkdir(self.path("p.svg"))
        self.bad(6, "p.svg|not a regular file", "--plot=r.json", "--picture=rate", "--export=p.svg")
        os.rmdir(self.path("p.svg"))
        if os.getuid() != 0:
            os.mkdir(self.path("closed"), 0o555)
            self.bad(6, "closed/", "--plot=r.json", "--export=closed/p.svg")
        self.write("target.svg", "old")
        os.symlink("target.svg", self.path("link.svg"))
        self.good("--plot=r.json", "--picture=rate", "--export=link.svg", "--export=link.svg", "--export=./link.svg")
        self.assertTrue(os.path.islink(self.path("link.svg")))
        self.svg("target.svg")
        os.remove(self.path("target.svg"))
        self.good("--plot=r.json", "--picture=rate", "--export=link.svg")
        self.assertTrue(os.path.islink(self.path("link.svg")))
        os.chmod(self.path("target.svg"), 0o640)
        if os.geteuid() == 0:
            os.chown(self.path("target.svg"), 1234, 2345)
        before = os.stat(self.path("target.svg"))
        self.good("--plot=r.json", "--picture=rate", "--export=target.svg")
        after = os.stat(self.path("target.svg"))
        self.assertEqual((after.st_uid, after.st_gid, after.st_mode), (before.st_uid, before.st_gid, before.st_mode))
        self.svg("target.svg")
        self.bad(6, "pictures cannot be written there", "--plot=r.json", env={"TMPDIR": "/absent"})

    def test_interrupt(self):
        """Nothing is left, and gnuplot neither."""
        env = {**self.env, **self.fake("echo $$ >'%s/pid'; exec sleep 60\n" % self.bin)}
        child = subprocess.Popen([cli.REDHOST, "--plot=r.json", "--export=p.svg"], env=env, cwd=self.cwd, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pid = os.path.join(self.bin, "pid")
        deadline = time.monotonic() + 20
        while not (os.path.exists(pid) and os.path.getsize(pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=cli.PATIENCE)
        self.assertEqual(child.returncode, 130)
        self.assertEqual(self.files(), ["r.json"])
        with open(pid, encoding="utf-8") as file:
            self.assertFalse(os.path.exists("/proc/%s" % file.read().strip()))


if __name__ == "__main__":
    cli.main()
