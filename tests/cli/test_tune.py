"""redhost --tune as a user sees it: what it finds, keeps, refuses and resumes.  No times are compared."""

import json
import os
import resource

import redhost_cli as cli

WRONG = os.environ.get("REDHOST_TEST_WRONG", "")
CHOOSY = os.path.join(cli.ZOO, "choosy.so")
FICKLE = os.path.join(cli.ZOO, "fickle.so")
FAULTS = os.path.join(cli.ZOO, "worker_faults.so")
FEW = ("-n", "2^10,2^12", "-s", "cascade,two_stage,serial")


class TuneCase(cli.CacheCase):
    def entries(self):
        (device,) = json.loads(cli.text(self.file))["devices"]
        return {(e["strategy"], e["op"], e["type"], e["n"]): e for e in device["entries"]}

    def tune(self, *args, budget="2", code=0, **how):
        done = self.redhost("--tune", "--budget", budget, *args, **how)
        self.assertEqual(done.code, code, done)
        return done

    def points(self, *args, code=0, **how):
        """{(strategy, op, type, n): outcome}, and the document."""
        document = json.loads(self.tune("--json", *args, code=code, **how).out, parse_constant=cli.no_constants)
        self.assertEqual(document["schema"], "redhost/1")
        self.assertEqual(document["file"], self.file)
        return {(p["strategy"], p["op"], p["type"], p["n"]): p for p in document["tuned"]}, document


