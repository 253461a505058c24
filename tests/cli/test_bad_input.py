"""Bad input gets the exit status in cli.md and one sentence that names what, where and what to do; nothing else happens."""

import bz2
import gzip
import lzma
import os
import pickle
import re
import resource
import struct
import subprocess
import time

import redhost_cli as cli
from redhost_cli import NO_PLATFORM

SERIAL = ["--run", "serial"]
CASCADE = ["--run", "cascade"]


class Usage(cli.Case):
    """Exit 2.  There is no platform, so no device is needed to find the error.  golden/mistakes.txt has the usual ones, whole."""

    def usage(self, words, *args):
        return self.bad(2, words, *args, env=NO_PLATFORM, as_typed=True)

    def test_names(self):
        self.usage("'nothing'|--list", "--run", "nothing", "-n", "10")
        self.usage("''|--list", "--run", "")
        self.usage("'../cascade'", "--run", "../cascade")
        self.usage("'SUM'|argmax", *CASCADE, "--op", "SUM")
        self.usage("''|argmax", *CASCADE, "--op", "")
        self.usage("''|onehot", *CASCADE, "--data", "")
        self.usage("--op xor|f64", "--list", "--op", "xor", "--type", "f64")
        self.usage("--progress|'x'|never", *SERIAL, "--progress=x")

    def test_parameters(self):
        for setting, words in (("colour=5", "colour|--info"), ("tile=-1", "tile=-1|0 to 4096"),
                               ("tile=99999999999999999999", "0 to 4096"), ("tile=1.5", "0 to 4096"),
                               ("tile=x", "0 to 4096"), ("tile=0x10", "0 to 4096"), ("tile=5 ", "0 to 4096"),
                               ("finish=moon", "host or device"), ("finish=hos", "host or device"),
                               ("tile=", "KEY=VALUE"), ("tile", "KEY=VALUE"), ("=5", "KEY=VALUE"), ("", "KEY=VALUE"),
                               ("k" * 100 + "=1", "KEY=VALUE")):
            with self.subTest(setting=setting):
                self.usage(words, *CASCADE, "-n", "10", "--param", setting)
        self.usage("--param|64 times", *CASCADE, *["-pk%d=1" % k for k in range(65)])
        self.usage("--param tile is given twice", *CASCADE, "-ptile=1", "-ptile=2")

    def test_sizes(self):
        for size in ("", "1:2", "\u0663", "5\n", "8796093022208Mi"):  # unit.test_axes has more
            self.usage("--size '%s'" % size.replace("\n", "?"), *SERIAL, "-n", size)
        self.usage("--size '1B'|multiple of 8", *SERIAL, "-n", "1B", "-t", "f64")
        self.bad(3, "more than 2^64 bytes; this machine has", *SERIAL, "-n", "9223372036854775807", env=NO_PLATFORM)
        for seed in ("", "-1", " 5", "18446744073709551616", "5 "):
            self.usage("--seed '%s'|2^64-1" % seed, *SERIAL, "-n", "10", "--seed", seed)

    def test_of_nothing(self):
        for op in ("min", "max", "argmin", "argmax", "amax", "argamax"):
            for kind in ("i8", "u64", "f16", "f64"):
                self.usage("%s of an empty array is undefined" % op, *CASCADE, "-n", "0", "--op", op, "-t", kind)
        self.write("none.npy", cli.npy("f32", b"", "(0, 7)"))
        self.usage("min of an empty array", *SERIAL, "-i", "none.npy", "--op", "min")

    def test_combinations(self):
        self.usage("--devices|--info|mutually exclusive", "--devices", "--info", "cascade")
        self.usage("--help|--version|mutually exclusive", "--help", "--version")
        self.usage("--info|twice", "--info", "serial", "--info", "serial")
        self.usage("--op|--devices", "--devices", "--op", "sum")
        self.usage("--no-cache|--list", "--list", "--no-cache")
        self.usage("--data|--input|mutually exclusive", *SERIAL, "--data", "equal", "-i", "x")
        self.usage("--seed|--input|mutually exclusive", *SERIAL, "--seed", "2", "-i", "x")

    def test_options(self):
        for option in ("--run", "--info", "--device", "--size", "--op", "--type", "--input", "--data", "--seed",
                       "--param", "--color", "--progress", "--plugin", "--plugin-path", "--cache-dir", "--siz"):
            self.usage("needs a value", option)
        for letter in "rdntip":
            self.usage("needs a value", "-q" + letter)
        for option in ("--list=1", "--json=yes", "--quiet=", "--no-check=0", "--help=x"):
            self.usage("takes no value|'%s'" % option, option)
        self.usage("'--bogus'|--help", "operand", "--bogus")
        self.usage("'--bogus=3'|--help", "--list", "--bogus=3")
        self.usage("'-Z'|--help", "-qZ", "--list")
        self.usage("'-Z'|--help", "-Zq")
        self.usage("'nosuch'|--list", "--list", "nosuch")
        self.usage("--strategy|'native'|one list", "--list", "-s", "serial", "native")
        self.usage("seconds for each point", "--bench", "--max-time=0")
        self.usage("expected full, sampled or none", *SERIAL, "--check=half")

    def test_what_there_is_instead(self):
        """Options that other tools have, or that other modes have, say the way out."""
        self.write("x.npy", cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)"))
        self.usage("--output|-q prints a value", "x.npy", "-o", "sum.npy")
        self.usage("--strategy|--run|--run A,B", "--run", "auto", "-s", "cascade", "x.npy")
        self.usage("--input|--bench|measures a file", "--bench", "-i", "x.npy")
        self.usage("operand y is not used|--map 'x*y'", "-i", "x.npy,x.npy")
        self.usage("'gone.txt'|no file is called so", "gone.txt")
        for name in ("sum", "affine", "mean", "meanvar"):  # built in, and those that come along
            self.usage("an operator '%s'" % name, "--new-plugin", name)
        for more in (["--ranks=2"], ["--partial", "p"], ["--transport=local", "--ranks=2"], ["-i", "-"]):
            self.usage("--run 'serial,native'|one strategy", "--run", "serial,native", *more)
        self.usage("affine is not defined for u32", "--run", "serial,native", "-n", "3", "-t", "u32", "--op=affine")
        self.usage("--run 'serial,'|comma", "--run", "serial,", "-n", "3")
        self.usage("--size|--input|mutually exclusive", *SERIAL, "-n", "5", "--", "x.npy")
        self.usage("device|empty name", *CASCADE, "-n", "5", "-d", "")

    def test_twice(self):
        """No option drops its first value without a word, whatever the mode."""
        options = re.findall(r"--([a-z-]+)\[?=", self.good("--help", "all").out.split("Problem:")[1].split("Environment:")[0])
        once = [name for name in options if name not in ("let", "param", "peer", "export", "output")]
        self.assertGreater(len(once), 40)
        for k, name in enumerate(once):
            self.usage("--%s is given twice" % name, "--%s=1" % name, "--%s=%d" % (name, 1 + k % 2))
        self.usage("--input is given twice|--input x.npy,y.npy", "-i", "a.npy", "-i", "b.npy")
        self.usage("--stream is given twice", *SERIAL, "--stream", "--stream=4096")
        self.usage("--where is given twice|--where 'x > 0 && x < 5'", *SERIAL, "--where", "x > 1", "--where", "x < 5")
        self.usage("--plugin is given twice|--plugin-path", "--list", "--plugin", "a.so", "--plugin", "b.so")
        self.value(*SERIAL, "-q", "-n", "10", "--map", "x*a + b", "--let", "a=1", "--let", "b=2")

    def test_files_as_operands(self):
        self.write("x.npy", cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)"))
        self.write("the y.npy", cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)"))
        self.write("a,b.npy", cli.npy("f32", struct.pack("<3f", 1, 2, 5), "(3,)"))
        for args, wanted in ((["x.npy"], "7"), (["x.npy", "--op", "max"], "4"), (["--op", "max", "the y.npy"], "4"), (["a,b.npy"], "8"),
                             (["x.npy", "the y.npy", "--op=dot"], "21"), (["--run", "native", "x.npy"], "7")):
            self.assertEqual(self.value(*args), wanted)
        self.assertEqual(self.good("-q", "--map", "x > 1", "--", "x.npy").out, "2\n")
        self.bad(6, "gone.npy: cannot be opened", "gone.npy")
        self.usage("'the y.npy'|one list|--input A,B", "-i", "x.npy", "the y.npy")
        self.usage("'a,b.npy'|comma|rename it", "x.npy", "a,b.npy", "--op=dot")
        self.usage("too long together", *["x" * 400 + ".npy"] * 20)
        self.usage("--size|--input|brings its own size", "x.npy", "-n", "3")
        self.usage("unexpected operand 'gone'", "gone")
        self.usage("unexpected operand 'x.npy'", "--bench", "x.npy")

    def test_help(self):
        """A screen for most; a topic, an option or everything for those who ask."""
        screen = self.good("--help").out
        self.assertLessEqual(len(screen.splitlines()), 24)
        self.assertLessEqual(max(map(len, screen.splitlines())), 79)
        everything = self.good("--help", "all").out
        topics = screen.split("one of ")[1].replace("\n", " ").rstrip(". ").split(", ")
        for topic in topics[:-1]:
            self.assertIn(self.good("--help", topic).out, everything)
        self.assertRegex(self.good("--help", "device").out, "^  -d, --device=SPEC ")
        self.usage("--help nonsense|measuring", "--help", "nonsense")
        self.usage("--help takes one topic", "--help", "ranks", "parts")

    def test_one_dash(self):
        self.usage("'-op'|did you mean '--op'?", "-i", "x.npy", "-op", "sum")
        self.usage("'-map=x*x'|'--map=x*x'", "-i", "x.npy", "-map=x*x")
        self.usage("'--sum'|did you mean '--op sum'?", "-i", "x.npy", "--sum")

    def test_bytes(self):
        self.usage("--stream 'x'|number of bytes", *SERIAL, "--stream=x")
        self.usage("--stream '0'|at least one byte", *SERIAL, "--stream=0")

    def test_chunks(self):
        """--help says the sizes that the code has."""
        least, most, device = re.findall(r"define RH_STREAM_\w+_MIB +(\d+)", cli.text(os.path.join(cli.HERE, "..", "..", "host", "engine", "reduction", "reduction.h")))
        words = " ".join(self.good("--help", "stream").out.split())
        self.assertIn("[%sMiB to %sMiB, by the processor's cache; a GPU: %sMiB]" % (least, most, device), words)

    def test_hostile_words(self):
        """Escape sequences and endless names are sanitised before they reach the terminal."""
        self.bad(6, "cannot be opened", *SERIAL, "-i", "a\x1b[31m\nb.npy")
        self.bad(6, "cannot be opened", *SERIAL, "-i", "x" * 3000)
        self.bad(2, "unknown strategy", "--run", "x" * 3000)
        self.bad(2, "unknown strategy 'a?[31m?b'", "--run", "a\x1b[31m\nb")
        self.bad(2, "--seed '?'", *SERIAL, "--seed", "\r")
        self.bad(2, "unknown option", "--" + "x" * 3000)
        self.bad(2, "--size", *SERIAL, "-n", "1" * 3000)


