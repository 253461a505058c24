"""test_abi.py HEADER CC [--update]: ABI 1.2 is frozen.  Everything that abi-1.2.layout says must still be so.

--update writes what the header has and the file has not, which is for the day on which a minor version is frozen."""
import os
import re
import sys
import unittest

import abi
import pathlib

UPDATE = "--update" in sys.argv
HEADER, CC = [word for word in sys.argv[1:] if word != "--update"]
FOLDER = os.path.dirname(os.path.abspath(__file__))
PRELUDE, PRELUDE_GOLDEN = os.path.join(abi.ROOT, "kernels", "prelude"), os.path.join(FOLDER, "prelude-1.2.functions")
GOLDEN = os.path.join(FOLDER, "abi-1.2.layout")


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


@unittest.skipUnless(sys.maxsize > 2**32, "the layout is pinned on machines with 64-bit pointers")
class Abi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = read(HEADER)
        cls.golden = read(GOLDEN).splitlines()

    def test_frozen(self):
        self.assertEqual(abi.complaints(self.golden, abi.describe(CC, self.header)), [])

    def test_golden_is_whole(self):
        """A golden file without its lines would accept anything."""
        structs = {line.split()[1] for line in self.golden if line.startswith("struct")}
        self.assertEqual(structs, {"rh_op", "rh_device", "rh_problem", "rh_param", "rh_answer", "rh_arg", "rh_host", "rh_run",
                                   "rh_strategy", "rh_plugin", "rh_op_part", "rh_layout"})
        self.assertGreaterEqual(len(self.golden), 233)

    # ---- That it notices: what somebody could do to the header, and must not ----

    def edited(self, pattern, replacement, header=None):
        text, count = re.subn(pattern, replacement, header or self.header, count=1)
        self.assertEqual(count, 1, pattern)
        return text

    def refused(self, pattern, replacement, words):
        with self.subTest(edit=replacement):
            try:
                found = abi.complaints(self.golden, abi.describe(CC, self.edited(pattern, replacement)))
            except abi.Broken as broken:
                found = [str(broken)]
            self.assertRegex("\n".join(found), words)

    def test_notices(self):
        self.refused(r"  uint64_t local_bytes; ", r"  uint64_t inserted;\n\g<0>", "moved|hidden|pinned|LAYOUT")
        self.refused(r"  uint32_t id;", r"  uint32_t number;", "error|no member")
        self.refused(r"  int32_t score;", r"  uint32_t score;", "rh_answer.score")
        self.refused(r"char reason\[160\]", r"char reason[168]", "rh_answer.reason")
        self.refused(r"(\(\*fold\)\(void \*accumulator, const void \*input, uint64_t first, uint64_t) n", r"\1 n, int x", "fold")
        self.refused(r"X\(max, 4,", r"X(max, 44,", "RH_OP_max")
        self.refused(r"X\(affine, 10,", r"X(other, 10, 0) X(affine, 10,", "twice")
        self.refused(r"X\(min, 3, RH_OP_COMMUTATIVE \|", r"X(min, 3,", "RH_OP_min")
        self.refused(r"X\(f16, 9, 2\)", r"X(f16, 9, 4)", "RH_TYPE_f16")
        self.refused(r"X\(RH_E_CL, -3,", r"X(RH_E_CL, -33,", "RH_E_CL")
        self.refused(r"RH_SUBGROUPS\s+\(1ull << 2\)", "RH_SUBGROUPS (1ull << 9)", "RH_SUBGROUPS")
        self.refused(r"RH_CANONICAL_ORDER\s+\(1ull << 1\)", "RH_CANONICAL_ORDER (1ull << 2)", "RH_CANONICAL_ORDER")
        self.refused(r"const void \*value; /\* pointer", r"const void *value; uint64_t more; /* pointer", "rh_arg|LAYOUT")
        self.refused(r"RH_SERVES_LAYOUTS\s+\(1ull << 3\)", "RH_SERVES_LAYOUTS (1ull << 5)", "RH_SERVES_LAYOUTS")
        self.refused(r"  uint64_t length, inner; ", "  uint64_t inner, length; ", "rh_layout|moved")
        self.refused(r"RH_LAYOUT_OFFSETS = 2", "RH_LAYOUT_OFFSETS = 3", "RH_LAYOUT_OFFSETS")
        self.refused(r"redhost.any-value/1", "redhost.any-value/2", "RH_EXTENSION_ANY_VALUE")
        self.refused(r"redhost_plugin_v1; /\* the one", r"redhost_plugin_v2; /* the one", "symbol")

    def test_notices_additions(self):
        appended = self.edited(r"(  const char \*build;[^\n]*)", r"\1\n  uint64_t appended;")
        with self.assertRaisesRegex(abi.Broken, "not in RH_LAYOUT_LIST"):
            abi.describe(CC, appended)
        appended = self.edited(r"X\(rh_plugin, build, 32\)", r"\g<0> X(rh_plugin, appended, 40)", appended)
        self.assertRegex("".join(abi.complaints(self.golden, abi.describe(CC, appended))), "RH_ABI_MINOR is what it was")
        later = self.edited(r"RH_ABI_MINOR 2u", "RH_ABI_MINOR 3u", appended)
        self.assertEqual(abi.complaints(self.golden, abi.describe(CC, later)), [])

    def test_everything_is_frozen(self):
        """What is not in the golden file belongs to a version that is open."""
        if "RH_ABI_MINOR 2u" in self.header:
            self.assertEqual(self.golden, abi.describe(CC, self.header))

    def test_lets_lists_grow(self):
        grown = self.edited(r"(  X\(affine, 10, RH_OP_EXACT\))", r"  X(next_one, 77, RH_OP_EXACT) \\\n\1")
        self.assertEqual(abi.complaints(self.golden, abi.describe(CC, grown)), [])

    def test_reads_every_struct(self):
        with self.assertRaisesRegex(abi.Broken, "can be read"):
            abi.describe(CC, self.edited(r"typedef struct rh_run \{", "typedef struct\nrh_run\n{"))


