"""The rules themselves: each finds what is wrong in a small tree, and nothing where nothing is wrong."""
import os
import tempfile
import unittest

import budget
import failures
import form
import layers
import length
import loader
import messages
import pages
import pathlib
import unused
import words


class Rules(unittest.TestCase):
    def complaints(self, check, path, text):
        """What check says of a tree that holds one file."""
        return self.complaints_of(check, {path: text})

    def complaints_of(self, check, tree):
        """The same of several: {path: text}."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in tree.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                pathlib.Path(os.path.join(root, path)).write_text(text, encoding="utf-8")
            return check(root)

    def includes(self, path, include, wrong):
        found = self.complaints(layers.check, path, f"/* first */\n#include {include}\n")
        self.assertEqual(len(found), int(wrong), f"{path} with {include}: {found}")
        if wrong:
            self.assertIn(f"{path}:2: ", found[0])

    def test_downward(self):
        for path, include in [
                ("host/cli/a.c", '"../choose/measure/b.h"'), ("host/cli/a.c", '"../core/base/b.h"'),
                ("host/core/run/a.h", '"../cl/b.h"'), ("host/core/plug/a.c", '"internal.h"'), ("host/core/plug/a.c", '"../child/b.h"'),
                ("host/cli/a.c", '"../tools/isolate/b.h"'), ("host/tools/tune/a.c", '"../bench/b.h"'), ("host/tools/isolate/a.c", '"../records/b.h"'),
                ("host/operators/custom/a.c", '"../../core/run/b.h"'), ("host/engine/reduction/a.c", '"../partial/b.h"'),
                ("host/choose/a.c", '"tunedb/b.h"'), ("host/library/a.c", '"../choose/b.h"'), ("host/cli/a.c", '"../library/b.h"'),
                ("host/core/base/dl.c", "<dlfcn.h>"), ("host/core/data/a.c", "<redhost/plugin.h>"),
                ("host/core/run/a.c", '"prelude.cl.h"'), ("plugins/a.c", '"a.cl.h"'),
                ("plugins/a.c", "<redhost/kit.h>"), ("plugins/a.c", "<string.h>"),
                ("plugins/a.c", '"a/b.h"'), ("plugins/a/b.c", '"c.h"'),
                ("sdk/include/redhost/kit.h", '"plugin.h"'), ("sdk/template/example.c", '"example.cl.h"'),
                ("sdk/peers/a.cpp", '"peer.h"'), ("sdk/peers/a.cu", "<cub/cub.cuh>"), ("sdk/peers/peer.h", "<sys/mman.h>")]:
            self.includes(path, include, wrong=False)

    def test_upward_and_sideways(self):
        for path, include in [
                ("host/core/base/a.c", '"../cl/b.h"'), ("host/core/run/a.c", '"../plug/internal.h"'), ("host/core/run/a.c", '"../../choose/measure/b.h"'),
                ("host/choose/measure/a.h", '"../tunedb/b.h"'), ("host/tools/bench/a.h", '"../tune/b.h"'), ("host/tools/isolate/a.c", '"../../cli/b.h"'),
                ("host/choose/measure/a.h", '"../../tools/records/b.h"'), ("host/core/plug/a.c", '"../data/b.h"'), ("host/core/child/a.c", '"../plug/b.h"'),
                ("host/core/cl/a.c", '"../plug/b.h"'), ("host/core/data/a.c", '"../cl/b.h"'),
                ("host/core/run/a.c", '"../../operators/custom/b.h"'), ("host/core/check/a.c", '"../run/b.h"'), ("host/operators/custom/a.c", '"../../engine/io/b.h"'),
                ("host/engine/partial/a.c", '"../reduction/b.h"'), ("host/engine/io/a.c", '"../../choose/b.h"'), ("host/choose/tunedb/a.c", '"../b.h"'),
                ("host/choose/a.c", '"../library/b.h"'), ("host/library/a.c", '"../tools/records/b.h"'), ("host/core/cores/a.c", '"b.h"'),
                ("host/cli/a.c", "<dlfcn.h>"), ("host/cli/a.c", '"../../plugins/a.h"'),
                ("host/core/run/a.c", '"cascade.cl.h"'), ("host/core/cl/a.c", '"../../sdk/include/redhost/plugin.h"'),
                ("host/other/a.c", '"b.h"'), ("plugins/a.c", '"../host/core/base/error.h"'),
                ("plugins/a.c", "<CL/cl.h>"), ("plugins/a.c", '"b.c"'), ("plugins/a.c", "<dlfcn.h>"),
                ("plugins/a.c", '"b/c.h"'), ("plugins/a.c", '"b.h"'), ("plugins/a/b.c", '"../c.h"'),
                ("plugins/a/b.c", '"../c/d.h"'), ("plugins/a/b.c", '"c.c"'),
                ("sdk/include/redhost/plugin.h", "<CL/cl.h>"), ("sdk/include/redhost/kit.h", '"../a.h"'),
                ("sdk/peers/a.cpp", '"../../host/core/base/clock.h"'), ("sdk/peers/peer.h", "<redhost/plugin.h>")]:
            self.includes(path, include, wrong=True)

    def test_circle_of_two(self):
        a = "static int rh_x(int n) {\n  return rh_b(n);\n}\n\nconst char *\nrh_a(int n,\n     int m) {\n  return rh_x(n);\n}\n"
        calls_back = 'int rh_b(int n) {\n  return rh_a(n, 0) != 0;\n}\n'
        found = self.complaints_of(layers.check, {"host/cli/a.c": a, "host/cli/b.c": calls_back})
        self.assertEqual(len(found), 1, found)
        self.assertIn("host/cli/a.c: calls host/cli/b.c", found[0])
        for quiet in ('int rh_b(int n) {\n  return n; /* rh_a() */\n}\n', 'int rh_b(int n) {\n  return f("rh_a()");\n}\n'):
            self.assertEqual(self.complaints_of(layers.check, {"host/cli/a.c": a, "host/cli/b.c": quiet}), [])

    def test_unused(self):
        tree = {"host/core/base/a.c": "int rh_a(int n) {\n  return n;\n}\n"}
        self.assertIn("nothing calls it", self.complaints_of(unused.check, tree)[0])
        used = "int rh_b(void) {\n  return rh_a(1);\n}\n"
        self.assertIn("make it static", self.complaints_of(unused.check, {"host/core/base/a.c": tree["host/core/base/a.c"] + used,
                                                                        unused.PUBLIC: "int rh_b(void);\n"})[0])
        for others in ({"host/cli/b.c": used, "tests/unit/b.c": "rh_b();"}, {unused.PUBLIC: "int rh_a(int n);\n"},
                       {"tests/unit/b.c": "rh_a(1);\n"}, {"host/cli/b.c": "#define X(n) rh_##n(1)\n"}):
            self.assertEqual(self.complaints_of(unused.check, {**tree, **others}), [], others)

    def test_commented_out(self):
        self.assertEqual(self.complaints(layers.check, "host/core/base/a.c", '/*\n#include "../cl/b.h"\n*/\n'), [])

    def test_budget(self):
        text = "# why\nprograms 1000\ndefault matrix 100 700\ndefault cli 300 300 # long\nasan unit 60 80\ndefault sdk 100 100\n"
        rows, programs = budget.read(text)
        self.assertEqual(programs, 1000)
        for compiled, matrix in ((0, 100), (500, 400), (1000, 700), (4000, 700)):
            share = budget.share_of(compiled, programs)
            budgets = budget.judge(rows, share, {})[0]
            self.assertEqual((budgets["default", "matrix"], budgets["default", "cli"]), (matrix, 300))
            for slower in (0.5, 1, 2.5):
                took = {key: seconds * slower for key, seconds in budgets.items()}
                self.assertEqual(budget.judge(rows, share, took)[1:], (max(1, slower), []))
                took["default", "cli"] *= 1.3
                self.assertEqual(budget.judge(rows, share, took)[2], [])
                took["default", "cli"] = 300 * max(1, slower) * 1.4
                complaint = "^default cli took [0-9]+ s of processor time[^|]*$"
                if compiled:  # another label may have paid for its programs
                    self.assertEqual(budget.judge(rows, share, took)[2], [])
                    took["default", "cli"] = 3000 * max(1, slower)
                    complaint = "^all of default took [0-9]+ s of processor time[^|]*$"
                self.assertRegex("|".join(budget.judge(rows, share, took)[2]), complaint)
        took["default", "new"] = 1
        self.assertIn("default new has no budget", budget.judge(rows, share, took)[2])

    def test_budget_is_updated(self):
        text = "# why\nprograms 1000\ndefault matrix 100 700\ndefault cli 300 300\n"
        measured = {("default", "matrix"): 90, ("default", "cli"): 310.4, ("tsan", "unit"): 12}
        self.assertEqual(budget.read(budget.update(text, measured, 20)),
                         ({("default", "matrix"): (90, 700), ("default", "cli"): (310, 310), ("tsan", "unit"): (12, 12)}, 1000))
        measured = {("default", "matrix"): 600, ("default", "cli"): 310, ("tsan", "unit"): 12}
        self.assertEqual(budget.read(budget.update(text, measured, 1100)),
                         ({("default", "matrix"): (100, 600), ("default", "cli"): (300, 310), ("tsan", "unit"): (12, 12)}, 1100))
        self.assertEqual(budget.update(text, measured, 0).splitlines()[0], "# why")

    def test_budget_is_measured(self):
        with tempfile.TemporaryDirectory() as root:
            for name, seconds in (("default/cli:cli.a", "1m2.500000s 0m0.500000s"), ("default/cli:cli.b", "0m1.0s 0m1.0s"),
                                  ("asan/cli:cli.a", "0m4.0s 0m0.25s")):
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                pathlib.Path(os.path.join(root, name)).write_text("0m0.000000s 0m0.000000s\n%s\n" % seconds, encoding="utf-8")
            self.assertEqual(budget.measure(root), {("default", "cli"): 65, ("asan", "cli"): 4.25})

    def long(self, lines, head="static int f(int a,\n             int b) {"):
        body = "  g(\"}\"); /* { */\n" * (lines - head.count("\n") - 2)
        return self.complaints(length.check, "host/core/base/a.c", f"struct s {{\n  int a;\n}};\n\n{head}\n{body}}}\n")

    def test_length(self):
        self.assertEqual(self.long(60), [])
        found = self.long(61)
        self.assertEqual(len(found), 1)
        self.assertIn("host/core/base/a.c:5: 61 lines", found[0])

    def test_form(self):
        def wrong(body, path="host/cli/a.c"):
            return "|".join(self.complaints(form.check, path, body))
        self.assertIn("a.c:2: 101 columns", wrong("\n" + "x" * 101 + "\n"))
        self.assertIn("a.cl:1: 101 columns", wrong("x" * 101 + "\n", "kernels/a.cl"))
        self.assertEqual(wrong("x" * 100 + "\n"), "")
        for split in ("struct s {\n  uint32_t\n      op; /* which */\n};\n", "struct s {\n  const char *\n      name; /* whose\n  is it */\n};\n",
                      "void rh_a(\n    int b); /* why */\n"):
            self.assertIn("split by its comment", wrong(split), split)
        for good in ("struct s {\n  uint32_t op; /* which */\n};\n", "int a(int b,\n      int c); /* why */\n"):
            self.assertEqual(wrong(good), "", good)
        for two in ("a = 1, b = 2;", "if (x) a++, b--;", "return errno = EIO, -1;", "else f(1), g(2);", "(void)a, (void)b;",
                    "for (int k = 0, n = 1; k < n; k++) x[k] = 1, y[k] = 2;", "case 1: a = 1, b = 2; break;"):
            found = wrong("int f(void) {\n  %s\n}\n" % two)
            self.assertIn("a.c:2: a comma joins two statements", found, two)
        for one in ("int a = 1, b = 2;", "long long a = f(1, 2), *b;", "for (int k = 0, n = 1; k < n; k++, n--) f(k, n);", "return f(a, b);",
                    "struct s x = {1, 2};", "enum { A, B };", "*x = (point){.a = 1, .b = 2};", "const struct {\n int a, b;\n} t[] = {{1, 2}}, u;",
                    "_Alignas(16) char a[1], b[1];", "f((point){1, 2});", 'f("a, b"); /* a, b */', "x = a ? b : c;", "return a ? b : c;"):
            self.assertEqual(wrong("int f(void) {\n  %s\n}\n" % one), "", one)
        self.assertIn("stands for an if", wrong("int f(void) {\n  a ? b++ : (c = d);\n}\n"))
        self.assertEqual(wrong("#define TWO(a, b) a++, b++\n"), "")

    def test_length_counts_no_tables(self):
        self.assertEqual(self.long(100, "static const int table[] = {"), [])

    def test_words(self):
        self.assertEqual(self.complaints(words.check, "host/a.c", "int todo;\n"), [])
        self.assertEqual(len(self.complaints(words.check, "host/a.c", "\n/* TO" "DO: later */\n")), 1)
        for text, wrong in [("/proc/non" "existent/x", 0), ("/non" "existent", 1), ('"/non" + "existent"', 0), ("of /non" "existent.so", 1)]:
            self.assertEqual(len(self.complaints(words.check, "tests/cli/a.py", text + "\n")), wrong, text)

    def test_wording(self):
        for text, wrong in [("it is no file", 1), ("there is no file", 0), ("it is no longer there", 0), ("'x' is none of", 1),
                            ("What came of it", 1), ("Whoever reads it", 1), ("for one who reads", 0), ("they exclude each other", 1),
                            ("looks at plugins", 1), ("looks at a file", 0), ("--a has no meaning with --b", 1),
                            ("the name of whoever wrote it", 1), ("By what was measured", 1), ("known by what it does", 0),
                            ("its path; null where it is unknown", 1), ("null if it is unknown", 0), ("the byte 0 exactly where", 0),
                            ("-1 where there is none", 1), ("null where memory runs out", 1), ("Where it failed half-way", 1),
                            ("nobody knows", 1), ("no thread could be had", 1), ("a device is to be chosen", 0), ("no sign of life", 1),
                            ("over five lives", 1), ("it lives until teardown", 0), ("hangs on its name", 1), ("it hangs on exit", 0),
                            ("comes to its end", 1), ("others take their stead", 1), ("bears the name", 1), ("kept for ever", 1),
                            ("the host's is believed", 1)]:
            for path in ("host/core/base/a.c", "docs/a.md", "plugins/a.c", "README.md"):
                found = self.complaints(words.check, "docs/../" + path if "/" not in path else path, f"/* {text} */\n")
                self.assertEqual(len(found), wrong, (path, text))
        for word, instead in [("the roof", "peak bandwidth"), ("a canary", "throttle"), ("primed queue", "blocking"), ("rehearsed", "self-test")]:
            for path, text, wrong in [("docs/a.md", word, 1), ("host/a.c", f'f("{word}");', 1), ("host/a.c", f"/* {word} */", 0),
                                      ("tests/a.c", f'f("{word}");', 0)]:
                found = self.complaints(words.check, path, text + "\n")
                self.assertEqual(len(found), wrong, (path, text))
                self.assertTrue(not wrong or instead in found[0], found)

    def test_subjects(self):
        fine = "/* The file is closed; it stays.\n * A reader waits for it. */\n"
        for text, wrong in [("/* What the file is of: it stays. */\n", 1), ("/* The same\n * for a file: as it is. */\n", 1),
                            ("/* Whatever the file is, it stays. */\n", 0), ('f("/* Of a file that is there. */");\n', 0),
                            (fine * 25 + "/* By which it is known. */\n", 0), (fine * 24 + "/* By which it is known. */\n", 1)]:
            self.assertEqual(len(self.complaints(words.without_subject, "host/core/base/a.c", text)), wrong, text)
        self.assertEqual(len(self.complaints_of(words.without_subject, {"host/a/a.c": "/* Not of a file. */\n", "host/b/b.c": fine * 50})), 1)

    def test_shadows(self):
        for text, wrong in [("static int open(int a) {", 1), ("static rh_status wait(local *l) {", 1), ("static char *read(int a);", 1),
                            ("static void warn(const rh_app *app) {", 1), ("static int judge(int a) {", 1), ("static int settle(int a) {", 1), ("static rh_rig *of(int a) {", 1),
                            ("static int judge_value(int a) {", 0), ("  return judge(a);", 0),
                            ("static int open_point(int a) {", 0), ("static int a = open(p, 0);", 0), ("  return open(p, 0);", 0)]:
            self.assertEqual(len(self.complaints(words.check, "host/core/base/a.c", text + "\n")), wrong, text)

    def test_messages(self):
        for text, wrong in [("--type f64: no", 1), ("See redhost --list", 1), ("a log (-v)", 1), ("try -d all", 1),
                            ("this mode takes one", 1), ("redhost --probe", 1), ("--probe", 0), ("type f64: no", 0),
                            ("limited (ulimit -%c)", 0), ("not linked (cc -shared)", 0), ("-cl-std=CL2.0", 0), ("a - b", 0)]:
            for path, counts in (("host/core/cl/a.c", 1), ("host/cli/a.c", 0)):
                found = self.complaints(messages.check, path, f'/* --list */\nf("{text}");\n')
                self.assertEqual(len(found), wrong * counts, (path, text))
        self.assertEqual(len(self.complaints(messages.check, "host/core/a.c", 'f("two "\n  "lines: --list");\n')), 1)

    def test_opencl(self):
        for path, code, wrong in (("host/cli/a.c", "clFinish(queue);", 1), ("host/core/run/a.c", "x = rh_cl.Finish(queue);", 1),
                                  ("host/core/cl/a.c", "rh_cl.Finish(queue);", 0), ("host/core/cl/a.c", "clFinish(queue);", 1),
                                  ("host/cli/a.c", "/* clFinish() */ f(\"clFinish()\"); rh_cl_finish(queue); x(CL_TRUE);", 0)):
            self.assertEqual(len(self.complaints(layers.check, path, code)), wrong, (path, code))

    def test_loader(self):
        for code in ("dlopen(p, RTLD_NOW | RTLD_DEEPBIND);", "dlmopen(LM_ID_NEWLM, p, 0);", "if (fork() == 0) x();",
                     "pid = vfork ();", "dlopen(p, RTLD_GLOBAL);"):
            for path in ("host/core/base/dl.c", "plugins/a.c", "sdk/include/redhost/kit.h"):
                found = self.complaints(loader.check, path, "\n" + code + "\n")
                self.assertEqual(len(found), 1, code)
                self.assertIn(path + ":2: ", found[0])
        self.assertEqual(self.complaints(loader.check, "host/core/child/guard.c", "pid = fork();"), [])
        self.assertEqual(len(self.complaints(loader.check, "host/core/child/guard.c", "pid = vfork();")), 1)
        for code in ("dlopen(p, RTLD_NOW | RTLD_LOCAL);", "/* never dlmopen */", 'f("fork()");', "posix_spawn(&pid);"):
            self.assertEqual(self.complaints(loader.check, "host/core/base/dl.c", code), [], code)

    ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")

    def test_failures(self):
        for there in ("cli.loading Files.test_twice_the_same", "core.test_registry names_are_shadowed", "V04 file/second_loader",
                      "style.loader", "sdk.abi Abi.test_frozen"):
            self.assertTrue(failures.is_there(self.ROOT, there), there)
        for wrong in ("cli.loading Files.test_patterns", "cli.loading Files", "cli.nothing Files.test_x",
                      "core.test_registry names_are", "V05 file/second_loader", "V04 file/second", "style.nothing", "loader", ""):
            self.assertFalse(failures.is_there(self.ROOT, wrong), wrong)

    def test_failures_are_whole(self):
        def page(rows):
            return self.complaints(failures.check, "tests/zoo/failures.md", "".join("| %s | a | b | c | %s |\n" % r for r in rows))
        with open(os.path.join(self.ROOT, "tests", "zoo", "failures.md"), encoding="utf-8") as file:
            self.assertEqual(len(failures.ROWS), file.read().count("\n| F"))
        rows = [(row, "`style.gone`") for row in failures.ROWS]
        self.assertEqual(len(page(rows)), len(rows))  # in a tree without tests none is there
        self.assertIn("rows are not", page(rows[1:])[-1])
        self.assertIn("F01: no test", page([("F01", "nobody knows"), *rows[1:]])[0])

    def test_pages(self):
        machines = {pages.MACHINES: "| NVIDIA H200 |\n"}
        page = "docs/use/a.md"
        for text, wrong in [("# A\n\nOne sentence.\nAnother, by `a. B`.\n", 0), ("One sentence. Another.\n", 1), ("x" * 201 + "\n", 1),
                            ("As of commit 4e1d903.\n", 1), ("It took 2 us before it, with it 1.\n", 1), ("On an H200, e.g. by `a`.\n", 0),
                            ("On an H100.\n", 1), ("[a](#a-title)\n\n## A title\n", 0), ("[a](#no-title)\n\n## A title\n", 1),
                            ("[a](b.md)\n", 1), ("[a](../../README.md)\n", 1), ("```\n[a](b.md). Two. And.\n```\n", 0), ("See docs/b.md.\n", 1),
                            ("| a |\n|---|\n| b |\n\n| c |\n", 1), ("| a |\n|---|\n| b |\n\n| c |\n|---|\n", 0)]:
            with self.subTest(text=text):
                files = {page: text, "README.md": "", "CONTRIBUTING.md": "", "CHANGELOG.md": "", **machines}
                self.assertEqual(len(self.complaints_of(pages.check, files)), wrong)


if __name__ == "__main__":
    unittest.main()
