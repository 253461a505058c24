"""--partial and --merge: the bits of the whole from any cut, merged in any order, and a sentence for what does not go together."""

import os
import random
import struct

import redhost_cli as cli

N = 100003
ELEMENT = {"8": 1, "16": 2, "32": 4, "64": 8}


class Partials(cli.Case):

    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())

    def part(self, name, *options, **how):
        self.assertEqual(self.good(*options, "--partial", name, "-q", **how).out, "")
        return name

    def cuts(self, count, n=N):
        return [0, *sorted(self.random.randint(0, n) for _ in range(count - 1)), n]

    def parts_of(self, count, *options, grain=1):
        starts = [start // grain * grain for start in self.cuts(count)[:-1]] + [N]
        how = () if any(option.startswith("--run=") for option in options) else ("--run=native",)
        parts = [self.part("%d.part" % k, *how, "-n%d" % N, *options, "--slice=%d:%d" % cut)
                 for k, cut in enumerate(zip(starts, starts[1:]))]
        self.random.shuffle(parts)
        return parts


class Bits(Partials):
    def test_standard_output_and_input(self):
        """-, of the bytes alone."""
        part = self.part("0.part", "--run=native", "-n%d" % N, "-tf32", "--slice=0:1000")
        with open(self.path("1.part"), "w+b") as pipe:
            self.good("--run=native", "-n%d" % N, "-tf32", "--slice=1000:%d" % N, "--partial=-", stdout=pipe)
            for more in ((), ("-q", "--partial=-")):
                pipe.seek(0)
                with open(self.path("2.part"), "wb") as out:
                    self.good("--merge", part, "-", *more, stdin=pipe, stdout=out)
        one = self.good("--run=native", "-n%d" % N, "-tf32", "-q").out
        self.assertEqual(self.good("--merge", "2.part", "-q").out, one)
        for mode in (("--run=native", "-n1000"), ("--merge", part)):
            self.bad(2, "--json and --partial=- are mutually exclusive: both would write to standard output", *mode, "--partial=-", "--json")

    def test_a_part_has_few_chunks(self):
        """Small ones lead to the first that is aligned, wherever a part begins, and large ones follow."""
        for first, end in ((512, 2**20), (100, 2**20), (100, 2**20 - 512), (0, 2**20 - 100), (3 * 2**17 + 512, 2**20)):
            part = self.part("few.part", "--run=native", "-n2^20", "-tf32", "--slice=%d:%d" % (first, end))
            data = cli.read(self.path(part))
            text, = struct.unpack("=Q", data[40:48])
            chunks, = struct.unpack("=Q", data[120 + text + 72:][:8])
            self.assertLessEqual(chunks, 64 + 2 * 11, (first, end))

    def test_a_part_that_ends_the_whole_but_not_its_data(self):
        for end in (1000, 1536, 4999):
            for problem in (("--op=sum",), ("--map=sin(x)",)):
                part = self.part("end.part", "--run=native", "-n5000", *problem, "--slice=0:%d" % end, "--whole=%d" % end)
                self.assertEqual(self.good("--merge", part, "-q").out, self.good("--run=native", "-n%d" % end, *problem, "-q").out, end)

    def test_a_sample_of_none_is_no_check(self):
        parts = [self.part("%s.part" % cut, "--run=native", "-n600", "--check=sampled", "--slice=" + cut) for cut in ("0:100", "100:600")]
        self.assertIn("not judged", self.good("--merge", *parts, quiet=False).out)

    def test_functions_that_err(self):
        """On a device, their bits are its own."""
        options = ("--run=onepass", "-n%d" % N, "--map=sin(x)*x")
        self.assertEqual(self.value("--merge", *self.parts_of(5, *options, grain=512)), self.value(*options))
        self.bad(2, "multiple of 512 elements|element 7 is none", *options, "--slice=7:1024", "--partial=a.part")

    def test_files_end_to_end(self):
        """Each file is a part; the first one's place is 0."""
        data = self.random.randbytes(4 * N)
        self.write("whole.raw", data)
        for kind in ("i32", "u8", "u16"):
            size = ELEMENT[kind.strip("iuf")]
            n = 4 * N // size
            starts, names = self.cuts(5, n), []
            for k, (first, stop) in enumerate(zip(starts, starts[1:])):
                self.write("%d.raw" % k, data[first * size:stop * size])
                place = ("--first=%d" % first,) if k else ()
                names.append(self.part("%d.part" % k, "--input=%d.raw" % k, "-t" + kind, "--op=argmax", *place))
            self.random.shuffle(names)
            self.assertEqual(self.value("--merge", *names), self.value("--input=whole.raw", "-t" + kind, "--op=argmax"))

    def test_slices_of_files(self):
        file = os.path.join(cli.DATA, "sunspots_yearly.npy")
        one = self.value("--input", file, "--op=argmax")
        parts = [self.part("%s.part" % cut.replace(":", "-"), "--input", file, "--op=argmax", "--slice", cut) for cut in ("100:309", "0:100")]
        self.assertEqual(self.value("--merge", *parts), one)

    def test_ranks_write_one(self):
        parts = [self.part("a.part", "--run=native", "-n%d" % N, "--slice=0:70001", "--ranks=3"),
                 self.part("b.part", "--run=native", "-n%d" % N, "--slice=70001:%d" % N)]
        self.assertEqual(self.value("--merge", *parts), self.value("--run=native", "-n%d" % N))

    def test_in_a_process_of_its_own(self):
        parts = self.parts_of(2, "--isolate=always")
        self.assertEqual(self.value("--merge", *parts), self.value("--run=native", "-n%d" % N))


class Output(Partials):
    def test_what_is_written(self):
        done = self.good("--run=native", "-n5000", "--slice=1000:3000", "--partial=a.part")
        self.assertRegex(done.out, r"\Apartial    a\.part   \d+ bytes   elements 1000 to 2999   sum f32   check full\n\Z")
        part = self.json("--run=native", "-n5000", "--slice=1000:3000", "--partial=a.part")["partial"]
        self.assertEqual((part["first"], part["n"], part["whole"], part["strategy"]), (1000, 2000, 5000, "native"))
        self.assertEqual(part["bytes"], os.path.getsize(self.path("a.part")))

    def test_what_is_merged(self):
        parts = self.parts_of(3)
        done = self.good("--merge", *parts)
        self.assertRegex(done.out, r"(?m)^native  sum f32  n = 100003 .* merged from 3 parts$")
        self.assertRegex(done.out, r"(?m)^check      exact .* ok$")
        (result,) = self.json("--merge", *parts)["results"]
        self.assertEqual((result["n"], result["parts"], result["strategy"], result["check"]["outcome"]), (N, 3, "native", "ok"))

    def test_same_bytes(self):
        """What is written does not depend on the order of merging, nor do trees change the value."""
        parts = self.parts_of(7)
        self.part("a.part", "--merge", *parts)
        self.part("b.part", "--merge", *reversed(parts))
        self.assertEqual(cli.read(self.path("a.part")), cli.read(self.path("b.part")))
        tree = [self.part("a.part", "--merge", *parts[:3]), *parts[3:]]
        self.assertEqual(self.value("--merge", *tree), self.value("--run=native", "-n%d" % N))


class Refused(Partials):
    def test_parts_that_do_not_go_together(self):
        one = self.part("one.part", "--run=native", "-n5000", "--slice=0:1000")
        for options, words in ((("--check=sampled",), "check is 'full' and 'sampled'"), (("--run=cpu_serial",), "strategy is 'of the canonical order' and 'cpu_serial'"),
                               (("-n4000",), "number of elements is 5000 and 4000"), (("--seed=2",), "seed is 1 and 2"),
                               (("--data=ramp",), "kind of data is 'uniform' and 'ramp'"), (("--finalize=a*2",), "finalizer is none and 'a*2'"), (("--initial=3",), "operator is 'sum' and 'sum from 3'"),
                               (("--whole=4000",), "one whole that ends before element 4000")):
            how = () if "--run=cpu_serial" in options else ("--run=native",)
            other = self.part("other.part", *how, "-n5000", "--slice=1000:2000", *options)
            self.bad(6, words, "--merge", one, other)

    def test_how_a_file_is_stored(self):
        """The order of the elements in memory decides which has which index."""
        import numpy
        array = numpy.arange(60, dtype="<f4").reshape(3, 4, 5)
        for name, stored in (("c", array), ("f", numpy.asfortranarray(array)), ("rows", array.reshape(3, 20)), ("half", array[:1]), ("flat", array.ravel()),
                             ("fhalf", numpy.asfortranarray(array[:, :, 2:]))):
            numpy.save(self.path(name + ".npy"), stored)
        c = self.part("c.part", "--input=c.npy", "--op=argmax", "--slice=0:20")
        for name, words in (("f", "memory order is 'C' and 'Fortran'"), ("rows", "shape behind the slowest dimension is '(4, 5)' and '(20)'"),
                            ("flat", "memory order is 'C' and none")):
            self.bad(6, words, "--merge", c, self.part("other.part", "--input=%s.npy" % name, "--op=argmax", "--slice=20:60"))
        half = self.part("half.part", "--input=half.npy", "--op=argmax")
        rest = self.part("rest.part", "--input=c.npy", "--op=argmax", "--slice=20:60")
        self.assertEqual(self.value("--merge", half, rest), "59")
        f = self.part("f.part", "--input=f.npy", "--op=sum", "--slice=0:24")
        fhalf = self.part("fhalf.part", "--input=fhalf.npy", "--op=sum", "--first=24")
        self.assertEqual(self.value("--merge", f, fhalf), "1770")
        generated = self.part("generated.part", "--run=native", "-n60", "--op=argmax", "--slice=20:60")
        self.bad(6, "kind of data is none and 'uniform'", "--merge", self.part("flat.part", "--input=flat.npy", "--op=argmax", "--slice=0:20"), generated)

    def test_gaps_and_overlaps(self):
        a, b, c = (self.part(name, "--run=native", "-n5000", "--slice=" + cut)
                   for name, cut in (("a.part", "0:1000"), ("b.part", "1000:3000"), ("c.part", "2999:5000")))
        self.bad(6, "c.part: |overlap: element 2999 is in two", "--merge", a, b, c)
        self.bad(6, "a.part: |overlap: element 0 is in two", "--merge", a, a)
        self.bad(6, "missing: element 1000,", "--merge", a, c)
        self.bad(6, "missing: element 3000,", "--merge", a, b)
        self.bad(6, "missing: element 0,", "--merge", b)

    def test_no_input_is_written_over(self):
        self.write("in.bin", struct.pack("<1000d", *range(1000)))
        os.link(self.path("in.bin"), self.path("same.bin"))
        os.symlink("in.bin", self.path("link.bin"))
        for name in ("in.bin", "same.bin", "link.bin"):
            self.bad(2, "--partial %s: this is the file in.bin, which is read" % name, "--input=in.bin", "-tf64", "--partial=" + name)
        part = self.part("a.part", "--input=in.bin", "-tf64")
        self.bad(2, "this is the file a.part", "--merge", part, "--partial", part)
        self.assertEqual(self.good("--merge", part, "-q").out.strip(), "499500")

    def test_what_is_no_partial_is_not_read(self):
        with open(self.path("large.npy"), "wb") as file:
            file.truncate(1 << 36)
        self.bad(6, "large.npy: this is not a partial", "--merge", "large.npy")
        self.bad(6, "/dev/zero: this is not a partial", "--merge", "/dev/zero")
        part = self.part("a.part", "--run=native", "-n1000")
        with open(self.path(part), "r+b") as file:
            file.truncate(1 << 36)
        self.bad(6, "a.part: ", "--merge", part)

    def test_files_that_are_none(self):
        part = self.part("a.part", "--run=native", "-n5000")
        data = cli.read(self.path(part))
        newer = data[:8] + b"\x09" + data[9:]
        for name, content, words in (("cut", data[:-1], "cut short"), ("empty", b"", "cut short"), ("long", data + b"x", "damaged"),
                                     ("newer", newer, "version 9"), ("other", b"x" * 4096, "not a partial")):
            self.bad(6, name + ": |" + words, "--merge", self.write(name, content))
        self.bad(6, "absent", "--merge", "absent")
        self.bad(6, ".", "--merge", ".")

    def test_numbers_of_elements(self):
        for wrong in ("1KiB", "a", "-1", "1:2", ""):
            self.bad(2, "expected", "--run=native", "-n5000", "--slice=0:" + wrong, "--partial=a.part")
            self.bad(2, "expected", "--run=native", "-n5000", "--whole=" + wrong, "--partial=a.part")

    def test_options(self):
        part = "--partial=a.part"
        for words, options in (("--slice goes with --partial", ("--slice=0:1",)), ("--first goes with --partial", ("--first=1",)),
                               ("--whole goes with --partial", ("--whole=1",)), ("expected A:B", ("--slice=1", part)),
                               ("expected A:B", ("--slice=:7", part)), ("ends before it begins", ("--slice=7:6", part)),
                               ("has 5000 elements", ("--slice=0:5001", part)), ("where a file begins", ("--first=1", part)),
                               ("the whole has 10 elements", ("--whole=10", part)), ("one device", ("-d", "0:0,0:1", part))):
            self.bad(2, words, "--run=native", "-n5000", *options)
        self.bad(2, "cannot share standard input", "--run=native", "--input=-", "-tf32", part)
        self.bad(2, "--merge takes files", "--merge")
        whole = self.part("whole.part", "--run=native", "-n10")
        for status, words, option in ((3, "no device matches 'nonsense'", "--device=nonsense"), (6, "plugin absent.so: No such file", "--plugin=absent.so"),
                                      (2, "--isolate", "--isolate=perhaps"), (2, "--timeout", "--timeout=soon")):
            self.bad(status, words, "--merge", whole, option)
        for option in ("--isolate=always", "--timeout=5", "--no-cache", "--cache-dir=.", "--device=0:0"):
            self.assertEqual(self.value("--merge", whole, option), self.value("--run=native", "-n10"))
        self.bad(2, "cannot be used with", "--list", part)
        self.write("x.raw", b"\0" * 64)
        self.bad(2, "uses n|--whole", "--run=native", "--input=x.raw", "-tf32", "--map=x*n", part)
        self.part("a.part", "--run=native", "--input=x.raw", "-tf32", "--map=x*n", "--whole=16")
        self.bad(6, "No such file", "--run=native", "-n10", "--partial=absent/a.part")
