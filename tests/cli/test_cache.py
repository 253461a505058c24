"""Compiled programs are kept, and nothing that happens to them, or to the place where they are, changes an answer."""

import os
import re
import shutil
import struct
import subprocess

import redhost_cli as cli

RUN = ["--run", "cascade", "-n", "1000", "-t", "i32", "--data", "equal"]


class CacheCase(cli.Case):
    def setUp(self):
        self.env["XDG_CACHE_HOME"] = os.path.join(self.home, self.id().rsplit(".", 1)[1])

    def entries(self, env=None):
        files = self.cache_files(env)
        for name in files:
            self.assertRegex(name, r"\A(bin/[0-9a-f]{16}|log/[\w.]+\.log)\Z", "a stray file in the cache")
        return [name for name in files if name.startswith("bin/")]

    def entry(self):
        (only,) = self.entries()
        return os.path.join(self.env["XDG_CACHE_HOME"], "redhost", only)

    def is_cached(self, *args, env=None, quiet=True):
        result = self.json(*RUN, *args, env=env, quiet=quiet)["results"][0]
        self.assertEqual(result["value"], "1000")
        self.assertTrue(result["check"]["ok"])
        return result["setup_s"]["build_cached"]


class Kept(CacheCase):
    def test_second_run(self):
        self.assertFalse(self.is_cached())
        entries = self.entries()
        self.assertEqual(len(entries), 1)
        self.assertTrue(self.is_cached())
        self.assertIn("(cached)", self.good(*RUN).out)
        self.assertEqual(self.entries(), entries)

    def test_where(self):
        place, other = os.path.join(self.home, "place"), os.path.join(self.home, "other")
        self.assertFalse(self.is_cached("--cache-dir", place))
        self.assertTrue(self.is_cached("--cache-dir", place))
        self.assertTrue(self.is_cached(env={"REDHOST_CACHE_DIR": place}))
        self.assertTrue(self.is_cached("--cache-dir", place, env={"REDHOST_CACHE_DIR": other}))  # the option wins
        self.assertFalse(os.path.exists(other))
        self.assertEqual(self.entries(), [])
        self.assertEqual(len(os.listdir(os.path.join(place, "bin"))), 1)
        # Without XDG_CACHE_HOME, or with a relative one, ~/.cache.
        for value in ("", "relative"):
            self.is_cached(env={"XDG_CACHE_HOME": value})
        self.assertEqual(len(os.listdir(os.path.join(self.home, ".cache", "redhost", "bin"))), 1)
        self.assertEqual(os.listdir(self.cwd), [])
        # Without any home, nowhere.
        self.assertFalse(self.is_cached(env={"XDG_CACHE_HOME": "", "HOME": ""}))
        self.assertEqual(os.listdir(self.cwd), [])

    def test_none(self):
        for args, env in ((["--no-cache"], {}), ([], {"REDHOST_NO_CACHE": "1"}),
                          (["--no-cache"], {"REDHOST_BUILD_OPTIONS": "-DX=1"})):
            self.assertFalse(self.is_cached(*args, env=env))
            self.assertEqual(self.cache_files(), [])
        self.is_cached()
        self.assertFalse(self.is_cached("--no-cache"))  # nor is it read
        self.assertEqual(len(self.entries()), 1)

    def test_key(self):
        """All that decides what the compiler makes of a program."""
        self.is_cached()
        self.assertFalse(self.is_cached(env={"REDHOST_BUILD_OPTIONS": "-DUNUSED=1"}))
        self.assertEqual(len(self.entries()), 2)
        self.assertTrue(self.is_cached(env={"REDHOST_BUILD_OPTIONS": "-DUNUSED=1"}))
        self.assertTrue(self.is_cached())
        self.assertFalse(self.is_cached("-t", "u32"))
        self.assertEqual(len(self.entries()), 3)

    def test_bad_build_options(self):
        for options in ("--nonsense", "-D__kernel=struct"):
            done = self.redhost(*RUN, "-q", env={"REDHOST_BUILD_OPTIONS": options})
            self.assertEqual((done.code, done.out), (5, ""), done)
            sentences = [line for line in done.err.splitlines() if line.startswith("redhost: ")]  # PoCL has its own
            self.assertRegex(sentences[-1], r"cascade.*[Bb]uild.*-v", done)
        self.assertEqual(self.entries(), [])
        logs = [name for name in self.cache_files() if name.startswith("log/")]
        self.assertEqual(len(logs), 1)
        self.assertIn(logs[0], sentences[-1])
        with open(os.path.join(self.env["XDG_CACHE_HOME"], "redhost", logs[0]), errors="replace") as log:
            self.assertIn("struct", log.read())
        self.assertIn("error", self.redhost(*RUN, "-v", env={"REDHOST_BUILD_OPTIONS": "-D__kernel=struct"}).err)


