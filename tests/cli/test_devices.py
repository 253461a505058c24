"""--run on several devices: the same bits for every list of devices, every chunk and every split, and what becomes of devices that fail.

PoCL gives as many devices as it is asked for: two with one thread each, and one with all."""

import array
import json
import os
import random
import re
import signal
import subprocess
import time

import redhost_cli as cli

DEVICES = {"POCL_DEVICES": "basic basic pthread"}
WAYS = (("0:0,0:1", "4KiB"), ("0:2,0:1", "64KiB"), ("cpu:all", "16KiB"))
TIMES = int(os.environ.get("REDHOST_TEST_FAULTS", "3"))  # how often each fault is tried
LIMIT = 10  # seconds, for a fault to be reported
FAULTS = os.environ.get("REDHOST_TEST_FAULT_LIBRARY", "")
VISIBLE = os.environ.get("REDHOST_TEST_VISIBLE_LIBRARY", "")
OWN_MEMORY = os.path.join(cli.DRIVERS, "failing_memory.so")
LISTS = ("0:0,0:1", "0:2,0:1", "all")


class Devices(cli.Case):
    caches = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env = {**cls.env, **DEVICES}
        cls.n = 300007
        rng = random.Random(5)
        values = [rng.choice((-1, 1)) * (1 + rng.random()) * 2.0 ** rng.randrange(-12, 13) for _ in range(cls.n)]
        factors = [rng.choice((-1, 1)) * (1 + (rng.random() - 0.5) / 16) for _ in range(cls.n)]
        for name, numbers in (("x.f32", values), ("y.f32", factors)):
            with open(os.path.join(cls.cwd, name), "wb") as file:
                array.array("f", numbers).tofile(file)

    def fault(self, what, k, times=1):
        return {"LD_PRELOAD": FAULTS, "REDHOST_FAULT": "%s:%d:%d" % (what, k, times), "REDHOST_FAULT_IN": "-"}

    def write_late(self):
        self.write("late.cl", "rh_value rh_load(rh_x x, ulong i) { rh_value v; v.s = i >= 70000 ? 1 : 0; v.at = i; return v; }\n"
                              "rh_value rh_identity(void) { rh_value v; v.s = 0; v.at = 0; return v; }\n"
                              "rh_value rh_combine(rh_value a, rh_value b) { rh_value v; v.s = a.s + b.s; v.at = max(a.at, b.at); return v; }\n")
        self.write("late.op.json", json.dumps({
            "redhost": "operator/1", "name": "late", "summary": "how many come late", "operands": ["x"],
            "value": {"s": "u64", "at": "u64"}, "code": "late.cl", "claims": ["associative", "commutative"]}))

    def run_on(self, devices, *args, strategy="onepass", chunk="16KiB", **how):
        return self.good("--run", strategy, "-i", "x.f32", "-t", "f32", "-d", devices, "--stream=" + chunk, *args, quiet=False, **how)


class Bits(Devices):
    def same(self, *args, name="x.f32"):
        want = self.good("--run", "native", "-i", name, "-t", "f32", "-q", *args, quiet=False).out
        for devices, chunk in WAYS:
            done = self.good("--run", "onepass", "-i", name, "-t", "f32", "-q", "-d", devices, "--stream=" + chunk, *args, quiet=False)
            self.assertEqual(done.out, want, (args, devices, chunk))

    def test_operators(self):
        for op in ("sum", "min", "argmax", "asum"):
            self.same("--op", op)
        self.same("--op", "prod", name="y.f32")

    def test_a_users_own(self):
        self.same("--op", "meanvar")
        self.same("--map", "x * i", "--op", "sum")
        self.same("--op", "min,max,sum")

    def test_in_opencl_c(self):
        """What is evaluated for the check is so by one device, for all."""
        self.write_late()
        self.assertEqual(self.run_on("all", "--op", "./late.op.json", "-q").out, "%d\n%d\n" % (self.n - 70000, self.n - 1))

    def test_a_pipe(self):
        with open(self.path("x.f32"), "rb") as file:
            data = file.read()
        want = self.good("--run", "native", "-i", "x.f32", "-t", "f32", "-q", quiet=False).out
        for devices, _ in WAYS:
            done = self.redhost("--run", "onepass", "-i", "-", "-t", "f32", "-q", "-d", devices, "--stream=4KiB", input=data)
            self.assertEqual((done.code, done.out), (0, want), (devices, done))

    def test_generated(self):
        want = self.good("--run", "native", "-n", "1000003", "-q", quiet=False).out
        for devices, chunk in WAYS:
            self.assertEqual(self.good("--run", "onepass", "-n", "1000003", "-q", "-d", devices, "--stream=" + chunk, quiet=False).out, want)

    def test_few_elements(self):
        for n in (1, 511, 513, 5000):
            want = self.good("--run", "native", "-n", str(n), "-q", quiet=False).out
            self.assertEqual(self.good("--run", "onepass", "-n", str(n), "-q", "-d", "all", "--stream=2KiB", quiet=False).out, want, n)
        self.assertEqual(self.good("--run", "onepass", "-n", "0", "-q", "-d", "all", "--stream", quiet=False).out, "0\n")

    def test_checks(self):
        for how, words in (("full", r"(?m)^check +exact .* ok$"), ("sampled", r"(?m)^check +\d+ of 74 chunks .* ok$"), ("none", "skipped")):
            self.assertRegex(self.run_on("all", "--check=" + how).out, words)


