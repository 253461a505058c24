"""--run on several devices: the same bits for every list of devices, every chunk and every split, and what becomes of devices that fail.

PoCL gives as many devices as it is asked for: two with one thread each, and one with all."""

import array
import json
import os
import random
import re
import subprocess
import time

import redhost_cli as cli

DEVICES = {"POCL_DEVICES": "basic basic pthread"}
TIMES = int(os.environ.get("REDHOST_TEST_FAULTS", "3"))  # how often each fault is tried
FAULTS = os.environ.get("REDHOST_TEST_FAULT_LIBRARY", "")
VISIBLE = os.environ.get("REDHOST_TEST_VISIBLE_LIBRARY", "")
OWN_MEMORY = os.path.join(cli.DRIVERS, "failing_memory.so")
LISTS = ("0:0,0:1", "0:2,0:1", "all")


class Devices(cli.Case):

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

    def run_on(self, devices, *args, strategy="onepass", chunk="16KiB", **how):
        return self.good("--run", strategy, "-i", "x.f32", "-t", "f32", "-d", devices, "--stream=" + chunk, *args, quiet=False, **how)


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
        for data in (("-i", "x.f32", "-t", "f32"), ("-n", "300007")):
            done = self.good("--run", "native", *data, "-d", "all", quiet=False)
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
    def test_one_cannot_be_opened(self):
        """Neither where data are streamed nor where they are split do the others need it."""
        for data in (("-i", "x.f32", "-t", "f32"), ("-n", "300007")):
            for k in (1, 2, 3):
                done = self.good("--run", "onepass", *data, "-d", "all", quiet=False, env=self.fault("clCreateContext", k))
                self.assertRegex(done.err, r"\Aredhost: device 0:%d is left out: .*\n\Z" % (k - 1))
                self.assertIn("on 2 devices", done.out)
            self.bad(3, "creating an OpenCL context", "--run", "onepass", *data, "-d", "all", env=self.fault("clCreateContext", 1, 0))

    def test_a_device_fails_while_a_pipe_stalls(self):
        """Nothing waits for data that may never come."""
        for _ in range(TIMES):
            start = time.monotonic()
            child = self.start("--run", "onepass", "-i", "-", "-t", "f32", "-d", "all", "--stream=4KiB", "-q", env={**self.fault("clEnqueueNDRangeKernel", random.randrange(25, 40))}, stdin=subprocess.PIPE)
            child.stdin.write(b"\0" * 400000)
            child.stdin.flush()
            child.wait(timeout=60)
            self.assertEqual((child.returncode, child.stdout.read()), (5, b""))
            self.assertRegex(child.stderr.read().decode(), r"\Aredhost: .*CL_OUT_OF_RESOURCES.*\n\Z")
            self.assertLess(time.monotonic() - start, cli.PROMPT)


class Split(Devices):
    """Generated data are split once, and stay on the devices."""

    def split(self, *args, devices="all", **how):
        return self.good("--run", "onepass", "-d", devices, *args, quiet=False, **how)

    def same(self, *args, lists=LISTS, **how):
        want = self.good("--run", "native", "-q", *args, quiet=False).out
        for devices in lists:
            self.assertEqual(self.split("-q", *args, devices=devices, **how).out, want, (args, devices))

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

    @cli.needs(OWN_MEMORY)
    def test_a_copy_fails(self):
        own = {"LD_PRELOAD": FAULTS + ":" + OWN_MEMORY, "REDHOST_TEST_OWN_MEMORY": "1"}
        want = json.loads(self.run_it("--json").out)["results"][0]["value"]
        for k in (4, 9, 20):
            done = self.run_it("--json", env={**self.fault("clEnqueueWriteBuffer", k), **own})
            self.assertRegex(done.err, r"\Aredhost: device 0:\d failed, and the others took its part: copying the input.*\n\Z")
            self.assertEqual(json.loads(done.out)["results"][0]["value"], want)
