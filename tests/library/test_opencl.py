"""Which library of OpenCL libredhost takes: what REDHOST_OPENCL names, what the process has, the system's."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_bundled import Error, Input, Options, Request, Result, byref, c_void_p

OTHER = "libOpenCL-other.so.1"  # as in Python's packages: a loader under a name of its own


def mapped():
    """The names of the libraries of OpenCL in this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {line.split("/")[-1].strip() for line in maps if "/libOpenCL" in line}


def reduce(strategy):
    """In a process of its own: one sum by libredhost.  Prints the libraries of OpenCL that are there afterwards."""
    library, handle, error = ctypes.CDLL(os.environ["REDHOST_TEST_LIBRARY"]), c_void_p(), Error()
    options = Options(struct_size=ctypes.sizeof(Options), program=os.environ["REDHOST_TEST_PROGRAM"].encode(),
                      plugin_path=os.environ["REDHOST_TEST_PLUGINS"].encode(), no_measure=1)
    if library.rh_open(byref(handle), byref(options), byref(error)) != 0:
        sys.exit(error.message)
    data = (ctypes.c_int32 * 1000)(*range(1000))
    inputs, result = (Input * 1)(Input(None, 5, 0, ctypes.addressof(data))), Result(struct_size=ctypes.sizeof(Result))
    request = Request(struct_size=ctypes.sizeof(Request), strategy=strategy.encode(), op=b"sum", inputs=inputs, n_inputs=1, n=1000)
    if library.rh_reduce(handle, byref(request), byref(result), byref(error)) != 0:
        sys.exit(error.message)
    assert result.value.i == 499500, result.value.i
    print(*sorted(mapped()))


class Loaders(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)
        self.other = os.path.join(self.place, OTHER)
        system = os.path.realpath(next(line.split()[-1] for line in subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
            if line.split()[0] == "libOpenCL.so.1"))
        self.system = os.path.basename(system)
        with open(system, "rb") as file:
            code = file.read()
        with open(self.other, "wb") as file:  # the dynamic loader knows a library by this name
            file.write(code.replace(b"libOpenCL.so.1\0", b"libOpenCX.so.1\0"))

    def there(self, strategy, before="", **env):
        code = "import ctypes, sys; sys.path.insert(0, %r); import test_opencl; %s; test_opencl.reduce(%r)" % (
            os.path.dirname(os.path.realpath(__file__)), before or "0", strategy)
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, env={**os.environ, **env})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    def test_none_is_opened_for_the_host(self):
        self.assertEqual(self.there("native"), [])

    def test_the_systems(self):
        self.assertEqual(self.there("cascade"), [self.system])

    def test_that_of_the_process(self):
        """The program's queues belong to it."""
        self.assertEqual(self.there("cascade", "ctypes.CDLL(%r)" % self.other), [OTHER])
        self.assertEqual(self.there("cascade", "ctypes.CDLL(%r, ctypes.RTLD_GLOBAL)" % self.other), [OTHER])

    def test_that_of_the_user(self):
        self.assertEqual(self.there("cascade", REDHOST_OPENCL=self.other), [OTHER])


if __name__ == "__main__":
    unittest.main()