class Sharing(Devices):
    def test_each_has_chunks(self):
        """What each did is said, and adds up."""
        out = self.run_on("all", chunk="2KiB").out
        self.assertIn("on 3 devices", out)
        shares = re.findall(r"(?m)^device +(0:[012]) .* onepass, (\d+) of (\d+) chunks$", out)
        self.assertEqual([label for label, _, _ in shares], ["0:0", "0:1", "0:2"])
        self.assertEqual(sum(int(chunks) for _, chunks, _ in shares), 586)
        self.assertGreater(min(int(chunks) for _, chunks, _ in shares), 0, out)

    def test_json(self):
        document = self.json("--run", "onepass", "-i", "x.f32", "-t", "f32", "-d", "0:2,0:0", "--stream=2KiB")
        stream = document["results"][0]["stream"]
        self.assertEqual([(one["device"], one["strategy"], one["failure"]) for one in stream["devices"]],
                         [("0:2", "onepass", None), ("0:0", "onepass", None)])
        self.assertEqual(sum(one["elements"] for one in stream["devices"]), self.n)
        self.assertEqual([device["id"] for device in document["devices"]], ["0:2", "0:0"])

    def test_a_strategy_of_the_host(self):
        """It runs once, however many devices are named."""
        done = self.good("--run", "native", "-i", "x.f32", "-t", "f32", "-d", "all", quiet=False)
        self.assertIn("on the host", done.out)
        self.assertEqual(done.err.count("is left out: its strategy runs on the host"), 2, done)

    def test_a_list_of_one(self):
        out = self.good("--run", "onepass", "-i", "x.f32", "-t", "f32", "-d", "0:1,0:1", quiet=False).out
        self.assertIn("on 0:1 ", out)
        self.assertNotIn("\nstream ", out)

    def test_lists(self):
        args = ("--run", "onepass", "-n", "5", "-d")
        self.bad(2, "expected gpu:all, cpu:all or accelerator:all", *args, "tpu:all")
        self.bad(3, "'gpu:all'|no device is of this kind", *args, "gpu:all")
        self.bad(3, "no device matches '0:9'", *args, "0:0,0:9")
        self.bad(2, "before or after a comma", *args, "0:0,")
        self.bad(2, "one device is needed", "--info=onepass", "-d", "cpu:all")


