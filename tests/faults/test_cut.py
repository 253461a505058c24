"""A file that is truncated while it is read, at chosen moments: before the k-th call of a function (REDHOST_FAULT_CUT).
One sentence that names the file, and exit status 6, or the right answer where the file was not needed any more."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "cli"))
import redhost_cli as cli  # noqa: E402

FAULTS = os.environ["REDHOST_TEST_FAULTS"]
BYTES = 1 << 22  # to 4096 of which it is cut
STRATEGIES = {"cascade": ["--run", "cascade"], "native": ["--run", "native"], "auto": [],
              "no check": ["--run", "cascade", "--no-check"],
              "isolated": ["--run", "cascade", "--isolate=always"], "isolated on the host": ["--run", "native", "--isolate=always"]}
# For each: before the file is mapped, between mapping and run, during the run, and after it.
MOMENTS = {"-": "mmap:1 mmap:2 fstat:1 malloc:* dlopen:1 calloc:* clCreateContext:1 clCreateCommandQueue:1 clCreateBuffer:* "
                "clCreateKernel:1 clSetKernelArg:1 clEnqueueNDRangeKernel:* clEnqueueReadBuffer:* clEnqueueMapBuffer:1 clFinish:* "
                "posix_spawn:* poll:* pthread_create:* munmap:1 clReleaseMemObject:1",
           "--work": "mmap:1 dlopen:1 clCreateContext:1 clCreateBuffer:* clEnqueueNDRangeKernel:* clEnqueueReadBuffer:* clFinish:* "
                     "pthread_create:* send:*"}
KS = (1, 2, 3, 5, 9, 20, 60) if os.environ.get("REDHOST_TEST_EXTENT") == "all" else (1, 5)
TRIES = 3 if os.environ.get("REDHOST_TEST_EXTENT") == "all" else 1  # each compiles from nothing


class CutFiles(cli.Case):
    def cut(self, name, process, function, k, **environment):
        data, log = self.path("cut.raw"), self.path("injected")
        for path in (data, log):
            if os.path.exists(path):
                os.remove(path)
        with open(data, "wb") as file:
            file.write(b"\1" * BYTES)
        done = self.redhost(*STRATEGIES[name], "-i", data, "-t", "u8", "-q",
                            env=dict(environment, LD_PRELOAD=FAULTS, REDHOST_FAULT="%s:%d" % (function, k), REDHOST_FAULT_CUT=data, REDHOST_FAULT_IN=process,
                                     REDHOST_FAULT_LOG=log))
        return done, os.path.exists(log)

    def moments(self, name, process):
        has_device = name in ("cascade", "no check") or (name, process) == ("isolated", "--work")
        for moment in MOMENTS[process].split():
            function, k = moment.split(":")
            if has_device or not function.startswith("cl"):
                for one in KS if k == "*" else [int(k)]:
                    yield function, one

    def sweep(self, name, process):
        cuts = 0
        for function, k in self.moments(name, process):
            with self.subTest(strategy=name, process=process, function=function, k=k):
                done, was_cut = self.cut(name, process, function, k)
                cuts += was_cut
                if done.code != 0:
                    self.assertEqual((done.code, done.out, done.err.count("\n")), (6, "", 1), done)
                    self.assertIn("cut.raw", done.err)
                else:
                    self.assertIn((done.out, done.err), [("%d\n" % BYTES, ""), ("4096\n", "")], done)
        self.assertGreater(cuts, 2)

    def test_here(self):
        for name in STRATEGIES:
            self.sweep(name, "-")

    def test_in_the_child(self):
        for name in ("isolated", "isolated on the host"):
            self.sweep(name, "--work")

    def test_compiling_driver(self):
        """A driver that compiles in this process takes the signal's action over, for the first of its threads."""
        for name, function in (("cascade", "clBuildProgram"), ("cascade", "clEnqueueNDRangeKernel"), ("isolated", "clBuildProgram"),
                               ("isolated", "clEnqueueNDRangeKernel"), ("no check", "clBuildProgram"), ("no check", "poll")):
            for _ in range(TRIES):
                with self.subTest(strategy=name, function=function):
                    process = "--work" if name == "isolated" else "-"
                    with tempfile.TemporaryDirectory() as cold:
                        done, was_cut = self.cut(name, process, function, 1, POCL_CACHE_DIR=cold, REDHOST_NO_CACHE="1")
                    self.assertTrue(was_cut)
                    self.assertEqual((done.code, done.out), (6, ""), done)
                    self.assertIn("cut.raw", done.err)


if __name__ == "__main__":
    cli.main()