class Files(cli.Case):
    """Exit 6.  There is no platform, so the error is found before a device is needed.  unit.test_array has the rules for contents."""

    def file(self, name, words, *args, content=None, code=6, **how):
        if content is not None:
            self.write(name, content)
        return self.bad(code, name + "|" + words, *CASCADE, "-i", name, *args, env=NO_PLATFORM, **how)

    # What a file begins with, how many bytes before that, and what it is called.
    KINDS = [(b"\x1f\x8b\x08\0", 0, "compressed by gzip|zcat"), (b"\xfd7zXZ\0", 0, "compressed by xz|xzcat"),
             (b"\x28\xb5\x2f\xfd\x04", 0, "compressed by zstd|zstdcat"), (b"\x04\x22\x4d\x18", 0, "compressed by lz4"),
             (b"PK\3\4", 0, "ZIP archive|.npz"), (b"7z\xbc\xaf\x27\x1c", 0, "7z archive"), (b"Rar!\x1a\7", 0, "RAR archive"),
             (b"ustar", 257, "tar archive"), (b"\x89HDF\r\n\x1a\n", 0, "HDF5|numpy.save"), (b"CDF\1", 0, "NetCDF"),
             (b"PAR1", 0, "Parquet|numpy.save"), (b"ARROW1\0\0", 0, "Arrow"), (b"FEA1", 0, "Feather"), (b"Obj\1", 0, "Avro"),
             (b"SQLite format 3\0", 0, "SQLite"), (b"n+1\0", 344, "NIfTI"), (b"DICM", 128, "DICOM"), (b"\x89PNG\r\n\x1a\n", 0, "PNG"),
             (b"\xff\xd8\xff\xe0", 0, "JPEG"), (b"II*\0", 0, "TIFF"), (b"%PDF-1.7\n\xe2\xe3", 0, "PDF"), (b"GGUF", 0, "GGUF"),
             (b"\x7fELF", 0, "a program or a library"), (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", 0, "MATLAB"),
             (b"SIMPLE  =                    T", 0, "FITS")]

    def test_other_kinds(self):
        """What the file is and what to do, never the type of raw data; in a pipe as well.  With a type a note, once."""
        made = [(mark, bytes(at) + mark + bytes(600)[:600 - at], words) for mark, at, words in self.KINDS]
        plain = cli.npy("f32", bytes(12), "(3,)")
        made += [(b"gz", gzip.compress(plain), "gzip"), (b"bz2", bz2.compress(plain), "bzip2|bzcat"), (b"xz", lzma.compress(plain), "xz"),
                 (b"pickle", pickle.dumps([1.5] * 9, 4), "a pickle"), (b"python", pickle.dumps({"x": list(range(9))}, 5), "a pickle")]
        texts = [(b"csv", b"time, x\n1.0, 2.5\n3.0, 4.5\n", "text|numpy.loadtxt"), (b"numbers", b"1 2 3\n" * 300, "text|numpy.loadtxt"),
                 (b"utf8", "gr\u00f6\u00dfe\n".encode() * 100, "text"), (b"short", b"1\n2", "text"), (b"bz", b"BZh is a text\n" * 2, "text"),
                 (b"json", b' {"x": [1, 2]}\n', "JSON|numpy.save"), (b"list", b"[1.5, 2.5, 3.5]\n", "JSON"), (b"orc", b"ORCHIDS 3\n" * 2, "text")]
        for mark, content, words in made + texts:
            with self.subTest(mark=mark, words=words):
                for done in (self.file("x.npy", words, content=content),
                             self.bad(6, "-: |" + words, *SERIAL, "-i", "-", input=content)):
                    self.assertNotIn("--type", done.err)
        for mark, content, words in made + texts:
            with self.subTest(mark=mark, words=words, type="u16"):
                self.write("x.bin", content + b"\n"[:len(content) % 2])
                for args in ((*SERIAL, "-i", "x.bin", "-t", "u16"), (*SERIAL, "-i", "x.bin", "-t", "u16", "--stream")):
                    done = self.good(*args, quiet=False)
                    is_noted = words.split("|")[0] in done.err and done.err.count("its bytes are taken for u16") == 1
                    self.assertTrue(is_noted or (mark == b"short" and not done.err), done)
                self.good(*SERIAL, "-q", "-i", "x.bin", "-t", "u16")
        self.good(*SERIAL, "-i", self.write("letters", b"how many lines\n" * 9), "-t", "u8", "--map", "x == 10")

    def test_commands_for_other_kinds(self):
        """Those that the messages name."""
        plain = cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)")
        for name, content, wanted in (("x.npy.gz", gzip.compress(plain), "7"), ("x.npy.bz2", bz2.compress(plain), "7"),
                                      ("x.npy.xz", lzma.compress(plain), "7"), ("x.csv", b"1,2\n3,4.5\n", "10.5")):
            said = self.file(name, "As in: ", content=content).err
            command = said.split("As in: ")[1].rstrip(".\n").replace("redhost ", '"$REDHOST" -q ')
            if name == "x.csv":
                if subprocess.run(["python3", "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode != 0:
                    continue
                command += '; "$REDHOST" -q -i x.npy'
            out = subprocess.run(["sh", "-c", command], env={**self.env, "REDHOST": cli.REDHOST}, cwd=self.cwd, capture_output=True)
            self.assertEqual(out.stdout.decode(), wanted + "\n", (command, out))

    def test_no_elements(self):
        self.write("none.npy", cli.npy("f32", b"", "(0,)"))
        self.assertEqual(self.value("--run", "serial", "-i", "none.npy"), "0")

    def test_standard_input_without_an_option(self):
        """A file or a pipe is reduced, as with --input -; nothing else is read, and nothing is silent."""
        content = cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)")
        self.write("v.npy", content)
        for args, wanted in (((), "native"), (("-q",), "7\n"), (("-q", "--op", "max"), "4\n"), (("--json",), '"value": "7"')):
            with open(self.path("v.npy"), "rb") as file:
                self.assertIn(wanted, self.good(*args, stdin=file, env=NO_PLATFORM).out)
            self.assertIn(wanted, self.good(*args, input=content, env=NO_PLATFORM).out)
        self.bad(6, "-: no data", "-q", input=b"")
        self.bad(2, "--quiet needs a mode", "-q")
        self.bad(2, "--size needs a mode", "-n", "10", input=content)
        reader, writer = os.pipe()  # of which nothing comes
        for args, wanted in (((), "strategies "), (("--json",), '"runnable"'), (("--run", "serial", "-n", "10", "-q"), "")):
            self.assertIn(wanted, self.good(*args, stdin=reader, env=NO_PLATFORM).out)
        os.close(writer)
        os.close(reader)


class Devices(cli.Case):
    """Exit 3."""

    def only_the_host_runs(self, env):
        """Not counting functions of libraries, which are host code too."""
        rows = [line.split() for line in self.good("--list", env=env).out.splitlines()]
        names = [row[0] for row in rows if "yes" in row and not row[0].startswith("openblas_")]
        self.assertEqual(names, ["native", "serial", "superaccumulator"])

    def only_the_host_works(self, words, env):
        """Where there is no device at all, and each sentence says so with these words."""
        for args in (CASCADE, [*CASCADE, "-n", "10"], ["--devices"], ["--devices", "--json"], ["--devices", "-q"]):
            self.bad(3, words, *args, env=env)
        self.only_the_host_runs(env)
        self.assertIn("cascade\n", self.good("--list", "-q", env=env).out)
        self.assertIn(words.split("|", 1)[0], self.good(env=env).out)
        self.assertIn("tiles_per_unit", self.good("--info", "cascade", env=env).out)
        for strategy in ("serial", "native", "auto"):
            self.assertEqual(self.value("--run", strategy, "--data", "equal", "-n", "10", "-t", "i8", env=env), "10")

    def test_no_platform(self):
        self.only_the_host_works("no OpenCL platform|OCL_ICD_VENDORS", NO_PLATFORM)

    def test_no_opencl(self):
        """Neither a library of OpenCL nor another in its place; nobody else's is taken then."""
        missing = {"REDHOST_OPENCL": "/proc/nonexistent.so"}
        self.only_the_host_works("no OpenCL device|/proc/nonexistent.so was not found|package ocl-icd-libopencl1|package pocl-opencl-icd", missing)
        self.only_the_host_works("no OpenCL device|libm.so.6: has no function 'cl", {"REDHOST_OPENCL": "libm.so.6"})
        self.only_the_host_works("no OpenCL device|invalid ELF header", {"REDHOST_OPENCL": os.path.realpath(__file__)})

    def test_platform_without_devices(self):
        env = {"POCL_DEVICES": ""}
        if self.redhost("--devices", env=env).code == 0:
            self.skipTest("POCL_DEVICES='' does not take the devices away here")
        self.bad(3, "platform|no device", *CASCADE, "-n", "10", env=env)
        self.bad(3, "platform|no device", "--devices", env=env)
        self.only_the_host_runs(env)

    def test_unknown(self):
        for spec in ("MI300", "7", "0:7", "7:0", "0:0:0", "99999999999999999999", "1e3"):
            self.bad(3, "'%s'|0:0" % spec, *CASCADE, "-n", "10", "-d", spec)
            self.bad(3, "'%s'|0:0" % spec, "--list", "-d", spec)
        self.bad(3, "'MI300'|REDHOST_DEVICE|0:0", *CASCADE, "-n", "10", env={"REDHOST_DEVICE": "MI300"})
        self.value(*CASCADE, "-n", "10", "-d", "0:0", env={"REDHOST_DEVICE": "MI300"})  # the option wins

    def test_ambiguous(self):
        env = {"POCL_DEVICES": "basic basic"}
        if len(self.good("--devices", "-q", env=env).out.split()) < 2:
            self.skipTest("PoCL does not show two devices here")
        name = self.json("--devices", env=env)["devices"][0]["platform"]
        self.bad(2, "'%s'|ambiguous|0:0|0:1|index" % name, *CASCADE, "-n", "10", "-d", name, env=env)
        self.bad(2, "'%s'|REDHOST_DEVICE|ambiguous" % name, *CASCADE, "-n", "10", env={**env, "REDHOST_DEVICE": name})
        self.value(*CASCADE, "-n", "10", "-d", "0:1", env=env)

    def test_too_large(self):
        """The message has both numbers and comes at once, before anything is allocated."""
        most = next(d for d in self.json("--devices")["devices"] if d["default"])["max_alloc_bytes"]

        def little_memory():
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

        if self.redhost("--devices", preexec_fn=little_memory).code != 0:  # as with the address sanitizer
            little_memory = None

        for size, kind, asked in (("2^40", "f32", "4096 GiB"), ("2^43", "f64", "65536 GiB|6.554e+04 GiB"), ("2^40", "i8", "1024 GiB")):
            done = self.redhost(*CASCADE, "-n", size, "-t", kind, preexec_fn=little_memory)
            self.assertEqual((done.code, done.out), (3, ""), done)
            self.assertIn("--size " + size, done.err)
            self.assertTrue(any(words in done.err for words in asked.split("|")), done)
            self.assertIn("%.4g GiB" % (most / 2**30), done.err)
            self.assertLess(done.processor_s, 5)

    def test_declined(self):
        """Exit 4: the strategy declines and says why."""
        if "atomic" not in self.good("--list", "-q").out.split():
            self.skipTest("there is no strategy `atomic'")
        self.bad(4, "'atomic'|argmin", "--run", "atomic", "-n", "10", "--op", "argmin")


class Output(cli.Case):
    """Standard output that cannot be written to: exit 6."""

    def test_full(self):
        for args in (["--list"], ["--list", "--json"], ["--help"], ["--version"], [], ["--devices"], ["--info", "serial"],
                     [*SERIAL, "-n", "10"], [*SERIAL, "-n", "10", "-q"], [*CASCADE, "-n", "10", "--json"]):
            with open("/dev/full", "wb") as full:
                self.bad(6, "standard output|No space left", *args, stdout=full)

    def test_closed(self):
        """A file that is opened later does not become standard output."""
        content = cli.npy("f32", struct.pack("<3f", 1, 2, 4), "(3,)")
        self.write("v.npy", content)
        for args in (["--list"], [*SERIAL, "-i", "v.npy"], [*CASCADE, "-q", "-i", "v.npy"], ["--version"]):
            done = self.redhost(*args, stdout=None, preexec_fn=lambda: os.close(1))
            self.assertEqual(done.code, 6, done)
            self.assertRegex(done.err, r"\Aredhost: standard output: [^\n]+\.\n\Z")
        self.assertEqual(cli.read(self.path("v.npy")), content)

    def test_descriptors_are_held(self):
        """While redhost runs, no file takes the descriptors of the closed standard output and standard error."""
        process = subprocess.Popen([cli.REDHOST, *SERIAL, "-t", "i8", "-i", "-"], env=self.env, stdin=subprocess.PIPE,
                                   preexec_fn=lambda: (os.close(1), os.close(2)))
        self.addCleanup(process.wait)
        self.addCleanup(process.stdin.close)
        end = time.monotonic() + cli.PATIENCE
        while "redhost" not in os.path.basename(os.readlink("/proc/%d/exe" % process.pid)) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.2)
        for fd in (1, 2):
            self.assertEqual(os.readlink("/proc/%d/fd/%d" % (process.pid, fd)), "/dev/null")

    def test_closed_standard_error(self):
        done = self.redhost(*CASCADE, "-q", "-n", "100", "-t", "i8", "--data", "equal", stderr=None, preexec_fn=lambda: os.close(2))
        self.assertEqual((done.code, done.out), (0, "100\n"))
        self.assertEqual(self.redhost(*CASCADE, "-n", "x", stderr=None, preexec_fn=lambda: os.close(2)).code, 2)
        done = self.redhost("--list", "-q", stderr=None, stdin=None, preexec_fn=lambda: (os.close(0), os.close(2)))
        self.assertEqual(done.code, 0)
        self.assertIn("serial\n", done.out)

    def piped(self, *args, **how):
        """Into a pipe whose reader is gone."""
        reader, writer = os.pipe()
        os.close(reader)
        try:
            return self.redhost(*args, stdout=writer, **how)
        finally:
            os.close(writer)

    def test_closed_pipe(self):
        for args in (["--list"], [*SERIAL, "-n", "10"], [*SERIAL, "-n", "10", "--json"], [*CASCADE, "-n", "10", "-q"], ["--help"]):
            done = self.piped(*args)  # Python gives its children SIGPIPE as it was: it ends them, silently
            self.assertEqual((done.code, done.err), (-13, ""), done)
            done = self.piped(*args, restore_signals=False)  # ignored, as under some servers
            self.assertEqual(done.code, 6, done)
            self.assertRegex(done.err, r"\Aredhost: standard output: [^\n]+\.\n\Z")
