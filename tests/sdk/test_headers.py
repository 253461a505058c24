"""test_headers.py INCLUDE: every public header compiles alone, in every language that it promises, without a warning, by
gcc and by clang; and so does the code for programs that the pages and the library's header show."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

INCLUDE = sys.argv.pop(1)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
C = [("c", "c11"), ("c", "c17")]
CXX = [("c++", "c++11"), ("c++", "c++20")]
COMPILERS = {"c": ["gcc", "clang"], "c++": ["g++", "clang++"]}
HEADERS = {"plugin.h": C + CXX, "redhost.h": C + CXX, "transport.h": C + CXX, "kit.h": C, "canonical.h": C, "exact.h": C, "exact_state.h": C, "control.h": C + CXX}
PARTS = {"exact_lanes.h"}  # of others, which include them

# OpenCL's handles and the header's are the same types.
WITH_OPENCL = """
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <redhost/plugin.h>
struct _cl_mem *mine(cl_mem theirs);
struct _cl_mem *mine(cl_mem theirs) { return theirs; }
"""

# Code that uses the library, on a page or in a comment of its header.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE_BLOCK = re.compile(r"^```c(?: [^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADER_BLOCK = re.compile(r"((?:^ \*     [^\n]*\n)+)", re.MULTILINE)
USES_THE_LIBRARY = re.compile(r"\brh_(open|reduce|prepare|prepared|request|communicator)\b")
MPI = """
typedef int MPI_Comm;
enum { MPI_BYTE };
int MPI_Allgather(const void *, int, int, void *, int, int, MPI_Comm);
"""
# What stands around a piece: the names that it takes from the program, and from the piece before it.
AROUND = """
#include <redhost/redhost.h>
#include <stdio.h>
enum { N = 1000, ROWS = 10 };
%s
int next(const float *x);
void use(double value);
void shown(rh_redhost *redhost, rh_request request, rh_result result, rh_error error, rh_status status, rh_prepared *prepared,
           const rh_input *both, const float *x, const float *w, uint64_t n, uint32_t rank, uint32_t size, int more, const char *op,
           int32_t (*gather)(void *, const void *, uint32_t, void *), MPI_Comm comm, struct _cl_mem *buffer, struct _cl_mem *sums,
           rh_prepared *(*prepare)(rh_redhost *, const char *), rh_result (*run)(rh_prepared *, const float *)) {
  { %s }
}
"""


def pieces_of_code():
    """(where, text) of each."""
    pages = [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "*", "*.md")))]
    header = os.path.join(ROOT, "sdk", "include", "redhost", "redhost.h")
    for path in [*pages, header]:
        found = (HEADER_BLOCK if path == header else PAGE_BLOCK).findall(pathlib.Path(path).read_text(encoding="utf-8"))
        for text in found:
            text = re.sub(r"^ \*     ", "", text, flags=re.MULTILINE) if path == header else text
            if USES_THE_LIBRARY.search(text):
                yield os.path.relpath(path, ROOT), text


def as_a_program(text):
    """Functions stay outside of a function, everything else goes into one; "..." is what a reader writes."""
    text = re.sub(r"^#include[^\n]*\n", "", text, flags=re.MULTILINE)
    text = text.replace("{ ... error.message ... }", "{ use(error.message[0]); }").replace("while (...)", "while (more)")
    text += "}\n" * (text.count("{") - text.count("}"))  # the page goes on in words
    functions = re.findall(r"^static .*?^}\n", text, flags=re.MULTILINE | re.DOTALL)
    for function in functions:
        text = text.replace(function, "")
    return AROUND % (MPI + "".join(functions), text)


def compile_text(compiler, language, standard, text, warnings=WARNINGS):
    command = [compiler, "-x", language, "-std=" + standard, *warnings, "-fsyntax-only", "-I", INCLUDE, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


class Headers(unittest.TestCase):
    def compiles(self, text, variants):
        for language, standard in variants:
            for compiler in COMPILERS[language]:
                with self.subTest(compiler=compiler, standard=standard):
                    result = compile_text(compiler, language, standard, text)
                    self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_list_is_complete(self):
        folder = os.path.join(INCLUDE, "redhost")
        self.assertEqual(sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names),
                         sorted({*HEADERS, *PARTS}))

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

    def test_code_that_is_shown(self):
        pieces = list(pieces_of_code())
        self.assertEqual({where for where, _ in pieces}, {"README.md", "docs/program/c.md", "docs/use/operators.md", "sdk/include/redhost/redhost.h"})
        for where, text in pieces:
            for language, standard in (("c", "c11"), ("c++", "c++20")):
                for compiler in COMPILERS[language]:
                    done = compile_text(compiler, language, standard, as_a_program(text), ["-pedantic-errors"])
                    with self.subTest(where=where, text=text, compiler=compiler):
                        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_c_says_so(self):
        """In C++, one line with the way out, before anything else."""
        for header in ("kit.h", "canonical.h", "exact.h"):
            for compiler in COMPILERS["c++"]:
                done = compile_text(compiler, "c++", "c++20", f"#include <redhost/{header}>\n")
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr.split("error", 1)[1], rf"redhost/{header} is C; ")

    def test_a_strategy_in_cpp(self):
        text = pathlib.Path(os.path.join(ROOT, "docs", "extend", "cpp", "kahan.cpp")).read_text(encoding="utf-8")
        for compiler in COMPILERS["c++"]:
            done = compile_text(compiler, "c++", "c++20", text, [*WARNINGS, "-Wno-missing-field-initializers"])
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_twice_and_together(self):
        self.compiles("#include <redhost/redhost.h>\n#include <redhost/plugin.h>\n#include <redhost/redhost.h>\n", C + CXX)

    def test_with_opencl(self):
        self.compiles(WITH_OPENCL, C + CXX)


if __name__ == "__main__":
    unittest.main()