@cli.needs(FAULTS)
class Faults(Devices):
    def test_one_device_fails(self):
        """The others take its chunks, wherever it fails, and the bits stay."""
        want = json.loads(self.run_on("0:0", "--json").out)["results"][0]["value"]
        failed = r"\Aredhost: device 0:\d (failed, and the others took its chunks|is left out): .*CL_OUT_OF_RESOURCES.*\n\Z"
        for what in ("clEnqueueNDRangeKernel", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clEnqueueReadBuffer", "clWaitForEvents"):
            for _ in range(TIMES):
                done = self.run_on("all", "--json", env=self.fault(what, random.randrange(30, 60)))
                self.assertRegex(done.err, failed)
                self.assertLess(done.seconds, LIMIT)
                (result,) = json.loads(done.out)["results"]
                self.assertEqual(result["value"], want)
                failures = [one["failure"] for one in result["stream"]["devices"] if one["failure"]]
                self.assertEqual(len(failures), 1)
                self.assertIn("CL_OUT_OF_RESOURCES", failures[0])

    def test_all_fail(self):
        for _ in range(TIMES):
            done = self.bad(5, "CL_OUT_OF_RESOURCES", "--run", "onepass", "-i", "x.f32", "-t", "f32", "-d", "all", "--stream=16KiB", "-q",
                            env=self.fault("clEnqueueNDRangeKernel", 20, 0))
            self.assertLess(done.seconds, LIMIT)

    def test_one_cannot_be_opened(self):
        for k in (1, 2, 3):
            done = self.run_on("all", env=self.fault("clCreateContext", k))
            self.assertRegex(done.err, r"\Aredhost: device 0:%d is left out: .*\n\Z" % (k - 1))
            self.assertIn("on 2 devices", done.out)
        self.bad(3, "creating an OpenCL context", "--run", "onepass", "-i", "x.f32", "-t", "f32", "-d", "all", env=self.fault("clCreateContext", 1, 0))

    def test_a_pipe_is_not_read_twice(self):
        with open(self.path("x.f32"), "rb") as file:
            data = file.read()
        self.bad(5, "CL_OUT_OF_RESOURCES", "--run", "onepass", "-i", "-", "-t", "f32", "-d", "all", "--stream=4KiB", "-q", input=data,
                 env=self.fault("clEnqueueNDRangeKernel", 30))

    def test_a_device_fails_while_a_pipe_stalls(self):
        """Nothing waits for data that may never come."""
        for _ in range(TIMES):
            start = time.monotonic()
            with subprocess.Popen([cli.REDHOST, "--run", "onepass", "-i", "-", "-t", "f32", "-d", "all", "--stream=4KiB", "-q"], cwd=self.cwd,
                                  env={**self.env, **self.fault("clEnqueueNDRangeKernel", random.randrange(25, 40))}, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                child.stdin.write(b"\0" * 400000)
                child.stdin.flush()
                child.wait(timeout=60)
                self.assertEqual((child.returncode, child.stdout.read()), (5, b""))
                self.assertRegex(child.stderr.read().decode(), r"\Aredhost: .*CL_OUT_OF_RESOURCES.*\n\Z")
            self.assertLess(time.monotonic() - start, LIMIT + 20)  # a cold kernel is compiled first

    @cli.needs(os.path.join(cli.DRIVERS, "failing_pread.so"))
    def test_a_read_error_ends_all(self):
        env = {**cli.preloaded("failing_pread.so"), "REDHOST_TEST_PREAD_OF": ".f32", "REDHOST_TEST_PREAD_AT": "600000"}
        done = self.bad(6, "x.f32: cannot be read", "--run", "onepass", "-i", "x.f32", "-t", "f32", "-d", "all", "--stream=8KiB", "-q", env=env)
        self.assertLess(done.seconds, LIMIT)

    def test_an_interrupt_while_a_pipe_stalls(self):
        for _ in range(TIMES):
            with subprocess.Popen([cli.REDHOST, "--run", "onepass", "-i", "-", "-t", "f32", "-q", "--stream=4KiB", "-d", "all"], cwd=self.cwd,
                                  env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                child.stdin.write(b"\0" * 40000)
                child.stdin.flush()
                time.sleep(1)
                child.send_signal(signal.SIGINT)
                child.wait(timeout=LIMIT)
                self.assertEqual(child.returncode, 130)

    def test_wrong_results_are_found(self):
        plugin = os.path.join(os.environ["REDHOST_TEST_WRONG"], "drops_last.so")
        self.bad(1, "wrong result", "--run", "drops_last", "--plugin", plugin, "--isolate=never", "-i", "x.f32", "-t", "f32", "--stream=16KiB",
                 "-d", "all", "-q")


class Split(Devices):
    """Generated data are split once, and stay on the devices."""

    def split(self, *args, devices="all", **how):
        return self.good("--run", "onepass", "-d", devices, *args, quiet=False, **how)

    def same(self, *args, lists=LISTS, **how):
        want = self.good("--run", "native", "-q", *args, quiet=False).out
        for devices in lists:
            self.assertEqual(self.split("-q", *args, devices=devices, **how).out, want, (args, devices))

    def test_operators(self):
        for op in ("sum", "argmin", "asum", "max"):
            self.same("--op", op, "-n", "1000003")
        self.same("--op", "prod", "--data", "swing", "-n", "300007")
        self.same("--op", "sum", "-t", "f64", "-n", "300007", lists=("all",))
        self.same("--op", "xor", "-t", "u64", "-n", "300007", lists=("all",))

    def test_maps(self):
        """i and n are those of the whole, and each operand has its own place on each device."""
        self.same("--map", "i*2 < n ? x*x : -x/3", "--op", "sum", "-n", "1000003")
        self.same("--map", "x*y", "--op", "sum", "-n", "300007")
        self.same("--map", "x*(i+1)", "--op", "argmax", "-n", "300007")
        self.same("--op", "meanvar", "-n", "300007")
        self.same("--op", "min,max,sum", "-n", "300007", lists=("all",))

    def test_counts(self):
        """Fewer elements than a tile has, fewer tiles than devices, and any remainder."""
        for n in (0, 1, 511, 513, 1024, 1537, 5000, 2 ** 20 + 1):
            self.same("-n", str(n))
            if n:
                self.same("-n", str(n), "--op", "argmax", lists=("all",))
        self.bad(2, "max of an empty array", "--run", "onepass", "-n", "0", "--op", "max", "-d", "all")

    def test_in_opencl_c(self):
        self.write_late()
        self.assertEqual(self.split("-q", "-n", "300007", "--op", "./late.op.json").out, "%d\n%d\n" % (300007 - 70000, 300007 - 1))

    def test_rounded_once(self):
        for op in ("sum", "asum"):
            self.same("-n", "300007", "--op", op, "--accuracy", "exact", lists=("all",))

    @cli.needs(OWN_MEMORY)
    def test_memory_of_the_devices_own(self):
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_OWN_MEMORY": "1"}
        self.same("-n", "1000003", env=env)
        self.same("-n", "300007", "--map", "x*y + i", "--op", "sum", env=env)
        self.same("-n", "0", lists=("all",), env=env)

    @cli.needs(VISIBLE)
    def test_a_value_that_arrives(self):
        """Without a command that reads it, from a device with a single node."""
        env = {"LD_PRELOAD": VISIBLE, "REDHOST_TEST_VISIBLE": "early"}
        for n in ("2^16", "300007"):
            self.same("-n", n, lists=("0:0,0:1", "all"), env=env)
            out = self.split("-n", n, devices="0:0,0:1", env=env).out  # called again and again
            self.assertRegex(out, r"(?m)^latency ")

    def test_strategies_that_finish_on_the_host(self):
        for n in ("2^16", "300007"):
            args = ("-n", n, "--op", "argmin")
            want = self.good("--run", "native", *args, "-q", quiet=False).out
            self.assertEqual(self.good("--run", "cascade", "-p", "finish=host", "-d", "all", *args, "-q", quiet=False).out, want)
            out = self.good("--run", "cascade", "-p", "finish=host", "-d", "all", *args, quiet=False).out
            self.assertRegex(out, r"(?m)^time .* finishes on the host, ")

    def test_one_of_another_order(self):
        """It gives what it gives for its parts, and that is checked."""
        out = self.good("--run", "cascade", "-n", "300007", "-d", "all", quiet=False).out
        self.assertRegex(out, r"(?m)^check +exact .* ok$")

    def test_report(self):
        out = self.split("-n", "2^20").out
        self.assertIn("on 3 devices\n", out)
        shares = re.findall(r"(?m)^device +(0:[012]) .* onepass, (\d+) of 1048576 elements$", out)
        self.assertEqual([label for label, _ in shares], ["0:0", "0:1", "0:2"])
        self.assertEqual(sum(int(n) for _, n in shares), 2 ** 20)
        for n in (int(n) for _, n in shares):
            self.assertLess(abs(n - 2 ** 20 / 3), 2 ** 20 / 3 / 32, shares)
        for line in (r"check +exact .* ok", r"time +.* Gelem/s .* GB/s", r"latency +.* one call, result on the host", "setup +.* elements were there"):
            self.assertRegex(out, "(?m)^" + line)
        self.assertNotIn("\nstream ", out)
        even = self.split("-n", "2^20", devices="0:0,0:1").out
        self.assertEqual(re.findall(r"onepass, (\d+) of", even), [str(2 ** 19)] * 2)
        self.assertRegex(self.split("-n", "5000", "--check=none").out, r"(?m)^check +skipped")
        few = self.split("-n", "600").out
        self.assertIn("on 2 devices\n", few)
        self.assertEqual(few.count(" 0 of 600 elements"), 1)

    def test_json(self):
        document = self.json("--run", "onepass", "-n", "2^16", "-d", "0:1,0:0")
        (result,) = document["results"]
        self.assertEqual([(one["device"], one["strategy"], one["elements"], one["failure"]) for one in result["resident"]["devices"]],
                         [("0:1", "onepass", 2 ** 15, None), ("0:0", "onepass", 2 ** 15, None)])
        self.assertEqual([device["id"] for device in document["devices"]], ["0:1", "0:0"])
        self.assertEqual((result["check"]["ok"], result["n"], "stream" in result), (True, 2 ** 16, False))
        for key in ("time_s", "latency_s"):
            self.assertGreater(result[key]["median"], 0)

    @cli.needs(OWN_MEMORY)
    def test_shares_by_speed(self):
        """Devices that differ are measured, and equal ones get equal shares."""
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_SLOW_DEVICE": "pthread"}
        (result,) = self.json("--run", "onepass", "-n", str(3 * 2 ** 22), "-d", "all", env=env)["results"]
        first, second, slow = (one["elements"] for one in result["resident"]["devices"])
        self.assertEqual(first + second + slow, 3 * 2 ** 22)
        self.assertLess(abs(first - second), first / 32)
        self.assertTrue(0 < slow < first / 3, (first, second, slow))

    def test_what_is_streamed(self):
        self.assertIn("\nstream ", self.split("-n", "2^16", "--stream").out)
        self.assertIn("\nstream ", self.split("-i", "x.f32", "-t", "f32").out)

    def test_a_strategy_of_the_host(self):
        done = self.good("--run", "native", "-n", "300007", "-d", "all", quiet=False)
        self.assertIn("on the host\n", done.out)
        self.assertEqual(done.err.count("is left out: its strategy runs on the host"), 2, done)

    def test_one_of_a_process_of_its_own(self):
        self.bad(4, "runs in a process of its own", "--run", "onepass", "-n", "5000", "-d", "all", "--isolate=always")

    @cli.needs(OWN_MEMORY)
    def test_data_that_fit_nowhere(self):
        """They are streamed."""
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_OWN_MEMORY": "1", "REDHOST_TEST_FAILING_CALL": "clCreateBuffer",
               "REDHOST_TEST_FAILING_BYTES": str(17 << 20)}
        for n, word in ((2 ** 23, "resident"), (2 ** 25, "stream")):  # 11 MiB on each device, or 43; a chunk has 16
            done = self.split("-n", str(n), "--json", env=env)
            (result,) = json.loads(done.out)["results"]
            self.assertIn(word, result)
            self.assertEqual(result["value"], self.good("--run", "native", "-n", str(n), "-q", quiet=False).out.strip())


@cli.needs(FAULTS)
class SplitFaults(Devices):
    def run_it(self, *args, **how):
        return self.good("--run", "onepass", "-n", "300007", "-d", "all", *args, quiet=False, **how)

    def test_one_device_fails(self):
        """The others take its part, wherever it fails, and the bits stay."""
        want = json.loads(self.run_it("--json").out)["results"][0]["value"]
        failed = r"\Aredhost: device 0:\d (failed, and the others took its part|is left out): .*(CL_OUT_OF_RESOURCES|not enough memory).*\n\Z"
        for k in range(1, 18):  # the last ones are the first call's
            done = self.run_it("--json", env=self.fault("clEnqueueNDRangeKernel", k))
            self.assertRegex(done.err, failed, k)
            (result,) = json.loads(done.out)["results"]
            self.assertEqual(result["value"], want)
            devices = result["resident"]["devices"]
            self.assertEqual([bool(one["failure"]) for one in devices], [one["elements"] == 0 for one in devices])
            self.assertEqual(sum(one["elements"] for one in devices), 300007)

    @cli.needs(OWN_MEMORY)
    def test_a_copy_fails(self):
        own = {"LD_PRELOAD": FAULTS + ":" + OWN_MEMORY, "REDHOST_TEST_OWN_MEMORY": "1"}
        want = json.loads(self.run_it("--json").out)["results"][0]["value"]
        for k in (4, 9, 20):
            done = self.run_it("--json", env={**self.fault("clEnqueueWriteBuffer", k), **own})
            self.assertRegex(done.err, r"\Aredhost: device 0:\d failed, and the others took its part: copying the input.*\n\Z")
            self.assertEqual(json.loads(done.out)["results"][0]["value"], want)

    def test_all_fail(self):
        done = self.bad(5, "CL_OUT_OF_RESOURCES", "--run", "onepass", "-n", "300007", "-d", "all", "-q",
                        env=self.fault("clEnqueueNDRangeKernel", 1, 0))
        self.assertLess(done.seconds, LIMIT)

    def test_one_cannot_be_opened(self):
        for k in (1, 2, 3):
            done = self.run_it(env=self.fault("clCreateContext", k))
            self.assertRegex(done.err, r"\Aredhost: device 0:%d is left out: .*\n\Z" % (k - 1))
            self.assertIn("on 2 devices", done.out)
        self.bad(3, "creating an OpenCL context", "--run", "onepass", "-n", "300007", "-d", "all", env=self.fault("clCreateContext", 1, 0))

    def test_wrong_results_are_found(self):
        plugin = os.path.join(os.environ["REDHOST_TEST_WRONG"], "drops_last.so")
        self.bad(1, "wrong result", "--run", "drops_last", "--plugin", plugin, "--isolate=never", "-n", "300007", "-t", "i32", "-d", "all", "-q")


if __name__ == "__main__":
    cli.main()
