"""redhost --bench as a user sees it: what it measures, writes, refuses and survives."""

import csv
import io
import json
import os

import redhost_cli as cli

FEW = ("-n", "2^10:2^12:x4", "--quick", "--max-time=0.1", "--cache=hot")  # hot: no time goes into copies
FAULTS = os.path.join(cli.ZOO, "worker_faults.so")


class BenchCase(cli.Case):

    def bench(self, *args, **how):
        return self.redhost("--bench", *FEW, *args, **how)

    def read(self, name):
        return cli.read(self.path(name))

    def results(self, *args, code=0, **how):
        return self.json("--bench", *FEW, *args, code=code, quiet=False, **how)


# Sums segments of ones: of `right`, each sum is the length; of the others, one is wrong, none is written, or an index lies beyond its segment.  A peer of old does not
# know segments.
SEGMENT_PEERS = """#!/usr/bin/python3
import os, struct
channel = os.fdopen(4, "r+b", buffering=0)
channel.write(b"redhost-peer 1\\npeer right any\\npeer one-off any\\npeer silent any\\npeer old any\\nready\\n")
for line in channel:
    verb, name, *rest = line.decode().split()
    if verb == "segments" and name != "old":
        op, (segments, length, inner, offsets, results) = rest[0], map(int, rest[5:])
        channel.write(b"opened host 1\\n")
    elif verb == "take":
        channel.write(b"taken 1e-5 host 0\\n")
    elif verb == "values":
        sums = [length] * segments
        if name == "one-off":
            sums[3] += 1
        if name != "silent":
            os.pwrite(5, struct.pack("=%d%s" % (segments, "f" if op == "sum" else "q"), *sums), results)
        channel.write(b"valued\\n")
    else:
        channel.write(b"closed\\n" if verb == "close" else b"failed a malformed question\\n")
"""

# A peer whose k-th process takes k times 100 us.  It writes down its processes and those of the strategies beside it.  The one that FAILS_IN names ends; the one
# that INTERRUPTS_IN names interrupts redhost.
COUNTING_PEER = """#!/usr/bin/python3
import os, signal, sys
with open("starts", "a") as file:
    file.write("%d\\n" % os.getpid())
with open("starts") as file:
    mine = len(file.read().split())
def write_samplers():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                if b"--sample" in file.read().split(b"\\0") and os.readlink("/proc/%s/cwd" % pid) == os.getcwd():
                    with open("samplers", "a") as out:
                        out.write("%d %s\\n" % (mine, pid))
        except OSError:
            pass  # it is gone, or somebody else's

channel = os.fdopen(4, "r+b", buffering=0)
channel.write(b"redhost-peer 1\\npeer counting any\\nready\\n")
n = 0
for line in channel:
    words = line.split()
    if words[0] == b"open":
        n = int(words[4])
        with open("opened", "a") as file:
            file.write("%d %d\\n" % (mine, n))
        channel.write(b"opened host 1\\n")
    elif words[0] == b"take":
        write_samplers()
        if os.environ.get("FAILS_IN") == str(mine):
            sys.exit(9)
        if os.environ.pop("INTERRUPTS_IN", "") == str(mine):  # once: redhost would not wait for a second one
            os.kill(os.getppid(), signal.SIGINT)
        channel.write(b"taken %.17g host %d\\n" % (1e-4 * mine, n))
    else:
        channel.write(b"closed\\n")
"""