class Finding(TuneCase):
    def test_everything_is_measured(self):
        for budget in ("2", "6", "20", "60"):  # a busy machine gets less done
            points, document = self.points(*FEW, "--op", "sum,max", "--fresh", budget=budget)
            if any(p["candidates"] for p in points.values()):
                break
        self.assertEqual(set(points), {(s, op, "f32", n) for s in ("cascade", "two_stage", "serial")
                                       for op in ("sum", "max") for n in (1024, 4096)})
        entries = self.entries()
        for key, point in points.items():
            if point["status"] == "todo":
                continue
            self.assertGreater(point["time_s"], 0, point)
            self.assertGreater(point["latency_s"], 0, point)
            self.assertEqual(entries[key]["params"], point["params"])
            self.assertAlmostEqual(entries[key]["time_s"] / point["time_s"], 1, delta=1e-6)
            self.assertEqual(entries[key].get("searched", False), point["status"] == "tuned", point)
        self.assertEqual(document["left"], sum(p["status"] in ("todo", "measured") for p in points.values()))
        self.assertEqual(document["complete"], document["left"] == 0)
        self.assertTrue(any(p["candidates"] for p in points.values()), points)

    def test_segments(self):
        """Each distribution and length is a task of its own, kept beside those of whole arrays."""
        args = ("-n", "2^10", "-s", "native,serial", "--length", "16,2^11", "--distribution", "fixed,columns")
        self.points("-n", "2^10", "-s", "native")
        document = json.loads(self.tune("--json", *args, budget="60").out)
        told = {(p["strategy"], p["segments"]["distribution"], p["segments"]["length"]): p for p in document["tuned"]}
        self.assertEqual(set(told), {(s, d, 16) for s in ("native", "serial") for d in ("fixed", "columns")})
        entries = [e for device in json.loads(cli.text(self.file))["devices"] for e in device["entries"]]
        self.assertEqual([e["strategy"] for e in entries if "length" not in e], ["native"])
        kept = {(e["strategy"], e["distribution"], e["length"]): e["time_s"] for e in entries if "length" in e}
        for key, point in told.items():
            declines = key[:2] == ("serial", "columns")  # it would read them after they were copied
            self.assertEqual(point["status"], "unsupported" if declines else "tuned", point)
            self.assertEqual(key in kept, not declines)
            if not declines:
                self.assertAlmostEqual(kept[key] / point["time_s"], 1, delta=1e-6)
        done = self.tune(*args, "-v", budget="60")
        self.assertIn("; 3 known before (--fresh measures again)", done.out)
        self.assertRegex(done.out, r"(?m)^  native +sum +f32 +2\^10 by 16 columns ")
        chosen = self.good("--run", "auto", "-n", "2^10", "--length", "16", "-v", quiet=False).err
        self.assertRegex(chosen, r"auto: \w+, measured here at 2\^10 in segments of 16 \(fixed\): ")
        self.bad(2, "--distribution goes with --length", "--tune", "--distribution", "uniform")

    @cli.needs(CHOOSY)
    def test_params_are_what_differs_and_what_run_uses(self):
        args = ("-n", "2^14", "-s", "choosy,serial", "--plugin", CHOOSY)
        points, document = self.points(*args, budget="200")
        point = points["choosy", "sum", "f32", 1 << 14]
        self.assertEqual((point["status"], point["params"]), ("tuned", {"way": "quick"}), point)
        self.assertLess(point["time_s"], point["default_s"])
        # Of the other four, one declines, which costs nothing; one is wrong and one crashes.
        self.assertEqual((point["candidates"], point["refused"], point["failed"]), (3, 1, 1))
        self.assertTrue(document["complete"])
        ran = self.good("--run", "choosy", "-n", "2^14", "-v", "--plugin", CHOOSY, quiet=False)
        self.assertRegex(ran.out, r"(?m)^parameters way=quick +tuned here")
        # After tuning, auto still considers redhost's own strategies that are faster.
        chosen = json.loads(self.good("--run", "auto", "-n", "2^14", "--json", "--plugin", CHOOSY).out)["results"][0]
        self.assertRegex(chosen["chosen"], r"^(native, by (the defaults|its own score)|serial, measured here at 2\^14: )")

    @cli.needs(CHOOSY)
    def test_defaults_are_the_plugins(self):
        """Candidates are compared with the defaults, not with earlier tuned values."""
        for more in ((), ("--fresh",)):
            points, _ = self.points("-n", "2^14", "-s", "choosy", "--plugin", CHOOSY, *more, budget="200")
            self.assertEqual([p["params"] for p in points.values()], [{"way": "quick"}], more)

    def test_what_would_be_used_is_what_is_measured(self):
        """A strategy that is measured but not searched keeps the parameters that it would have without the measurement."""
        args = ("-n", "2^22", "-s", "cpu_serial_float4,native")
        before = json.loads(self.good("--run", "cpu_serial_float4", "-n", "2^22", "--json").out)["results"][0]
        self.assertEqual(before["params_from"], "tuned", before)
        for budget in ("0.01", "0.02", "0.05", "0.2", "1"):
            points, _ = self.points(*args, budget=budget)
            point = points["cpu_serial_float4", "sum", "f32", 1 << 22]
            if point["status"] != "todo":
                break
        self.assertEqual(point["against"], "shipped", point)
        entry = self.entries()["cpu_serial_float4", "sum", "f32", 1 << 22]
        self.assertTrue(entry["params"], entry)
        after = json.loads(self.good("--run", "cpu_serial_float4", "-n", "2^22", "--json").out)["results"][0]
        if point["status"] == "measured":
            self.assertEqual(after["params"], before["params"], point)

    @cli.needs(CHOOSY)
    def test_what_people_read(self):
        done = self.tune("-n", "2^14", "-s", "choosy", "--plugin", CHOOSY, budget="200")
        self.assertRegex(done.out, r"\Achoosy +sum f32 2\^14 +\S+ \S+ -> \S+ \S+  way=quick\n\nOn ")
        self.assertRegex(done.out, r"(?m)^  choosy +sum +f32 +2\^14 .*x +way=quick$")
        self.assertIn("1 tuned, 3 candidates tried, 1 refused for wrong results, 1 of them failed. "
                      "Kept in %s\n" % self.file, done.out)
        self.assertRegex(done.err, r"\Aredhost: choosy, sum f32 2\^14: way=wrong is refused, its result is wrong: "
                                   r"returned \S+, expected [^\n]+\.\n\Z")
        self.assertNotRegex(done.out + done.err, "\x1b|\r")

    def test_quiet(self):
        done = self.tune(*FEW, "-q", budget="1")
        self.assertEqual((done.out, done.err), ("", ""))
        self.assertTrue(self.entries())

    def test_progress(self):
        done = self.tune(*FEW, "--progress=always", budget="1")
        self.assertRegex(done.err, r"\r\x1b\[K\[\d+/6\] 2\^1[02] \w+, about \d+ s left")

    def test_without_a_driver(self):
        """There are only host strategies."""
        points, _ = self.points("-n", "1024", env=cli.NO_PLATFORM)
        self.assertIn(("serial", "sum", "f32", 1024), points)
        self.assertTrue(all(p["device"] == "host" for p in points.values()))