class Damaged(CacheCase):
    """A damaged entry is built again, without a word, and whole afterwards."""

    def damage(self, how):
        if not self.entries():
            self.is_cached()
        entry = self.entry()
        how(entry, cli.read(entry))
        self.assertEqual(self.good(*RUN, "-q").out, "1000\n")  # nothing on stderr
        self.assertTrue(self.is_cached(), "the damaged entry is still in the way")

    def overwrite(self, change):
        def write(entry, whole):
            os.chmod(entry, 0o600)
            cli.write(entry, change(whole))
        return write

    def test_cut(self):
        for length in (0, 1, 7, 8, 31, 32, 33, 1000, -1):
            with self.subTest(length=length):
                self.damage(self.overwrite(lambda whole: whole[:length]))

    def test_flipped(self):
        for at in (0, 7, 8, 16, 24, 31, 40, 0.5, -1):
            def flip(whole):
                place = int(at * len(whole)) if at == 0.5 else at % len(whole)
                return whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1:]
            with self.subTest(at=at):
                self.damage(self.overwrite(flip))

    def test_other(self):
        self.damage(self.overwrite(lambda whole: b"\xff" * len(whole)))
        self.damage(self.overwrite(lambda whole: whole + b"more"))
        self.damage(self.overwrite(lambda whole: whole[:8] + b"\xff" * 24 + whole[32:]))

    def test_of_another_program(self):
        """The key and its header with a program behind it that is whole, but another."""
        def replace(entry, whole):
            self.good(*RUN, "-q", "--op", "max")
            (other,) = [name for name in self.entries() if not entry.endswith(name)]
            others = cli.read(os.path.join(self.env["XDG_CACHE_HOME"], "redhost", other))
            os.remove(os.path.join(self.env["XDG_CACHE_HOME"], "redhost", other))
            own_key, others_key = struct.unpack_from("<Q", whole, 8)[0], struct.unpack_from("<Q", others, 8)[0]
            program = others[32 + others_key:]
            self.overwrite(lambda _: whole[:16] + struct.pack("<Q", len(program)) + whole[24:32 + own_key] + program)(entry, whole)
        self.damage(replace)

    def test_of_somebody_else(self):
        """An entry is code: one that others wrote, or may write to, is none."""
        self.assertFalse(self.is_cached())
        os.chmod(self.entry(), 0o666)
        self.assertFalse(self.is_cached())
        os.chmod(self.entry(), 0o600)
        self.assertTrue(self.is_cached())
        if os.geteuid() == 0:
            os.chown(self.entry(), 65534, 65534)
            self.assertFalse(self.is_cached())

    def test_dangling_link(self):
        def replace(entry, whole):
            os.remove(entry)
            os.symlink("/proc/nonexistent/x", entry)
        self.damage(replace)

    def test_no_file(self):
        """What cannot be removed stays; the answer comes all the same."""
        for make in (os.mkdir, os.mkfifo):
            self.is_cached()
            entry = self.entry()
            os.remove(entry)
            make(entry)
            self.assertEqual(self.good(*RUN, "-q").out, "1000\n")
            shutil.rmtree(entry) if os.path.isdir(entry) else os.path.lexists(entry) and os.remove(entry)


