"""--compare: what is the same, faster, slower or broken, what cannot be compared, and files that are not results."""

import json

import redhost_cli as cli

H200 = {"id": "1:0", "key": "CUDA|H200|580|u1", "name": "NVIDIA H200", "driver": "580.159.04"}


def row(strategy, n, median, half=0.001, **more):
    """The medians of the rounds spread over median * (1 +- 2 half), the quartiles over half of that."""
    rounds = [median * (1 + half * k) for k in (-2, -1, 0, 1, 2)]
    return {"device": "1:0", "strategy": strategy, "op": "sum", "type": "f32", "n": n, "bytes": 4 * n, "status": "ok",
            "time_s": {"median": median, "ci95": [median * (1 - half), median * (1 + half)], "min": rounds[0],
                       "max": rounds[4], "q1": rounds[1], "q3": rounds[3], "samples": 20, "rounds": rounds},
            "passes": 2, **more}


STATES = [x * 1e-6 for x in (2.37, 2.38, 2.38, 2.48, 2.49, 2.49, 2.49, 2.50)]  # one build on an H200


def several(strategy, n, medians):
    """Measured in several processes."""
    made = row(strategy, n, sorted(medians)[len(medians) // 2])
    made["time_s"].update(processes=medians, rounds=[])
    return made


def document(*rows, **more):
    return {"schema": "redhost/1", "tool": {"version": "0.1.0", "git": "a1b2c3d"},
            "run": {"start": "2026-11-20T07:42:00Z"}, "devices": [H200],
            "calibration": [{"device": "1:0", "timer": "event"}], "settings": {"cache": "cold"},
            "results": list(rows), "best": [], **more}


OLD = [row("two-stage", 2**20, 6.39e-6), row("one-pass", 2**20, 4.28e-6), row("atomic", 2**24, 310e-6, 0.04),
       row("tree", 1000003, 1e-3), row("serial", 2**10, 1e-5), row("cub", 2**20, 4e-6, peer=True)]
SAME = [row("two-stage", 2**20, 6.38e-6), row("one-pass", 2**20, 4.281e-6), row("atomic", 2**24, 318e-6, 0.04),
        row("cub", 2**20, 4e-6, peer=True)]
WORSE = [row("two-stage", 2**20, 6.38e-6), row("one-pass", 2**20, 5.02e-6, 0.002), row("atomic", 2**24, 318e-6, 0.04),
         row("tree", 1000003, 0.5e-3), row("chunk", 64, 1e-6)]
BROKEN = [row("two-stage", 2**20, 6.38e-6), row("serial", 2**10, 1, status="wrong", time_s=None, reason="got 3, exact 4")]


class Comparing(cli.Case):
    def setUp(self):
        self.put("old.json", document(*OLD))

    def put(self, name, content):
        return self.write(name, json.dumps(content))

    def compare(self, rows, *options, **more):
        self.put("new.json", document(*rows, **more))
        return self.redhost("--compare", "old.json", "new.json", *options)

    def verdicts(self, rows, *options, **more):
        """By strategy."""
        done = self.compare(rows, "--json", *options, **more)
        said = json.loads(done.out, parse_constant=cli.no_constants)
        self.assertEqual(done.code, 1 if said["counts"]["slow"] + said["counts"]["broken"] else 0, done)
        return {change["strategy"]: change["verdict"] for change in said["changes"]}

    def test_exports_are_judged_first(self):
        self.put("new.json", document(*WORSE))
        for name, code in (("x.json", 2), ("x", 2), ("absent/x.svg", 6)):
            self.bad(code, name, "--compare", "old.json", "new.json", "--export=" + name)

    def test_table(self):
        done = self.compare(WORSE, "--color=never")
        self.assertEqual((done.code, done.err), (1, "redhost: of 4 points, 1 became slower and 0 broke.\n"), done)
        self.assertEqual([line.rstrip() for line in done.out.splitlines()], """\
old  2026-11-20  a1b2c3d  NVIDIA H200 580.159.04  old.json
new  2026-11-20  a1b2c3d  NVIDIA H200 580.159.04  new.json

  STRATEGY   OP             n      OLD               NEW            CHANGE
  tree       sum f32  1000003     1 ms  +-0.1 %   500 us  +-0.1 %  -50.0 %  fast
  one-pass   sum f32     2^20  4.28 us  +-0.1 %  5.02 us  +-0.2 %  +17.3 %  SLOW
  two-stage  sum f32     2^20  6.39 us  +-0.1 %  6.38 us  +-0.1 %   -0.2 %  same
  atomic     sum f32     2^24   310 us  +-4.0 %   318 us  +-4.0 %   +2.6 %  unclear

4 compared: 1 same, 1 fast, 1 SLOW, 1 unclear.  2 only in old.  1 only in new.
With fewer than 5 processes in a file, how processes differ is unknown, and
changes below 3 % + 0.15 us (3 % by the host's clock) are not found. To find
smaller ones, measure both with --bench --processes=8.""".splitlines())

    def test_processes_find_it(self):
        steady = [100e-6 * (1 + 0.001 * k) for k in (0, 1, -1, 2, 0, -2, 1, 0)]
        self.put("old.json", document(several("tree", 2**28, steady), several("one-pass", 2**10, STATES)))
        rows = [several("tree", 2**28, [1.02 * x for x in steady]), several("one-pass", 2**10, STATES[::-1])]
        said = json.loads(self.compare(rows, "--json").out)
        self.assertIsNone(said["note"])
        tree, = (change for change in said["changes"] if change["strategy"] == "tree")
        self.assertEqual((tree["floor"], tree["new"]["processes"]), (0, 8))
        self.assertTrue(0.015 < tree["change_interval"][0] < 0.02 < tree["change_interval"][1] < 0.025, tree)
        done = self.compare(rows, "--color=never")
        self.assertRegex(done.out, r"\+2\.0 \+-0\.2 %  SLOW")
        self.assertNotIn("unknown", done.out)
        # Both files must have several; the other one's interval is unknown otherwise.
        done = self.compare([row("tree", 2**28, 102e-6), rows[1]], "--color=never")
        self.assertEqual(done.code, 0)
        self.assertIn("Where a file has fewer than 5 processes,", done.out)

    def test_unclear_alone_is_no_failure(self):
        done = self.compare(SAME)
        self.assertEqual((done.code, done.err), (0, ""), done)
        self.assertIn("4 compared: 3 same, 0 fast, 0 SLOW, 1 unclear.  2 only in old.\n", done.out)

    def test_broken(self):
        done = self.compare(BROKEN)
        self.assertEqual(done.code, 1, done)
        self.assertIn("BROKEN: got 3, exact 4", done.out)
        self.assertEqual(self.verdicts(BROKEN), {"two-stage": "same", "serial": "broken"})
        # In the other direction it is an improvement.
        self.put("old.json", document(*BROKEN))
        self.assertEqual(self.verdicts(OLD)["serial"], "mended")

    def test_threshold(self):
        self.assertEqual(self.verdicts(WORSE)["one-pass"], "slow")
        self.assertEqual(self.verdicts(WORSE, "--threshold=20")["one-pass"], "same")
        self.assertEqual(self.verdicts(WORSE, "--threshold", "16.9")["one-pass"], "slow")
        self.assertEqual(self.verdicts(WORSE, "--threshold", "17.1")["one-pass"], "unclear")
        for word in ("", "x", "-1", "1x", "nan", "inf", "2000"):
            self.bad(2, "--threshold|percent" if word else "--threshold", "--compare", "old.json", "new.json",
                     "--threshold=" + word)

    def test_quiet(self):
        done = self.compare(WORSE + BROKEN[1:], "-q")
        self.assertEqual((done.code, done.out), (1, "serial sum f32 1024\none-pass sum f32 1048576\n"), done)
        done = self.compare(SAME, "-q")
        self.assertEqual((done.code, done.out, done.err), (0, "", ""), done)

    def test_json(self):
        done = self.compare(WORSE, "--json", devices=[{**H200, "driver": "590", "key": "k"}])
        said = json.loads(done.out, parse_constant=cli.no_constants)
        self.assertEqual(said["schema"], "redhost/1")
        self.assertEqual((said["old"]["file"], said["new"]["devices"][0]["driver"]), ("old.json", "590"))
        self.assertEqual(said["warnings"], ["different drivers of NVIDIA H200: 580.159.04, and now 590"])
        self.assertEqual((said["threshold"], said["counts"]["only_old"]), (0.01, 2))
        slow = next(change for change in said["changes"] if change["verdict"] == "slow")
        self.assertEqual((slow["strategy"], slow["n"], slow["new"]["median_s"]), ("one-pass", 2**20, 5.02e-6))
        self.assertAlmostEqual(slow["change"], 5.02 / 4.28 - 1)
        self.assertAlmostEqual(slow["old"]["interval_s"][1] * 1e6, 4.28 * 1.001)
        self.assertAlmostEqual(slow["floor"], 0.03 + 0.15 / 4.28)
        self.assertEqual((slow["change_interval"], slow["old"]["processes"]), (None, 1))
        self.assertIn("--processes=8", said["note"])

    def test_other_devices_and_drivers(self):
        for device, warning in (({**H200, "driver": "590", "key": "k"}, "different drivers of NVIDIA H200: 580.159.04, and now 590"),
                                ({"id": "1:0", "key": "k", "name": "MI300\x1b[2J"}, "different devices: NVIDIA H200, and now MI300?[2J")):
            done = self.compare(SAME, devices=[device])
            self.assertEqual((done.code, done.err), (0, "redhost: %s.\n" % warning), done)
            self.assertNotIn("\x1b", self.compare(SAME, "--color=never", devices=[device]).out)
            self.assertEqual(self.compare(SAME, "-q", devices=[device]).err, "")

    def refuse(self, code, words, content):
        self.put("new.json", content)
        self.bad(code, words, "--compare", "old.json", "new.json")

    def test_refused(self):
        self.refuse(2, "cold|hot|--cache", document(*SAME, settings={"cache": "hot"}))
        self.refuse(2, "event|host|--timer=host|NVIDIA H200", document(*SAME, calibration=[{"device": "1:0", "timer": "host"}]))
        self.refuse(2, "no point in common", document(row("two-stage", 3, 1e-6)))
        self.refuse(2, "no point in common", document())

    def test_one_row_by_another_clock(self):
        self.assertEqual(self.verdicts([row("one-pass", 2**20, 9e-6, flags=["host_timer"])]), {"one-pass": "unclear"})

    def test_files(self):
        """Whatever is wrong with either; the rest is unit.records_read's."""
        whole = json.dumps(document(*SAME))
        for name, content, words in (("empty", "", "is empty"), ("cut", whole[:900], "ends unexpectedly"), ("list", "[]", "not a redhost result file"),
                                     ("typed", whole.replace("1048576", "\"many\"", 1), "results[0]: n: "),
                                     ("info", json.dumps({"schema": "redhost/1", "strategies": []}), "has no results")):
            self.write(name, content)
            self.bad(6, name + "|" + words, "--compare", "old.json", name)
            self.bad(6, name + "|" + words, "--compare", name, "old.json")
        self.bad(6, "none.json|No such file", "--compare", "old.json", "none.json")
        self.bad(6, "Is a directory", "--compare", ".", "old.json")
        self.bad(2, "two files", "--compare", "old.json")
        self.bad(2, "two files", "--compare", "old.json", "old.json", "old.json")
        self.bad(2, "standard input", "--compare", "-", "-", input=b"")

    def test_lines_and_standard_input(self):
        header = document()
        rows = header.pop("results")
        self.assertEqual((rows, header.pop("best")), ([], []))
        lines = "".join(json.dumps(line) + "\n" for line in [header, *SAME])
        self.write("new.jsonl", lines)
        whole = self.good("--compare", "old.json", "new.jsonl").out
        self.assertEqual(self.good("--compare", "old.json", "-", input=lines.encode()).out, whole.replace("new.jsonl", "-"))
        self.write("new.jsonl", lines + json.dumps(OLD[3])[:50])  # interrupted
        done = self.redhost("--compare", "old.json", "new.jsonl")
        self.assertEqual((done.code, done.out), (0, whole), done)
        self.assertIn("new.jsonl: the last line is cut off; the 4 results before it are compared", done.err)
        self.write("new.jsonl", lines + json.dumps(OLD[3])[:50] + "\n" + json.dumps(OLD[3]) + "\n")
        self.bad(6, "new.jsonl|line 6", "--compare", "old.json", "new.jsonl")

    def test_points_are_matched(self):
        """By what they are; of one that was measured again, the last counts."""
        done = self.compare([row("tree", 1000003, 9e-3), row("chunk", 64, 1e-6), row("two-stage", 2**20, 7e-6), row("tree", 1000003, 1e-3)])
        self.assertEqual(done.err, "redhost: of 2 points, 1 became slower and 0 broke.\n")
        self.assertIn("2 compared: 1 same, 0 fast, 1 SLOW, 0 unclear.  4 only in old.  1 only in new.\n", done.out)

    def test_devices_are_matched_by_what_they_are(self):
        """Whatever their numbers; and those that are left with each other."""
        cpus = [{"id": "0:0", "key": "PoCL|Xeon|5.0", "name": "Xeon", "driver": "5.0"}, {"id": "3:0", "key": "PoCL|Xeon|6.0", "name": "Xeon", "driver": "6.0"}]
        self.put("old.json", document(OLD[0], {**OLD[0], "device": "0:0"}, devices=[H200, cpus[0]], calibration=[]))
        rows = [{**OLD[0], "device": "2:0"}, {**OLD[0], "device": "3:0"}]
        for name, warning in (("Xeon", "different drivers of Xeon: 5.0, and now 6.0"), ("EPYC", "different devices: Xeon, and now EPYC")):
            done = self.compare(rows, devices=[{**H200, "id": "2:0"}, {**cpus[1], "name": name}], calibration=[])
            self.assertEqual((done.code, done.err), (0, "redhost: %s.\n" % warning))
            self.assertIn("2 compared: 2 same,", done.out)

    def test_several_devices(self):
        cpu = {"id": "0:0", "key": "PoCL|Xeon", "name": "Xeon", "driver": "5.0"}
        rows = [*OLD, *({**one, "device": "0:0"} for one in WORSE)]
        self.put("old.json", document(*rows, devices=[H200, cpu], calibration=[]))
        done = self.compare(rows, devices=[H200, cpu], calibration=[])
        self.assertIn("11 compared: 9 same, 0 fast, 0 SLOW, 2 unclear.\n", done.out)
        self.assertIn("DEVICE", done.out)