class Against(TuneCase):
    """With parameters that an earlier --tune found nearby: way=steady, which is not the plugin's default."""
    ARGS = ("-n", "2^10", "--plugin", FICKLE)

    def setUp(self):
        super().setUp()
        if not os.path.exists(FICKLE):
            self.skipTest("no zoo: REDHOST_TEST_ZOO")
        self.env["ZOO_MARK"] = os.path.join(self.home, self.id().rsplit(".", 1)[1] + ".mark")

    def tune_from_steady(self, strategy, **how):
        args = ("-s", strategy, *self.ARGS)
        self.points("-n", "2^11", *args[:2], *self.ARGS[2:], budget="0.01")
        document = json.loads(cli.text(self.file))
        (entry,) = document["devices"][0]["entries"]
        entry.update(params={"way": "steady"}, searched=True)
        cli.write(self.file, json.dumps(document))
        if os.path.exists(self.env["ZOO_MARK"]):
            os.remove(self.env["ZOO_MARK"])
        if how.get("late"):
            open(self.env["ZOO_MARK"], "w", encoding="utf-8").close()
        done = self.tune("--json", *args, budget="200")
        (point,) = json.loads(done.out)["tuned"]
        return point, self.entries()[strategy, "sum", "f32", 1 << 10], done.err

    def test_what_is_better_than_the_defaults_only_is_not_kept(self):
        """Of a candidate that looked better at first, the last rounds decide, in which it runs beside what would be used."""
        point, entry, _ = self.tune_from_steady("fickle_time")
        self.assertTrue(os.path.exists(self.env["ZOO_MARK"]))
        self.assertEqual((point["status"], point["against"], point["params"]), ("tuned", "tuned", {"way": "steady"}), point)
        self.assertEqual(entry["params"], {"way": "steady"})

    def test_wrong_in_the_last_rounds(self):
        """Nothing of it is kept, and the plugin's own defaults take its place."""
        point, entry, said = self.tune_from_steady("fickle_result")
        self.assertRegex(said, r"2\^10: way=steady is refused, its result is wrong: ")
        self.assertEqual((point["status"], point["against"], point["params"]), ("tuned", "defaults", {}), point)
        self.assertEqual((entry["params"], entry["searched"]), ({}, True))
        self.assertAlmostEqual(entry["time_s"] / point["default_s"], 1, delta=1e-6)

    def test_wrong_from_the_first(self):
        point, entry, said = self.tune_from_steady("fickle_result", late=True)
        self.assertEqual(said.count("way=steady is refused"), 2, said)  # and once as a candidate
        self.assertEqual((point["status"], point["against"], point["params"]), ("tuned", "defaults", {}), point)
        self.assertEqual(entry["params"], {})