class Together(CacheCase):
    def test_many_at_once(self):
        env = {**self.env, "POCL_CACHE_DIR": os.path.join(self.home, "pocl-empty")}
        processes = [subprocess.Popen([cli.REDHOST, *RUN, "-q"], env=env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8 if cli.WHOLE else 4)]
        for process in processes:
            out, err = process.communicate(timeout=cli.PATIENCE)
            self.assertEqual((process.returncode, out, err), (0, b"1000\n", b""))
        self.assertEqual(len(self.entries()), 1)
        self.assertTrue(self.is_cached())

    @cli.needs(os.path.join(cli.DRIVERS, "stolen_program.so"))
    def test_another_was_first(self):
        """What many at once seldom show: in PoCL's own cache they are in each other's way."""
        env = {"POCL_CACHE_DIR": os.path.join(self.home, "pocl-stolen"), **cli.preloaded("stolen_program.so")}
        self.assertFalse(self.is_cached(env=env))
        self.assertTrue(self.is_cached(env=env))


class NoRoom(CacheCase):
    """The result is printed; one warning says what is wrong and what to do."""

    def check(self, done, reason):
        self.assertEqual(done.code, 0, done)
        self.assertIn("result     1000\n", done.out)
        self.assertRegex(done.err, r"\Aredhost: [^\n]+%s[^\n]+--cache-dir[^\n]+\.\n\Z" % re.escape(reason))

    def test_not_a_directory(self):
        self.write("file", b"")
        self.check(self.redhost(*RUN, "--cache-dir", self.path("file")), "Not a directory")
        self.check(self.redhost(*RUN, env={"REDHOST_CACHE_DIR": "/dev/null"}), "Not a directory")
        self.check(self.redhost(*RUN, env={"XDG_CACHE_HOME": "/proc/x"}), "No such file")
        done = self.redhost(*RUN, "-q", "--cache-dir", "/dev/null")  # -q: errors only
        self.assertEqual((done.code, done.out, done.err), (0, "1000\n", ""))

    def test_read_only_home(self):
        how, home = {}, os.path.join(self.home, "read-only")
        os.mkdir(home, 0o555)
        env = {"HOME": home, "XDG_CACHE_HOME": ""}
        if os.geteuid() == 0:
            if not cli.reachable_by_all(cli.REDHOST):
                self.skipTest("%s is not for other users" % cli.REDHOST)
            how = {"user": 65534, "group": 65534, "extra_groups": []}
            env["POCL_CACHE_DIR"] = os.path.join(self.home, "pocl-of-nobody")
            os.mkdir(env["POCL_CACHE_DIR"])
            os.chmod(env["POCL_CACHE_DIR"], 0o777)
        self.check(self.redhost(*RUN, env=env, **how), "Permission denied")
        self.assertEqual(os.listdir(home), [])

    def test_full_disk(self):
        disk = os.path.join(self.home, "disk")
        os.mkdir(disk)
        unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
        mount = "mount -t tmpfs -o size=8k redhost-test '%s'" % disk
        if not shutil.which("unshare") or not cli.try_running([*unshare, "sh", "-c", mount]):
            self.skipTest("no small file system can be mounted here")
        done = subprocess.run([*unshare, "sh", "-c", mount + ' && "$0" "$@"; code=$?; find "%s" -type f -size +0; exit $code' % disk,
                               cli.REDHOST, *RUN, "--cache-dir", disk], env=self.env, cwd=self.cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=cli.PATIENCE, text=True)
        self.check(cli.Done(RUN, done.returncode, done.stdout, done.stderr, 0, 0), "No space left on device")
        self.assertNotIn(disk, done.stdout, "a part of a file is left")


class Environment(CacheCase):
    def test_comma_locale(self):
        """Nothing depends on the locale."""
        plain = self.good("--run", "serial", "-n", "1000", "-q").out
        for locale in ("de_DE.UTF-8", "fr_FR.utf8", "C.UTF-8", "nonsense"):
            self.assertEqual(self.good("--run", "serial", "-n", "1000", "-q", env={"LC_ALL": locale}).out, plain)
        installed = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE, text=True).stdout
        if not re.search(r"^(de|fr)_", installed, re.M):
            self.skipTest("no locale with a decimal comma is installed")

    def test_empty_variables_are_none(self):
        env = {"REDHOST_DEVICE": "", "REDHOST_PLUGIN_PATH": "", "REDHOST_CACHE_DIR": "", "REDHOST_NO_CACHE": "",
               "REDHOST_BUILD_OPTIONS": ""}
        self.is_cached(env=env)
        self.assertTrue(self.is_cached())