class Processes(BenchCase):
    def setUp(self):
        self.write("counting", COUNTING_PEER)
        self.peer = self.path("counting")
        self.write("starts", "")
        self.write("samplers", "")
        self.write("opened", "")
        os.chmod(self.peer, 0o755)

    def starts(self):
        pids = self.read("starts").split()
        self.assertEqual(len(set(pids)), len(pids))
        return len(pids)

    def test_rows(self):
        document = self.results("--data=equal", "-s", "serial", "--peer=" + self.peer, "--processes=3")
        self.assertEqual(document["settings"]["processes"], 3)
        self.assertEqual(self.starts(), 3)
        beside = {}  # the strategy's processes beside each of the peer's
        for line in self.read("samplers").decode().splitlines():
            mine, pid = line.split()
            beside.setdefault(mine, set()).add(pid)
        self.assertEqual(sorted(beside), ["1", "2", "3"])
        self.assertEqual(len(set.union(*beside.values())), sum(map(len, beside.values())))
        rows = document["results"]
        self.assertEqual(sorted((r["strategy"], r["n"]) for r in rows), [(s, n) for s in ("counting", "serial") for n in (1024, 4096)])
        for row in rows:
            self.assertEqual(row["status"], "ok", row)
            time_s = row["time_s"]
            self.assertEqual((len(time_s["processes"]), time_s["rounds"]), (3, []))
            self.assertEqual(time_s["median"], sorted(time_s["processes"])[1])
            self.assertEqual(len(time_s["raw"]), time_s["samples"])
            self.assertLessEqual(time_s["ci95"][0], time_s["median"])
            self.assertLessEqual(time_s["median"], time_s["ci95"][1])
            if row["peer"]:
                for k, median in enumerate(time_s["processes"]):
                    self.assertAlmostEqual(median * 1e4, k + 1)
                # 200 us +- 4.3027 * 100 us / sqrt(3), and no time is negative
                self.assertEqual(time_s["ci95"][0], 0)
                self.assertAlmostEqual(time_s["ci95"][1] * 1e6, 200 + 4.3027 * 100 / 3**0.5, delta=0.1)

    def test_one_process_that_fails(self):
        """It is named, the point fails, and no later process tries it again."""
        document = self.results("--data=equal", "-s", "serial", "--peer=" + self.peer, "--processes=3", code=5, env={"FAILS_IN": "2"})
        # The program's third process takes over within the second turn; the fourth is the third turn's.
        self.assertEqual(self.read("opened").decode().split("\n")[:-1], ["1 1024", "1 4096", "2 1024", "3 4096", "4 4096"])
        for row in document["results"]:
            if row["peer"] and row["n"] == 1024:  # its next point finds a new process
                self.assertEqual((row["status"], row["time_s"]), ("failed", None))
                self.assertRegex(row["reason"], r"^process 2 of 3: .*exit status 9")
            else:
                self.assertEqual((row["status"], len(row["time_s"]["processes"])), ("ok", 3))

    def test_resume(self):
        """What the file has is not measured again; other numbers of processes do not mix."""
        args = ("--data=equal", "-s", "serial", "--peer=" + self.peer, "--resume=r.jsonl")
        self.good("--bench", *FEW, *args, "--processes=2")
        self.assertEqual(self.starts(), 2)
        before = self.read("r.jsonl")
        self.assertEqual(before.count(b'"processes"'), 5)  # settings and 4 rows
        self.good("--bench", *FEW, *args, "--processes=2")
        self.assertEqual(self.read("r.jsonl"), before)
        self.bad(6, "other settings|--processes", "--bench", *FEW, *args, "--processes=3")

    def test_interrupt(self):
        """Points have as many processes as were measured; --resume does not take them for done."""
        document = self.results("--data=equal", "-s", "serial", "--peer=" + self.peer, "--processes=3", "--resume=i.jsonl",
                                code=130, env={"INTERRUPTS_IN": "3"})
        self.assertFalse(document["run"]["complete"])
        rows = [row for row in document["results"] if row["peer"]]
        self.assertEqual([(row["n"], row["status"], len(row["time_s"]["processes"])) for row in rows], [(1024, "ok", 2), (4096, "ok", 2)])
        self.assertEqual(self.read("i.jsonl").count(b"\n"), 1)  # the header

    def test_plan(self):
        typed = ("--bench", "--dry-run", "-s", "serial", "-n", "2^10:2^13", "--processes=5")
        self.assertIn("4 in all, cold, each in 5 processes\n", self.good(*typed).out)
        plan = self.json(*typed)["plan"][0]
        self.assertEqual((plan["total"], plan["processes"]), (4, 5))


