"""test_abi_binary.py REDHOST: a plugin that was built when ABI 1.0 was frozen still loads and gives right answers."""
import hashlib
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import unittest

REDHOST = sys.argv[1]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "abi-1.0")
PLUGIN = os.path.join(HERE, "abi_1_0-x86_64.so")
DEVICE, HOST = "abi_1_0", "abi_1_0_host"
PROBLEMS = [("sum", "f32"), ("sum", "i8"), ("prod", "f64"), ("max", "f16"), ("argmin", "f32"), ("argmax", "u64"), ("xor", "u16"),
            ("affine", "u64")]


@unittest.skipUnless(platform.machine() == "x86_64", f"the plugin is for x86_64, this machine is {platform.machine()}")
class Binary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="redhost-abi-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.environment = {name: value for name, value in os.environ.items() if name != "REDHOST_PLUGIN_PATH"}
        cls.environment.update(XDG_CACHE_HOME=os.path.join(cls.temporary.name, "cache"),
                               XDG_DATA_HOME=os.path.join(cls.temporary.name, "data"))

    def redhost(self, *words, plugin=PLUGIN):
        return subprocess.run([REDHOST, "--plugin", plugin, *words], env=self.environment, capture_output=True, text=True, check=False)

    def right(self, *words):
        """The program itself compares with the exact reference: 0 is right."""
        done = self.redhost("--run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^check .* ok$")

    def test_it_is_the_one_of_then(self):
        with open(PLUGIN, "rb") as file, open(os.path.join(HERE, "README.md"), encoding="utf-8") as readme:
            self.assertIn(hashlib.sha256(file.read()).hexdigest(), readme.read())

    def test_listed(self):
        done = self.redhost("--list", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual({DEVICE, HOST}, set(done.stdout.split()))

    def test_answers(self):
        for op, kind in PROBLEMS:
            for name in (DEVICE, HOST):
                with self.subTest(strategy=name, op=op, type=kind):
                    self.right(name, "--op", op, "-t", kind, "-n", "100003", "--data", "units" if op == "prod" else "hash")

    def test_parameters(self):
        self.right(DEVICE, "-n", "10007", "-p", "group=32", "-p", "groups=7", "-p", "finish=device")
        done = self.redhost("--run", DEVICE, "-n", "10007", "-p", "group=33")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_users_operators(self):
        """1.0 has functions without `user`: the host offers what calls none of the others."""
        magnitude = ("--map", "x*x")
        self.right(DEVICE, "-n", "10007", *magnitude)
        self.right(DEVICE, "-n", "10007", "-t", "i32", "--reduce", "a ^ b", "--identity", "0", "--commutes", "-p", "finish=device")
        for words in ((HOST, *magnitude), (HOST, "--reduce", "a ^ b", "--identity", "0", "--commutes"),
                      (DEVICE, "--reduce", "a ^ b", "--identity", "0", "--commutes")):
            with self.subTest(words=words):
                done = self.redhost("--run", words[0], "-n", "1007", "-t", "i32", *words[1:])
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, "is an operator of a user's, and %s calls the functions of built-in ones" % words[0])

    def test_nothing_to_reduce(self):
        for name in (DEVICE, HOST):
            self.assertEqual(self.redhost("--run", name, "-n", "0", "-q").stdout, "0\n")

    def test_verified(self):
        done = subprocess.run([REDHOST, "--verify", "--quick", PLUGIN], env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(re.findall(r"(?m)^  V42  pass ", done.stdout)), 2)

    def test_another_major_is_refused(self):
        """The tests above can fail."""
        with open(PLUGIN, "rb") as file:
            image = bytearray(file.read())
        at = image.index(struct.pack("<I", 0x31504852))
        self.assertEqual(struct.unpack_from("<HH", image, at + 8), (1, 0))
        struct.pack_into("<H", image, at + 8, 2)
        other = os.path.join(self.temporary.name, "other.so")
        with open(other, "wb") as file:
            file.write(image)
        done = self.redhost("--run", HOST, "-n", "10", plugin=other)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("ABI 2", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