class GoingOn(TuneCase):
    def until_done(self, *args):
        for _ in range(12):
            points, document = self.points(*args)
            if document["complete"]:
                return points
        self.fail("it never ends: %s" % document)

    def test_resume(self):
        # Of 2^10 elements serial is done 50 times before two_stage has launched, on a busy machine: too slow to be searched.
        args = ("-n", "2^16", "-s", "two_stage,serial")
        self.until_done(*args)
        before = self.entries()
        self.assertTrue(all(e["searched"] for e in before.values()), before)
        again, document = self.points(*args)
        self.assertEqual({p["status"] for p in again.values()}, {"kept"})
        self.assertEqual(self.entries(), before)
        self.assertTrue(document["complete"])
        self.assertIn("0 tuned, 0 candidates tried; 2 known before (--fresh measures again).", self.tune(*args).out)

    def test_fresh(self):
        args = ("-n", "2^10", "-s", "serial")
        self.until_done(*args)
        before = self.entries()
        points, _ = self.points(*args, "--fresh")
        self.assertEqual([p["status"] for p in points.values()], ["tuned"])
        self.assertNotEqual(self.entries(), before)  # nobody measures the same time twice, to the last digit
        self.assertEqual(set(self.entries()), set(before))

    def test_another_size_is_another_task(self):
        self.until_done("-n", "2^10", "-s", "serial")
        points = self.until_done("-n", "2^10,2^11", "-s", "serial")
        self.assertEqual(sorted((p["n"], p["status"]) for p in points.values()), [(1024, "kept"), (2048, "tuned")])
        self.assertEqual(len(self.entries()), 2)

    def test_end_of_the_budget(self):
        """Exit 0, and a message that says how to continue; each call makes progress."""
        args = ("-n", "2^10:2^16", "-s", "two_stage,cascade,tiled*,strided*,blocked*")
        done = self.tune(*args, budget="0.01")
        self.assertRegex(done.out, r"(?m)^\d+ of \d+ left undone when the budget was spent: the same command goes on from there\.$")
        before = len(self.entries())
        self.assertGreater(before, 0)
        self.tune(*args, budget="0.01")
        self.assertGreater(len(self.entries()), before)

    def test_interrupt_keeps_what_it_has(self):
        process = self.start("--tune", "-n", "2^10:2^20", "--budget", "600")
        self.wait_until(lambda: os.path.exists(self.file))
        out, err = self.interrupted(process)
        self.assertRegex(err.decode(), r"redhost: interrupted with \d+ left: what was found is kept, and the same command "
                                       r"goes on from there\.\n\Z")
        self.assertIn(b"Kept in ", out)
        self.assertTrue(self.entries())

    def test_interrupted_before_anything(self):
        """While the device is calibrated, which begins once there is a place to write."""
        process = self.start("--tune", "-n", "2^10", "--budget", "600", "--json")
        self.wait_until(lambda: os.path.exists(self.file.replace(".json", ".lock")))
        out, err = self.interrupted(process)
        # Before it LLVM may say that the program it was compiling has an error: it removes its files at every SIGINT.
        self.assertRegex(err.decode(), r"(?m)^redhost: interrupted before anything was found\.\n\Z")
        self.assertIsNone(json.loads(out)["file"])
        self.assertFalse(os.path.exists(self.file))

    @cli.needs(CHOOSY)
    def test_interrupted_search(self):
        """The values found so far are kept, and the search continues from them."""
        args = ("-n", "2^14", "-s", "choosy", "--plugin", CHOOSY, "--budget", "200")
        for seed in range(1, 9):  # in the order that it draws, one that is right has to come before the wrong one
            process = self.start("--tune", *args, "--seed=%d" % seed)
            self.assertIn(b"way=wrong is refused", process.stderr.readline())
            out, _ = self.interrupted(process)
            (entry,) = self.entries().values()
            self.assertNotIn("searched", entry)
            if entry["params"]:
                break
            os.remove(self.file)
        self.assertEqual(entry["params"], {"way": "quick"})
        self.assertIn(b"way=quick", out)
        points, document = self.points(*args)
        self.assertEqual([(p["status"], p["params"]) for p in points.values()], [("tuned", {"way": "quick"})])


