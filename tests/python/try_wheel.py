"""try_wheel.py: the installed package does what it says, with whatever else is there.  Prints one line."""
import math
import platform
import subprocess
import sys
from array import array

import redhost


def alone():
    """Without anything else."""
    x = array("d", [0.1] * 100000)
    assert abs(redhost.sum(x) - 10000) < 1e-6
    assert redhost.sum(x, accuracy="exact", check=True) == math.fsum(x)
    assert redhost.argmax(array("i", [3, 9, 2])) == 1
    assert redhost.reduce((x, x), map="x*y", check=True) > 999
    assert redhost.reduce(x, "meanvar", full=True, check=True).check == "ok"
    # The program, by both ways, finds its plugins, and its pictures' script.
    for command in (["redhost"], [sys.executable, "-m", "redhost"]):
        listed = subprocess.run([*command, "--list", "-q"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
        assert {"native", "cascade", "onepass"} <= set(listed), listed
    made = subprocess.run(["redhost", "--run", "native", "-n", "1000", "--op", "max", "-q"], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    assert float(made) <= 1, made


def with_numpy(np):
    """As NumPy does it."""
    x = np.random.default_rng(1).normal(size=(1000, 77)).astype("f4")
    for op in "sum min max argmin argmax mean var std".split():
        for axis in (None, 0, 1):
            np.testing.assert_allclose(getattr(redhost, op)(x, axis=axis), getattr(np, op)(x.astype("f8"), axis=axis), rtol=1e-3, atol=1e-3)
    return " NumPy " + np.__version__


def with_opencl(cl, np):
    """An array in its own queue."""
    import pyopencl.array
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    x = np.arange(100000, dtype="i4")
    there = pyopencl.array.to_device(cl.CommandQueue(context), x)
    assert redhost.sum(there) == x.sum()
    return " PyOpenCL " + cl.VERSION_TEXT + " on " + context.devices[0].platform.version


line = platform.python_implementation() + " " + platform.python_version()
if not getattr(sys, "_is_gil_enabled", lambda: True)():
    line += " without the GIL"
alone()
try:
    import numpy
except ImportError:
    pass
else:
    line += with_numpy(numpy)
try:
    import pyopencl
except ImportError:
    pass
else:
    line += with_opencl(pyopencl, numpy)
print("  " + line + ": right")