class Prelude(unittest.TestCase):
    """The names that kernels use, also in plugins that were built long ago.  A line joins by hand when a page shows the function."""

    def test_frozen(self):
        golden = read(PRELUDE_GOLDEN).splitlines()
        self.assertGreater(len(golden), 20)
        self.assertEqual([line for line in golden if line not in prelude()], [])

    def test_operands_are_elements(self):
        """rh_operands is that type wherever a program has neither RH_HAS_OPERANDS nor the canonical order."""
        text = read(os.path.join(PRELUDE, "operands.cl"))
        self.assertEqual(text.count("typedef __global const rh_element *rh_operands;"), 1)

    def test_types(self):
        text = "".join(read(os.path.join(PRELUDE, name)) for name in os.listdir(PRELUDE))
        for name in ("rh_element", "rh_value", "rh_vector"):
            self.assertRegex(text, r"(typedef [^;{]*|}) %s;" % name)

    def test_notices(self):
        text = read(os.path.join(PRELUDE, "groups.cl"))
        changed = abi.abi_header.parse_prelude(text.replace("rh_value mine)", "rh_value mine, uint n)", 1))[1]
        self.assertEqual(len(changed), 2)
        self.assertNotIn(changed[0][0], read(PRELUDE_GOLDEN))
        self.assertIn(changed[1][0], read(PRELUDE_GOLDEN))


def prelude():
    """The signatures of all functions for kernels."""
    return sorted({abi.abi_header.as_in_1_0(signature) for name in os.listdir(PRELUDE)
                   for signature, _ in abi.abi_header.parse_prelude(read(os.path.join(PRELUDE, name)))[1]})


def update():
    lines = read(GOLDEN).splitlines() if os.path.exists(GOLDEN) else []
    now = abi.describe(CC, read(HEADER))
    broken = abi.complaints(lines, now)
    if broken:
        sys.exit("\n".join(broken))
    pathlib.Path(GOLDEN).write_text("".join(line + "\n" for line in now), encoding="utf-8")


if __name__ == "__main__":
    if UPDATE:
        update()
    else:
        unittest.main(argv=sys.argv[:1])