class OwnOperators(TuneCase):
    """Kept for the operator itself, and used by `auto' for it alone."""

    def chosen(self, *args):
        return json.loads(self.good("--run", "auto", "-n", "2^14", "--json", *args).out)["results"][0]["chosen"]

    def test_kept_by_what_it_computes(self):
        points, _ = self.points("-n", "2^14", "-s", "native,serial", "--op", "meanvar", budget="200")
        self.assertEqual(set(points), {("native", "meanvar", "f32", 1 << 14), ("serial", "meanvar", "f32", 1 << 14)})
        entries = self.entries()
        self.assertEqual({(s, e["name"], e["base"], e["type"]) for (s, *_), e in entries.items()},
                         {("native", "meanvar", "sum", "f32"), ("serial", "meanvar", "sum", "f32")})
        self.assertTrue(all(e["op"].startswith("own:") for e in entries.values()), entries)
        known = r"^native, measured here at 2\^14: \S+ \S+ a call"
        self.assertRegex(self.chosen("--op", "meanvar"), known)
        # One of the same text, whatever its name, is the same; one of another text, type or base is not.
        mean = ("--map", "x*t", "--let", "t=2", "--finalize", "a/n")
        for other in (("--op", "meanvar", "-t", "f64"), ("--op", "sum"), mean):
            self.assertNotIn("native, measured here", self.chosen(*other), other)
        self.points("-n", "2^14", "-s", "native", *mean, budget="200")
        # Another value of its constant makes no other operator.
        again = mean[:3] + ("t=3",) + mean[4:]
        self.assertRegex(self.chosen(*again), "^native, measured here at 2")
        self.assertNotIn("native, measured here", self.chosen("--map", "x*t*t", "--let", "t=2", "--finalize", "a/n"))
        again, document = self.points("-n", "2^14", "-s", "native,serial", "--op", "meanvar")
        self.assertEqual({p["status"] for p in again.values()}, {"kept"})
        self.assertTrue(document["complete"])

    def test_lists(self):
        points, _ = self.points("-n", "2^10", "-s", "serial", "--op", "norm2,sum,mean,norm2", budget="200")
        self.assertEqual({(op, n) for _, op, _, n in points}, {("norm2", 1 << 10), ("sum", 1 << 10), ("mean", 1 << 10)})
        self.assertEqual({entry.get("name", "") for entry in self.entries().values()}, {"norm2", "mean", ""})

    def test_a_strategy_that_nobody_tuned_is_not_taken_for_quicker(self):
        """Of serial, only the times of built-in operators are known: they count by what native takes more."""
        self.points("-n", "2^14", "-s", "native,serial", "--op", "max", budget="200")
        document = json.loads(cli.text(self.file))
        for entry in document["devices"][0]["entries"]:
            entry.update({"native": dict(time_s=1e-6, latency_s=1e-6), "serial": dict(time_s=2e-6, latency_s=2e-6)}[entry["strategy"]])
        cli.write(self.file, json.dumps(document))
        self.points("-n", "2^14", "-s", "native", "--map", "exp(x)", "--op", "max", budget="200")
        own = [e for e in self.entries().values() if e["op"].startswith("own:")]
        self.assertGreater(own[0]["latency_s"], 2e-6)
        self.assertRegex(self.chosen("--map", "exp(x)", "--op", "max"), r"^native, measured here at 2\^14: .*, next is serial")

    def test_parameters_of_it(self):
        """Searched for it, compared with its own reference, and used by --run."""
        args = ("-n", "2^14", "-s", "cpu_serial", "--map", "fabs(x-y)", "--op", "max")
        points, _ = self.points(*args, budget="200")
        (point,) = points.values()
        self.assertEqual((point["op"], point["status"]), ("max of fabs(x-y)", "tuned"), point)
        ran = json.loads(self.good("--run", "cpu_serial", "-n", "2^14", "--map", "fabs(x-y)", "--op", "max", "--json").out)["results"][0]
        for key, value in point["params"].items():
            self.assertEqual(str(ran["params"][key]), value)

    def test_refused(self):
        done = self.redhost("--tune", "--map", "x*q", "-n", "1024")
        self.assertEqual((done.code, done.out), (2, ""), done)
        self.assertIn("unknown name 'q'", done.err)
        self.bad(5, "not associative|--unchecked-op", "--tune", "--reduce", "a + 2*b", "--identity", "-0.0", "-n", "1024")


