"""--stream, and data that do not fit: the same bits for every chunk and every way, and one sentence for every fault."""

import array
import json
import os
import random
import re
import struct
import subprocess
import time

import redhost_cli as cli

TIMES = int(os.environ.get("REDHOST_TEST_FAULTS", "3"))  # how often each fault is tried


class Streams(cli.Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.n = 100003
        rng = random.Random(7)
        floats = [rng.choice((-1, 1)) * (1 + rng.random()) * 2.0 ** rng.randrange(-12, 13) for _ in range(cls.n)]
        factors = [rng.choice((-1, 1)) * (1 + (rng.random() - 0.5) / 16) for _ in range(cls.n)]
        words = [rng.getrandbits(64) | 1 for _ in range(cls.n)]
        for name, code, values in (("x.f32", "f", floats), ("y.f32", "f", factors), ("x.f64", "d", floats), ("y.f64", "d", factors),
                                   ("w.u64", "Q", words)):
            with open(os.path.join(cls.cwd, name), "wb") as file:
                array.array(code, values).tofile(file)


class Bits(Streams):
    def test_npy_in_the_other_byte_order(self):
        values = array.array("d", cli.read(self.path("x.f64")))
        want = self.value("--run", "native", "-i", "x.f64", "-t", "f64")
        values.byteswap()
        data = cli.npy("f64", values.tobytes(), "(%d,)" % self.n).replace(b"'<f8'", b"'>f8'")
        self.write("big.npy", data)
        self.assertEqual(self.value("--run", "native", "-i", "big.npy", "--stream=8KiB"), want)
        self.assertEqual(self.value("--run", "native", "--stream=8KiB", "-i", "-", input=data), want)

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_memory_of_the_devices_own(self):
        """As on a GPU: chunks are copied from pinned memory, or from any where there is none."""
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_OWN_MEMORY": "1"}
        want = self.good("--run", "onepass", "-i", "x.f32", "-t", "f32", "-q", quiet=False).out
        args = ("--run", "onepass", "-i", "x.f32", "-t", "f32", "--stream=16KiB")
        done = self.good(*args, "-v", quiet=False, env=env)
        self.assertIn("copied from pinned memory", done.out)
        self.assertRegex(done.out, r"\ncopies +begin after [0-9.]+ [mun]?s, idle for [0-9.]+ [mun]?s in between, end [0-9.]+ [mun]?s before the answer\n")
        stream = json.loads(self.good(*args, "--json", quiet=False, env=env).out)["results"][0]["stream"]
        self.assertLess(0, stream["copies_begin_s"])
        self.assertLess(stream["copies_begin_s"], stream["copies_end_s"])
        self.assertEqual(self.good(*args, "-q", quiet=False, env=env).out, want)
        # A large file is streamed there without being asked for, but not where its copy is timed, or for `auto`.
        with open(self.path("large.f32"), "wb") as file:
            file.seek(80 << 20)
            file.write(struct.pack("f", 1.5))
        large = ("-i", "large.f32", "-t", "f32", "--no-check")
        for words, streams in (((), True), (("-v",), False), (("--isolate=always",), False)):
            done = self.good("--run", "onepass", *large, *words, quiet=False, env=env)
            self.assertEqual("\nstream " in done.out, streams, done)
            self.assertRegex(done.out, r"\nresult +1\.5\n", done)
        self.assertNotIn("\nstream ", self.good("--run", "onepass", *large, quiet=False).out)
        with open(self.path("large.f32"), "rb") as file:
            done = self.good("--run", "onepass", "-i", "-", "-t", "f32", "--no-check", "-q", quiet=False, env=env, stdin=file)
        self.assertEqual(done.out, "1.5\n")
        # Its check, too, counts from where a chunk begins.
        self.good("--new-operator", "mine.cl", quiet=False)
        done = self.good("--run", "onepass", *large[:4], "--op", "./mine.op.json", quiet=False, env=env)
        self.assertRegex(done.out, r"\nresult +far 1\.5 +index %d\ncheck .* ok\nstream " % (80 << 18))
        os.remove(self.path("large.f32"))
        env["REDHOST_TEST_FAILING_CALL"] = "pinned"
        done = self.good(*args, "-v", quiet=False, env=env)
        self.assertIn("copied from pageable memory", done.out)
        self.assertIn("copies go from pageable memory: ", done.err)
        self.assertEqual(self.good(*args, "-q", quiet=False, env=env).out, want)


class Output(Streams):
    def test_text(self):
        out = self.good("--run", "native", "-i", "x.f32", "-t", "f32", "--stream=4KiB", "--check=sampled").out
        self.assertRegex(out, r"(?m)^stream +98 chunks of 4 KiB in \d+ slots")
        checked = int(re.search(r"(?m)^check +(\d+) of 98 chunks", out).group(1))
        self.assertTrue(1 <= checked <= 20, out)

    def test_json(self):
        (result,) = self.json("--run", "native", "-i", "x.f32", "-t", "f32", "--stream=64KiB", "-v", "--check=sampled")["results"]
        stream = result["stream"]
        self.assertEqual((stream["chunks"], stream["check"], stream["in_place"]), (7, "sampled", True))
        self.assertEqual(len(stream["times"]), 7)
        for reads, _, runs in stream["times"]:
            self.assertLessEqual(reads[0], reads[1])
            self.assertLessEqual(reads[1], runs[1])

    def test_usage(self):
        self.bad(2, "mutually exclusive", "--run", "native", "-n", "10", "--check=full", "--no-check")
        self.bad(2, "one operand only", "--run", "native", "-i", "-,-", "-t", "f32", "--map", "x*y", input=b"1234")
        self.write("w.short", b"12345678")
        self.bad(2, "has 100003 elements", "--run", "native", "-i", "x.f64,w.short", "-t", "f64", "--map", "x*y", "--stream")


class Faults(Streams):
    """One sentence, the right status, in at most ten seconds, and nothing left running."""

    def test_a_pipe_that_stalls_and_another_fault(self):
        """What waits for a pipe is ended: a device that fails does not wait for more data."""
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_FAILING_CALL": "clEnqueueNDRangeKernel", "REDHOST_TEST_FAILING_CODE": "-5"}
        for _ in range(TIMES):
            start = time.monotonic()
            child = self.start("--run", "onepass", "-i", "-", "-t", "f32", "-q", "--stream=4KiB", env=env, stdin=subprocess.PIPE)
            child.stdin.write(b"\0" * 40000)
            child.stdin.flush()
            child.wait(timeout=60)
            self.assertEqual((child.returncode, child.stdout.read()), (5, b""), child.stderr.read())
            self.assertLess(time.monotonic() - start, cli.PROMPT)

    def test_a_file_beyond_memory_is_streamed(self):
        """1 TiB with nothing in it, which no machine of today holds: in the memory of the slots, until it is interrupted."""
        with open(self.path("large.f32"), "wb") as file:
            file.truncate(1 << 40)
        child = self.start("--run", "native", "-i", "large.f32", "-t", "f32", "--progress=always", "--check=none")
        time.sleep(3)
        child.send_signal(2)
        _, err = child.communicate(timeout=cli.PROMPT)
        self.assertEqual(child.returncode, 130)
        self.assertRegex(err.decode(), r"streaming +\d+ %  \S+ GB/s, about \d+ s left")
        os.unlink(self.path("large.f32"))

    def test_memory_stays_that_of_the_slots(self):
        """128 MiB through slots of 1 MiB: far less than the data."""
        def peak(*args):
            child = subprocess.Popen([cli.REDHOST, "--run", "native", "-q", "--check=none", *args], cwd=self.cwd, env=self.env,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            return usage.ru_maxrss / 1024
        small, large = peak("-n", "1024", "--stream=1MiB"), peak("-n", "2^25", "--stream=1MiB")
        self.assertLess(large - small, 24)