class Measuring(BenchCase):
    def test_rows(self):
        for most in ("0.1", "1", "10"):  # a busy machine gets less done
            document = self.results("-s", "serial,cascade,two_stage", "--cache=cold", "--max-time=" + most)
            rows = document["results"]
            if all(r["time_s"] and r["latency_s"] for r in rows):
                break
        self.assertEqual(sorted((r["strategy"], r["n"]) for r in rows),
                         [(s, n) for s in ("cascade", "serial", "two_stage") for n in (1024, 4096)])
        for row in rows:
            self.assertEqual(row["status"], "ok")
            time_s = row["time_s"]
            self.assertGreaterEqual(time_s["samples"], 1)
            self.assertEqual(len(time_s["raw"]), time_s["samples"])
            self.assertLessEqual(time_s["min"], time_s["ci95"][0])
            self.assertLessEqual(time_s["ci95"][0], time_s["median"])
            self.assertLessEqual(time_s["median"], time_s["ci95"][1])
            self.assertGreater(row["latency_s"]["median"], 0)
            self.assertTrue(row["check"]["ok"])
            self.assertAlmostEqual(row["bytes_per_s"], row["bytes"] / time_s["median"], delta=1e-6 * row["bytes_per_s"])
            self.assertEqual("host_timer" in row["flags"], row["finishes_on"] == "host")
        self.assertTrue(document["run"]["complete"])

    def test_segments(self):
        """Each distribution of each length, whose segments are all checked; what is moved is counted once."""
        kinds = ("fixed", "alternate", "uniform", "power", "giant", "sparse", "columns")
        document = self.results("-s", "native,serial,segments", "-n", "4096", "--length", "1,17", "--distribution", "all", "--max-time=0.05")
        rows = document["results"]
        self.assertEqual(len(rows), 3 * 2 * len(kinds))
        for row in rows:
            segments = row["segments"]
            if (row["strategy"], segments["distribution"], segments["length"]) == ("serial", "columns", 17):
                self.assertEqual(row["status"], "unsupported")
                self.assertIn("columns", row["reason"])
                continue
            self.assertEqual((row["status"], row["n"]), ("ok", 4096), row)
            of = {"fixed": 4096 // segments["length"], "alternate": {1: 2731, 17: 235}, "columns": 4096 // segments["length"]}.get(segments["distribution"])
            if of:
                self.assertEqual(segments["count"], of[segments["length"]] if isinstance(of, dict) else of)
            has_offsets = segments["distribution"] not in ("fixed", "columns")
            elements = 4096 if has_offsets else segments["count"] * segments["length"]
            self.assertEqual(row["bytes"], 4 * elements + has_offsets * 8 * (segments["count"] + 1) + 4 * segments["count"])
        self.assertEqual({(r["segments"]["distribution"], r["segments"]["length"]) for r in document["best"]},
                         {(kind, length) for kind in kinds for length in (1, 17)})
        self.bad(2, "--distribution goes with --length", "--bench", "--distribution", "uniform")
        self.bad(2, "unknown distribution 'unform'|uniform", "--bench", "--length", "4", "--distribution", "unform")
        self.bad(2, "--length 0|at least one element", "--bench", "--length", "0,4")
        self.bad(2, "--length 2^20|as many", "--bench", "-n", "2^10", "--length", "2^20")

    def test_segments_of_peers(self):
        """Every result of a peer is compared, also what another peer of its program wrote."""
        cli.write(self.path("peers"), SEGMENT_PEERS)
        os.chmod(self.path("peers"), 0o755)

        def run(*words):
            rows = self.results("-s", "serial", "-n", "64", "--length", "8", "--data", "equal", "--peer", "./peers", "--max-time=.02", *words, code=1)["results"]
            return {r["strategy"]: (r["status"], r["reason"]) for r in rows}
        ends = run()
        self.assertEqual(ends["right"], ("ok", None))
        self.assertEqual(ends["serial"], ("ok", None))
        self.assertRegex(ends["one-off"][1], "segment 3: returned 9, expected 8")
        self.assertRegex(ends["silent"][1], "segment 0: returned 0, expected 8")
        self.assertEqual((ends["one-off"][0], ends["silent"][0], ends["old"][0]), ("wrong", "wrong", "failed"))
        self.assertEqual(run("--op", "argmax")["right"], ("wrong", "segment 0: returned index 8, of 8 elements"))

    def test_segments_in_processes(self):
        """Strategies in processes of their own, with the same results."""
        rows = self.results("-s", "native,cascade", "-n", "1000", "--length", "7", "--distribution", "all", "--op", "sum,mean", "-t", "f32,i8",
                            "--isolate=always", "--max-time=0.02")["results"]
        self.assertEqual(len(rows), 2 * 7 * 4)
        for row in rows:
            wanted = "unsupported" if row["strategy"] == "cascade" and row["segments"]["distribution"] == "columns" else "ok"
            self.assertEqual(row["status"], wanted, row)

    def test_segments_of_a_map(self):
        """In this process, where the operands of each copy are bound for each sample."""
        rows = self.results("-s", "native,segments", "--map", "x*y", "-n", "1000", "--length", "7", "--max-time=0.02")["results"]
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"], rows)

    def test_segments_of_the_same_seed(self):
        """The same layout in each process and each run: so results of a file can be compared, and taken up again."""
        typed = ("-s", "native", "-n", "4096", "--length", "4:64:x4", "--distribution", "power", "--quick", "--max-time=0.02")
        self.good("--bench", *typed, "--resume=r.jsonl", "-f", "csv")
        first = self.read("r.jsonl")
        done = self.good("--bench", *typed, "--resume=r.jsonl", "-f", "csv")
        self.assertEqual(self.read("r.jsonl"), first)  # nothing was measured again
        rows = list(csv.DictReader(io.StringIO(done.out)))
        self.assertEqual([(r["segments_distribution"], r["segments_length"]) for r in rows], [("power", "4"), ("power", "16"), ("power", "64")])
        self.good("--bench", *typed, "--export=a.json")
        self.good("--bench", *typed, "--export=b.json")
        done = self.redhost("--compare", "a.json", "b.json")
        self.assertEqual(done.out.count("2^12 / 16 power"), 1, done)
        done = self.redhost("--plot=a.json")
        if "matplotlib" not in done.err:
            self.assertIn("sum of segments (power), n = 2^12, f32", done.out)
            self.assertIn("elements of a segment", done.out)

    def test_parts_of_a_call(self):
        """Each command of one call, without the headline."""
        row = self.results("-s", "two_stage")["results"][0]
        self.assertEqual([part["stage"] for part in row["parts"]], ["chunks", "finish", "read-back"])
        self.assertGreater(sum(part["seconds"] for part in row["parts"]), 0)
        self.assertGreaterEqual(row["host_share_s"], 0)

    def test_calibration(self):
        calibration = self.json("--bench", *FEW, "-s", "serial", env={"REDHOST_OPENCL": "libOpenCL.so.1"})["calibration"][0]
        for key in ("timer_step_s", "launch_s", "empty_kernel_s", "read_peak_Bps", "h2d_Bps", "d2h_Bps"):
            self.assertGreater(calibration[key], 0, key)
        self.assertGreaterEqual(calibration["cold_footprint_bytes"], 1 << 28)

    def test_axes(self):
        rows = self.results("-s", "serial", "--op", "sum,argmin,xor", "-t", "f32,u8")["results"]
        self.assertEqual(sorted({(r["op"], r["type"]) for r in rows}),
                         [("argmin", "f32"), ("argmin", "u8"), ("sum", "f32"), ("sum", "u8"), ("xor", "u8")])
        names = {r["strategy"] for r in self.results("-s", "tiled*,!tiled_2")["results"]}
        self.assertEqual(names, {"tiled_1", "tiled_3", "tiled_4"})

    def test_all_that_can_run(self):
        """Strategies that cannot run here are left out, unless they were named."""
        done = self.good("--bench", "-n", "1024", "--once", "-f", "csv", quiet=False)
        self.assertNotIn("unsupported", done.out)
        rows = self.results("-s", "builtin,serial")["results"]
        if "builtin" not in [r["strategy"] for r in csv.DictReader(io.StringIO(done.out))]:
            self.assertEqual({r["status"] for r in rows if r["strategy"] == "builtin"}, {"unsupported"})

    def test_hot_and_host_timer(self):
        document = self.results("-s", "two_stage", "--cache=hot", "--timer=host")
        self.assertEqual(document["settings"]["cache"], "hot")
        for row in document["results"]:
            self.assertIn("host_timer", row["flags"])

    def test_once(self):
        for row in self.results("-s", "serial,cascade", "--once")["results"]:
            self.assertEqual((row["status"], row["time_s"], row["latency_s"]["samples"]), ("ok", None, 1))

    def test_bits_on_several_devices(self):
        """One line for each strategy, operator and type: with one size, the bits themselves."""
        two = {"POCL_DEVICES": "basic pthread"}
        names = [device["name"] for device in self.json("--devices", env=two)["devices"]]
        varies = os.path.join(os.path.dirname(cli.ZOO), "promises", "promises.so")
        if len(names) != 2 or len(set(names)) != 2:
            self.skipTest("PoCL does not show two devices here")

        def bits(*args, env):
            done = self.good("--bench", "--once", "-n", "2^16", "-d", "all", *args, env=env, quiet=False)
            return [line for line in done.out.splitlines() if line.startswith("bits")]
        (line,) = bits("-s", "onepass", env=two)
        self.assertRegex(line, r"^bits: onepass, sum f32: equal on 2 devices \(0x[0-9a-f]{8}\)$")
        self.assertEqual(bits("-s", "onepass", "-t", "f64,i32", "-n", "1000,2000", env=two),
                         ["bits: onepass, sum %s: equal on 2 devices at 2 sizes" % kind for kind in ("f64", "i32")])
        self.assertEqual(bits("-s", "onepass", env={"POCL_DEVICES": "pthread"}), [])
        if os.path.exists(varies):
            (line,) = bits("-s", "varies_with_device", "--plugin", varies, "--data", "loguniform", env=two)
            self.assertRegex(line, r"^bits: varies_with_device, sum f32: differ at n = 2\^16: 0x[0-9a-f]{8} on 0:0, 0x[0-9a-f]{8} on 0:1$")

    def test_isolated(self):
        here, apart = (self.results("-s", "cascade,serial", "--isolate=" + when)["results"] for when in ("never", "always"))
        for a, b in zip(here, apart):
            for key in ("strategy", "n", "status", "params", "passes", "finishes_on", "reproducible", "check"):
                self.assertEqual(a[key], b[key], key)
        self.assertEqual([p["stage"] for p in here[0]["parts"]], [p["stage"] for p in apart[0]["parts"]])

    def test_params(self):
        row = self.results("-s", "cascade", "-p", "tile=64")["results"][0]
        self.assertEqual((row["params"]["tile"], row["params_from"]), (64, "user"))

    def test_without_a_driver(self):
        """Host strategies do not need a device."""
        self.assertEqual(self.results("--once", "-s", "serial", env=cli.NO_PLATFORM)["results"][0]["device"], "host")


class Trouble(BenchCase):
    def test_wrong_answers_have_no_time(self):
        wrong = os.environ.get("REDHOST_TEST_WRONG", "")
        plugin = os.path.join(wrong, "tail_twice.so")
        if not os.path.exists(plugin):
            self.skipTest("no zoo: REDHOST_TEST_WRONG")
        done = self.redhost("--bench", "-n", "1000:1003:+1", "--quick", "--max-time=0.1", "--plugin", plugin,
                            "-s", "tail_twice,serial", "--json")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.err, r"\Aredhost: \d+ of 8 points have a wrong result\.\n\Z")
        rows = [r for r in json.loads(done.out)["results"] if r["strategy"] == "tail_twice"]
        bad = [r for r in rows if r["status"] == "wrong"]
        self.assertTrue(bad)
        for row in bad:
            self.assertIsNone(row["time_s"])
            self.assertRegex(row["reason"], r"returned \S+, expected \S+")

    @cli.needs(FAULTS)
    def test_crash_and_hang_end_their_points_only(self):
        rows = self.results("--plugin", FAULTS, "-s", "worker_crash_in_run,worker_hang_in_run,serial", "--timeout=5", code=5)["results"]
        for name, words in (("worker_crash_in_run", "crashed in run (signal 11)"), ("worker_hang_in_run", "did not answer within 5 s")):
            mine = [r for r in rows if r["strategy"] == name]
            self.assertEqual({r["status"] for r in mine}, {"failed"}, mine)
            self.assertIn(words, mine[0]["reason"])
            self.assertIn(FAULTS, mine[0]["reason"])
        self.assertEqual({r["status"] for r in rows if r["strategy"] == "serial"}, {"ok"})

    def test_bad_input(self):
        for words, args in (
                ("--processes '0'|from 1 to 32", ("--processes=0",)),
                ("--processes '33'|from 1 to 32", ("--processes=33",)),
                ("--processes '2x'", ("--processes=2x",)),
                ("--processes and --isolate=never are mutually exclusive", ("--processes=2", "--isolate=never")),
                ("--processes and --once are mutually exclusive", ("--processes=2", "--once")),
                ("unknown strategy|cascade", ("-s", "cascde")),
                ("--size '2^10..2^12'|A:B", ("-n", "2^10..2^12")),
                ("--cache 'warm'|cold or hot", ("--cache=warm",)),
                ("--timer 'sun'", ("--timer=sun",)),
                ("--format 'xml'", ("-f", "xml")),
                ("--precision", ("--precision=0",)),
                ("--samples", ("--samples=x",)),
                ("--quick and --thorough", ("--quick", "--thorough")),
                ("parameter 'nonsense'", ("-s", "serial", "-p", "nonsense=1")),
                ("--export 'r.txt'", ("--export=r.txt",)),
                ("--resume r.json", ("--resume=r.json",)),
                ("xor is not defined for f32", ("--op", "xor")),
                ("min of an empty array", ("--op", "min", "-n", "0,4"))):
            self.bad(2, words, "--bench", *args)
        self.bad(3, "--size|GiB", "--bench", "-s", "serial", "-n", "2^40")
        self.bad(6, "/proc/nonexistent/r.json", "--bench", "-s", "serial", "--export=/proc/nonexistent/r.json")
        self.bad(6, "/proc/nonexistent/r.csv", "--bench", "-s", "serial", "-o", "/proc/nonexistent/r.csv")
        self.bad(6, "/proc/nonexistent/peer", "--bench", "-s", "serial", "--peer=/proc/nonexistent/peer")
        self.bad(2, "cannot be used with --run", "--run", "serial", "--precision=1")

    def test_lists_of_operators(self):
        """Those that come with redhost beside those that are built in, each once, in this process and in others."""
        for how in ((), ("--isolate=always",), ("--processes=2",)):
            results = self.results("-s", "native,serial", "-n", "1000", "--op", "norm2,sum,dot,norm2,sum", "-t", "f32,i32", "--max-time=0.02", *how)["results"]
            wanted = {(s, op, t) for s in ("native", "serial") for op in ("norm2", "sum", "dot") for t in ("f32", "i32")}
            self.assertEqual(sorted((r["strategy"], r["op"], r["type"]) for r in results), sorted(wanted))
            self.assertEqual({r["status"] for r in results}, {"ok"})
            self.assertEqual({r["own_op"] for r in results if r["op"] == "sum"}, {False})
        plan = self.json("--bench", "--dry-run", "--op", "norm2,xor", "-t", "f32,i32", "-n", "1000")["plan"][0]
        self.assertEqual([point["ops"] for point in plan["points"]], [["norm2"], ["norm2", "xor"]])
        self.bad(2, "unknown operator 'nix'", "--bench", "--op", "norm2,nix", "-n", "1000")
        self.bad(2, "--peer|built-in operators", "--bench", "--op", "sum,norm2", "-n", "1000", "--peer=x")

    def test_dry_run(self):
        done = self.good("--bench", "--dry-run", "-s", "serial,cascade", "-n", "2^10:2^13", "--export=never.json")
        self.assertRegex(done.out, r"strategies  cascade serial\n")
        self.assertIn("8 in all", done.out)
        self.assertFalse(os.path.exists(self.path("never.json")))

    def test_dry_run_in_json(self):
        """Either option prints a document and no text."""
        for how in ("--json", "--format=json"):
            document = json.loads(self.good("--bench", "--dry-run", "-s", "serial,cascade", "-n", "2^10:2^13", "--op", "sum,max", "-t", "i8,f32", how).out)
            (device,), (plan,) = document["devices"], document["plan"]
            self.assertEqual((document["schema"], plan["device"], plan["strategies"]), ("redhost/1", device["id"], ["cascade", "serial"]))
            self.assertEqual([(points["type"], points["ops"]) for points in plan["points"]], [("i8", ["sum", "max"]), ("f32", ["sum", "max"])])
            self.assertEqual(plan["points"][0]["n"], [1024, 2048, 4096, 8192])
            self.assertEqual((plan["total"], plan["cache"]), (32, "cold"))
            self.assertGreater(plan["host_bytes"] + plan["device_bytes"], 0)
            self.assertLess(plan["least_s"], plan["most_s"])

    def test_strict(self):
        done = self.redhost("--bench", "-s", "cascade", "-n", "1024", "--max-time=0.0001", "--strict", "-q")
        self.assertEqual(done.code, 7, done)
        self.assertRegex(done.err, r"\Aredhost: 1 of 1 points are noisy, throttled or out of time\.\n\Z")

    def test_interrupt_writes_what_is_there(self):
        process = self.start("--bench", "-s", "serial", "-n", "2^10:2^20", "--thorough", "--precision=0.0001", "--max-time=0.2", "--json", "--resume=cut.jsonl")
        self.wait_until(lambda: os.path.exists(self.path("cut.jsonl")) and self.read("cut.jsonl").count(b"\n") >= 2)
        document = json.loads(self.interrupted(process)[0])
        self.assertFalse(document["run"]["complete"])
        self.assertTrue(document["results"])