class Trouble(TuneCase):
    def test_wrong_results(self):
        """Wrong with the plugin's own defaults: reported, recorded for auto, exit 1; the others are still tuned."""
        plugin = os.path.join(WRONG, "tail_twice.so")
        if not WRONG or not os.path.exists(plugin):
            self.skipTest("no zoo: REDHOST_TEST_WRONG")
        args = ("-n", "1000:1003:+1", "-s", "tail_twice,serial", "--plugin", plugin)
        done = self.tune(*args, code=1, budget="200")
        self.assertRegex(done.err, r"\Aredhost: tail_twice, sum f32 1\d+: not tuned, its result is wrong: returned [^\n]+\.\n"
                                   r"redhost: 1 strategy is wrong with the parameters that it comes with, and `auto' leaves it "
                                   r"alone\.\n\Z")
        failed = [e for e in self.entries().values() if e.get("failed")]
        self.assertEqual({e["strategy"] for e in failed}, {"tail_twice"}, failed)
        self.assertIn(("serial", "sum", "f32", 1003), self.entries())
        points, _ = self.points(*args, code=1, budget="200")
        self.assertEqual(points["serial", "sum", "f32", 1003]["status"], "kept")
        self.assertIn("wrong", {p["status"] for p in points.values() if p["strategy"] == "tail_twice"})
        chosen = self.good("--run", "auto", "-n", "1003", "--plugin", plugin, "-v", quiet=False).err
        self.assertIn("left out for a wrong result here: tail_twice", chosen)

    @cli.needs(CHOOSY)
    def test_wrong_where_few_are_looked_at(self):
        """At an intermediate size that was not requested: still a wrong result."""
        for n, op, where in (("2^20", "max", "2^18"), ("2^22", "sum", "2^16")):
            done = self.tune("-n", n, "--op", op, "-s", "choosy_of_sizes", "--plugin", CHOOSY, code=1, budget="200")
            self.assertRegex(done.err, r"\Aredhost: choosy_of_sizes, %s f32 %s: not tuned, its result is wrong: returned [^\n]+\.\n"
                                       r"redhost: 1 strategy is wrong [^\n]+\.\n\Z" % (op, where.replace("^", r"\^")))
            self.assertTrue(any(e.get("failed") for key, e in self.entries().items() if key[1] == op), self.entries())

    @cli.needs(FAULTS)
    def test_crashes_are_left_out(self):
        done = self.tune("-n", "1024", "-s", "worker_crash_in_run,serial", "--plugin", FAULTS)
        self.assertRegex(done.err, r"\Aredhost: worker_crash_in_run, sum f32 2\^10: left out: [^\n]*crashed in run \(signal 11\)\.\n\Z")
        self.assertIn("; 1 failed and left out.", done.out)
        self.assertEqual({key[0] for key in self.entries()}, {"serial"})

    def test_refused(self):
        for words, args in (
                ("in the cache|leave out --no-cache", ("--no-cache",)),
                ("--budget '0'|seconds", ("--budget=0",)),
                ("--budget 'much'", ("--budget=much",)),
                ("--size 0|nothing to tune", ("-n", "0,1024")),
                ("unknown strategy 'cascde'", ("-s", "cascde")),
                ("--size '2^10..2^12'|A:B", ("-n", "2^10..2^12")),
                ("--param cannot be used with --tune", ("-p", "tile=1")),
                ("--input cannot be used with --tune", ("-i", "x.npy")),
                ("--tune and --bench are mutually exclusive", ("--bench",)),
                ("argmaxx", ("--op", "argmaxx"))):
            self.bad(2, words, "--tune", *args)
        self.bad(2, "--fresh cannot be used with --bench", "--bench", "--fresh")
        self.bad(2, "in the cache|REDHOST_NO_CACHE is set", "--tune", env={"REDHOST_NO_CACHE": "1"})
        self.bad(2, "in the cache|HOME|--cache-dir", "--tune", env={"HOME": "", "XDG_CACHE_HOME": ""})
        self.bad(3, "no device matches", "--tune", "-d", "nothing like it")
        self.bad(3, "--size", "--tune", "-n", "2^40")

    def test_no_place(self):
        """Reported before anything is measured; the file of a later redhost is not changed."""
        args = ("--tune", "-n", "2^10", "-s", "serial", "--budget", "200")
        done = self.bad(6, "/proc/x/tuned.json: |another cache directory", *args, "--cache-dir", "/proc/x")
        self.assertEqual(done.out, "")
        later = '{"schema": "redhost-tuned/2"}'
        cli.write(self.file, later)
        done = self.redhost(*args)
        self.assertEqual((done.code, done.out), (6, ""), done)
        self.assertEqual(cli.text(self.file), later)

    def test_lock_is_in_the_way(self):
        os.makedirs(self.file.replace(".json", ".lock"))
        self.bad(6, "tuned.lock|remove it", "--tune", "-n", "2^10", "-s", "serial")

    def test_cannot_be_written(self):
        """Noticed too late: the measurements are printed, but not reported as kept."""
        args = ("-n", "2^10", "-s", "serial")
        self.tune(*args)  # now all that is compiled is there
        os.remove(self.file)
        how = {"code": 6, "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}
        done = self.tune(*args, **how)
        self.assertRegex(done.out, r"(?m)^\d+ tuned, \d+ candidates tried\. Not kept$")
        self.assertRegex(done.err, r"(?s)continuing without storing .*redhost: some results were not stored: [^\n]+\.\n\Z")
        self.assertFalse(os.path.exists(self.file))
        self.assertIsNone(json.loads(self.tune(*args, "--json", **how).out)["file"])

    @cli.needs(FAULTS)
    def test_looks_end_with_the_budget(self):
        """A strategy of which nothing comes is looked at once, not once for each size; and looks have a quarter of the budget."""
        done = self.tune("-n", "2^20:2^22", "-s", "worker_crash_in_run", "--plugin", FAULTS, "--progress=always", budget="200")
        self.assertEqual(done.err.count(" 2^18 worker_crash_in_run"), 1, done)
        done = self.tune("-n", "2^20", "--progress=always", budget="0.001")
        self.assertLess(done.err.count(" 2^18 "), 3, done)

    def test_cache_dir(self):
        there = os.path.join(self.home, "elsewhere")
        self.tune("-n", "1024", "-s", "serial", "--cache-dir", there)
        self.assertTrue(os.path.exists(os.path.join(there, "tuned.json")))
        self.assertFalse(os.path.exists(self.file))
