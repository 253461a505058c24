"""An installed tree that was moved away, for the tests of what is in it.  Arguments: BUILD CMAKE CC LIBDIR."""
import os
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE, CC, LIBDIR = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))


class Tree(unittest.TestCase):
    MOVED_TO = "moved here"  # a name that breaks whoever forgets to quote

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="redhost-sdk-")
        cls.root = os.path.realpath(cls.temporary.name)
        cls.prefix = os.path.join(cls.root, cls.MOVED_TO)
        cls.lib = os.path.join(cls.prefix, LIBDIR)
        cls.plugins = os.path.join(cls.lib, "redhost-1")
        cls.redhost = os.path.join(cls.prefix, "bin", "redhost")
        # Nobody's plugins but the tree's, and no way back to the build.
        cls.environment = {name: value for name, value in os.environ.items()
                           if name not in ("DESTDIR", "LD_LIBRARY_PATH", "REDHOST_PLUGIN_PATH", "MAKEFLAGS", "MFLAGS")}
        cls.environment.update(XDG_DATA_HOME=os.path.join(cls.root, "data"),
                               PKG_CONFIG_PATH=os.path.join(cls.lib, "pkgconfig"))
        before = os.path.join(cls.root, "installed")
        cls.call([CMAKE, "--install", BUILD, "--prefix", before])
        os.rename(before, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def call(cls, command, **more):
        """Runs a command that must succeed; what it printed."""
        result = subprocess.run(command, env={**cls.environment, **more.pop("env", {})}, capture_output=True, text=True,
                                check=False, **more)
        if result.returncode != 0:
            raise AssertionError(f"{command} exited with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout

    def tried(self, *words, **how):
        """The installed redhost, whatever its end."""
        env = {**self.environment, **how.pop("env", {})}
        return subprocess.run([self.redhost, *words], env=env, capture_output=True, text=True, check=False, **how)

    def names(self, **env):
        return self.call([self.redhost, "--list", "-q"], env=env).split()

    def with_cmake(self, source, *options):
        build = source + "-build"
        self.call([CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}", *options])
        self.call([CMAKE, "--build", build])
        return build