class Output(BenchCase):
    def test_formats(self):
        self.assertIn("STRATEGY", self.bench("-s", "serial").out)
        self.assertIn("| serial |", self.bench("-s", "serial", "-f", "markdown").out.replace("  ", " "))
        rows = list(csv.DictReader(io.StringIO(self.bench("-s", "serial", "-f", "csv").out)))
        self.assertEqual([r["n"] for r in rows], ["1024", "4096"])
        lines = [json.loads(line) for line in self.bench("-s", "serial", "-f", "jsonl").out.splitlines()]
        self.assertEqual((lines[0]["schema"], [line["n"] for line in lines[1:]]), ("redhost/1", [1024, 4096]))
        self.assertEqual(self.bench("-s", "serial", "-q").out, "serial\nserial\n")
        said = self.bench("-s", "two_stage", "-v").out
        self.assertRegex(said, r"two_stage: build \S+ [num]s( \(cached\))?, chunks \S+ [nu]s, finish \S+ [nu]s, read-back \S+ [nu]s, the host's share")
        self.assertRegex(said, r"\n\d:\d: reads \S+ GB/s, copies \S+ GB/s up and \S+ down; a launch costs \S+ [nu]s, an empty kernel \S+ [nu]s; "
                               r"the event clock steps \S+ ns\n")

    def test_files(self):
        done = self.bench("-s", "serial", "-o", "r.md", "-f", "markdown", "--export=r.json", "--export=r.csv")
        self.assertEqual((done.code, done.out), (0, ""), done)
        self.assertIn("serial", self.read("r.md").decode())
        self.assertEqual(len(json.loads(self.read("r.json"))["results"]), 2)
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.read("r.csv").decode())))), 2)
        self.assertEqual(self.redhost("--compare", "r.json", "r.json").code, 0)

    def test_a_full_disk_takes_nothing_from_the_others(self):
        os.symlink("/dev/full", self.path("full.csv"))
        done = self.bench("-s", "serial", "--export=full.csv", "--export=kept.json")
        self.assertEqual(done.code, 6, done)
        self.assertRegex(done.err, r"full\.csv: No space left on device")
        self.assertIn("STRATEGY", done.out)
        self.assertEqual(len(json.loads(self.read("kept.json"))["results"]), 2)

    def test_resume(self):
        again = ("--quick", "--max-time=0.1", "--resume=r.jsonl", "-f", "csv")
        self.good("--bench", "-s", "serial", "-n", "2^10", *again)
        size = os.path.getsize(self.path("r.jsonl"))
        with open(self.path("r.jsonl"), "ab") as file:
            file.write(b'{"strategy": "ser')  # as a killed run leaves it
        done = self.good("--bench", "-s", "serial,two_stage", "-n", "2^10:2^11", *again)
        self.assertEqual([(r["strategy"], r["n"]) for r in csv.DictReader(io.StringIO(done.out))],
                         [("serial", "1024"), ("two_stage", "1024"), ("serial", "2048"), ("two_stage", "2048")])
        lines = self.read("r.jsonl")
        self.assertEqual(len(lines[:size].splitlines()), 2)
        self.assertEqual(len(lines.splitlines()), 5)
        before = lines
        self.good("--bench", "-s", "serial,two_stage", "-n", "2^10:2^11", *again)
        self.assertEqual(self.read("r.jsonl"), before)  # nothing was left to measure
        self.bad(6, "--resume r.jsonl|other settings", "--bench", "-s", "serial", "-n", "2^10", "--resume=r.jsonl", "--cache=hot")
        other = before.replace(b'"version": "', b'"version": "9', 1) if b'"version": "' in before else before.replace(b'"version":"', b'"version":"9', 1)
        self.write("other.jsonl", other)
        self.bad(6, "--resume other.jsonl|it was measured by redhost", "--bench", "-s", "serial", "-n", "2^10", "--quick",
                 "--max-time=0.1", "--resume=other.jsonl")
        document = json.loads(before.splitlines()[0])
        document["devices"][0]["key"] = "another device"
        self.write("device.jsonl", json.dumps(document) + "\n")
        self.bad(6, "--resume device.jsonl|another device", "--bench", "-s", "serial", "-n", "2^10", "--quick",
                 "--max-time=0.1", "--resume=device.jsonl")
