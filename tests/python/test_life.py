#!/usr/bin/env python3
"""Threads, forks, Ctrl-C, the end of the process, and memory: what a program of days needs."""
import array
import concurrent.futures
import ctypes
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest

import redhost

X = array.array("f", [1]) * 100_000


def run(code, **more):
    """A program of its own."""
    return subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
                          **more)


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Life(unittest.TestCase):
    def test_many_calls_keep_no_memory(self):
        short, view = X[:100], memoryview(X)[:100:2]

        def calls(n):
            for _ in range(n):
                redhost.sum(short)
            for _ in range(n // 50):
                redhost.sum(view, where="x > 0")
                redhost.prepare("sum", "f32", 100, strategy="native").close()
                redhost.partial(short).merge(redhost.partial(short, first=100))
                try:
                    redhost.sum(short, map="x +")
                except redhost.UsageError:
                    pass
        calls(5000)
        gc.collect()
        before = resident()
        calls(50_000)
        gc.collect()
        self.assertLess(resident() - before, 1 << 20)

    def test_arrays_are_let_go(self):
        for x in (X[:], bytearray(b"abc")):
            redhost.sum(x)
            redhost.sum(x, map="x + 1")
            x.append(1)  # BufferError if somebody still has it

    def test_threads(self):
        arrays = [array.array("q", range(k, k + 1000)) for k in range(64)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in range(20):
                self.assertEqual(list(pool.map(redhost.sum, arrays)), [sum(x) for x in arrays])
                self.assertEqual(list(pool.map(lambda x: redhost.sum(x, map="2*x"), arrays)), [2 * sum(x) for x in arrays])

    def test_other_threads_run_during_a_call(self):
        x, steps, done = array.array("d", [1]) * (1 << 24), [0], threading.Event()

        def count():
            while not done.is_set():
                steps[0] += 1
        other = threading.Thread(target=count)
        other.start()
        begin = time.perf_counter()
        while time.perf_counter() - begin < 0.5:
            redhost.sum(x, check=True, strategy="native")
        done.set()
        other.join()
        self.assertGreater(steps[0], 10_000)

    def test_a_prepared_reduction_is_for_one_thread_at_a_time(self):
        with redhost.prepare("sum", "f32", len(X), strategy="native") as total:
            self.assertEqual(total(X), 100_000)
            with total._busy, self.assertRaisesRegex(redhost.UsageError, "one for each thread"):
                total(memoryview(X)[::2])
        with self.assertRaisesRegex(redhost.UsageError, "was closed"):
            total(X)

    def test_a_forked_child_has_its_own(self):
        self.assertEqual(redhost.sum(X), 100_000)
        child = os.fork()
        if child == 0:
            os._exit(0 if redhost.sum(X) == 100_000 and redhost.sum(X, map="2*x") == 200_000 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_interrupt_in_a_long_call(self):
        code = ("import array, redhost, sys, _thread, threading, time\n"
                "x = array.array('d', [1]) * (1 << 25)\n"
                "redhost.sum(x[:10], map='exp(x)')\n"
                "def stop():\n"
                "  time.sleep(.5)\n"
                "  import os, signal; os.kill(os.getpid(), signal.SIGINT)\n"
                "threading.Thread(target=stop).start()\n"
                "try:\n"
                "  while True: redhost.sum(x, map='exp(sin(x))', check=True, strategy='native')\n"
                "except KeyboardInterrupt: print('interrupted', redhost.sum(x[:10]))\n")
        done = run(code)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "interrupted 10.0\n", ""))

    def test_progress_is_told_and_may_stop(self):
        x, told = array.array("d", [1]) * (1 << 24), []
        redhost.sum(x, map="exp(sin(x))", check=True, strategy="native", progress=lambda *step: told.append(step))
        self.assertTrue(told)
        phase, done, total = told[-1]
        self.assertTrue(isinstance(phase, str) and 0 <= done <= total)

        def stop(*_step):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            redhost.sum(x, map="exp(sin(x))", check=True, strategy="native", progress=stop)

    @unittest.skipUnless(run("import tqdm").returncode == 0, "no tqdm")
    def test_a_bar_where_it_is_asked_for(self):
        code = ("import array, redhost\n"
                "x = array.array('d', [1]) * (1 << 24)\n"
                "redhost.sum(x, map='exp(sin(x))', check=True, strategy='native', progress=True)\n")
        self.assertRegex(run(code).stderr, r"reference: +\d+%")

    def test_the_end_with_everything_open(self):
        code = ("import array, redhost, threading\n"
                "x = array.array('f', [1]) * 1000\n"
                "total = redhost.prepare('sum', 'f32', 1000)\n"
                "total(x), redhost.sum(x, strategy='auto'), redhost.sum(x, device='0')\n"
                "part = redhost.partial(x)\n"
                "def work():\n"
                "  while True: redhost.sum(x)\n"
                "threading.Thread(target=work, daemon=True).start()\n")
        done = run(code)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_sub_interpreter_is_refused(self):
        code = ("try: import _xxsubinterpreters as sub\n"
                "except ImportError: import _interpreters as sub\n"
                "import ctypes\n"
                "it = sub.create()\n"
                "sub.run_string(it, '''\ntry: import redhost\nexcept ImportError as error: print(error)\n''')\n")
        said = run(code).stdout
        self.assertRegex(said, "main interpreter only|does not support loading in subinterpreters")

    def test_the_program(self):
        done = subprocess.run([sys.executable, "-m", "redhost", "--version"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn(redhost.version(), done.stdout)


class Tensor:
    """A producer of DLPack on the host, of which it is seen that it is given back."""

    def __init__(self, numbers):
        self.numbers, self.alive = numbers, 0

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self):
        from redhost._arrays import _Managed
        self.shape, self.managed = (ctypes.c_int64 * 1)(len(self.numbers)), _Managed()
        self.managed.tensor.data, self.managed.tensor.device_type = self.numbers.buffer_info()[0], 1
        self.managed.tensor.ndim, self.managed.tensor.code, self.managed.tensor.bits, self.managed.tensor.lanes = 1, 2, 32, 1
        self.managed.tensor.shape = self.shape
        self.managed.deleter = type(self.managed.deleter)(lambda _: setattr(self, "alive", self.alive - 1))
        self.alive += 1
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b"dltensor", None)


class Taken(unittest.TestCase):
    def test_a_tensor_is_given_back(self):
        x = Tensor(array.array("f", [1, 2, 4]))
        self.assertEqual(redhost.sum(x), 7)
        gc.collect()
        self.assertEqual(x.alive, 0)

    def test_buffers_without_numpy(self):
        self.assertEqual(redhost.sum(memoryview(X)[::-2]), 50_000)
        self.assertEqual(redhost.max(memoryview(array.array("h", [3, -5, 2]))[1:]), 2)
        self.assertEqual(redhost.argmax(memoryview(b"acb")[::-1]), 1)
        big = (ctypes.c_float.__ctype_be__ * 3)(1, 2, 4)
        self.assertEqual(redhost.sum(big), 7)
        self.assertIs(redhost.any(bytearray(b"\0\1")), True)


if __name__ == "__main__":
    unittest.main()
