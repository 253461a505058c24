"""test_headers.py INCLUDE: every public header compiles alone, in every language that it promises, without a warning."""
import os
import shutil
import subprocess
import sys
import unittest

INCLUDE = sys.argv.pop(1)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
C = [("c", "c11"), ("c", "c17")]
CXX = [("c++", "c++11"), ("c++", "c++20")]
HEADERS = {"plugin.h": C + CXX, "redhost.h": C + CXX, "kit.h": C}

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


def compilers(language):
    """Those of gcc and clang that are here and know the language."""
    standard = {"c": "c11", "c++": "c++11"}[language]
    return [name for name in ("gcc", "clang")
            if shutil.which(name) and compile_text(name, language, standard, "int x;").returncode == 0]


class Headers(unittest.TestCase):
    def compiles(self, text, variants):
        for language, standard in variants:
            for compiler in compilers(language):
                with self.subTest(compiler=compiler, standard=standard):
                    result = compile_text(compiler, language, standard, text)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_list_is_complete(self):
        self.assertEqual(sorted(os.listdir(os.path.join(INCLUDE, "redhost"))), sorted(HEADERS))

    def test_some_compiler(self):
        self.assertTrue(compilers("c"), "neither gcc nor clang compiles anything")

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
