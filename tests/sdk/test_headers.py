"""test_headers.py INCLUDE: every public header compiles alone, in every language that it promises, without a warning, by
gcc and by clang."""
import os
import shutil
import subprocess
import sys
import unittest

INCLUDE = sys.argv.pop(1)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
C = [("c", "c11"), ("c", "c17")]
CXX = [("c++", "c++11"), ("c++", "c++20")]
COMPILERS = {"c": ["gcc", "clang"], "c++": ["g++", "clang++"]}
HEADERS = {"plugin.h": C + CXX, "redhost.h": C + CXX, "transport.h": C + CXX, "kit.h": C, "canonical.h": C}

# OpenCL's handles and the header's are the same types.
WITH_OPENCL = """
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <redhost/plugin.h>
struct _cl_mem *mine(cl_mem theirs);
struct _cl_mem *mine(cl_mem theirs) { return theirs; }
"""


def compile_text(compiler, language, standard, text):
    command = [compiler, "-x", language, "-std=" + standard, *WARNINGS, "-fsyntax-only", "-I", INCLUDE, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


class Headers(unittest.TestCase):
    def compiles(self, text, variants):
        for language, standard in variants:
            for compiler in COMPILERS[language]:
                with self.subTest(compiler=compiler, standard=standard):
                    result = compile_text(compiler, language, standard, text)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_list_is_complete(self):
        self.assertEqual(sorted(os.listdir(os.path.join(INCLUDE, "redhost"))), sorted(HEADERS))

    def test_all_compilers_are_here(self):
        for language, standards in (("c", C), ("c++", CXX)):
            for compiler in COMPILERS[language]:
                self.assertTrue(shutil.which(compiler), f"{compiler} is missing; scripts/test installs it")
                for _, standard in standards:
                    with self.subTest(compiler=compiler, standard=standard):
                        fine = compile_text(compiler, language, standard, "int f(void); int f(void) { return 0; }\n")
                        wrong = compile_text(compiler, language, standard, "int f(void) { int unused; return 0; }\n")
                        self.assertEqual((fine.returncode, fine.stderr), (0, ""))
                        self.assertIn("unused", wrong.stderr)

    def test_alone(self):
        for header, variants in HEADERS.items():
            with self.subTest(header=header):
                self.compiles(f"#include <redhost/{header}>\n", variants)

    def test_twice_and_together(self):
        self.compiles("#include <redhost/redhost.h>\n#include <redhost/plugin.h>\n#include <redhost/redhost.h>\n", C + CXX)

    def test_with_opencl(self):
        self.compiles(WITH_OPENCL, C + CXX)


if __name__ == "__main__":
    unittest.main()
