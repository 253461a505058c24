"""What redhost says, under --quiet too, where something that it chooses by cannot be read, and where system calls are
denied, as containers and service managers deny them."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "cli"))
import redhost_cli as cli  # noqa: E402
import test_tuned  # noqa: E402

FAULTS = os.environ["REDHOST_TEST_FAULTS"]
DENY = os.environ["REDHOST_TEST_DENY"]


class Choice(test_tuned.TunedCase):
    def said(self, fault, **more):
        return self.redhost("--run", "auto", "-n", "1000", "-q",
                            env={"LD_PRELOAD": FAULTS, "REDHOST_FAULT": fault, "REDHOST_FAULT_IN": "-", **more})

    def test_plugin(self):
        """Tuned values are identified by the plugin's content."""
        self.tune(test_tuned.entry("native", 1e-6))
        done = self.said("fopen:1:0")
        self.assertEqual(done.code, 0, done)
        self.assertRegex(done.err, r"\Aredhost: tuning results are not used for [^\n]+: the plugin's file cannot be read\.\n\Z")

    def test_database(self):
        told = []
        for k in range(1, 5):
            cli.write(self.file, "{}\n")
            err = self.said("pread:%d" % k, REDHOST_FAULT_FILE="/tuned.json").err
            told += [err] if "neither used nor changed" in err else []
        self.assertTrue(told)
        for text in told:
            self.assertRegex(text, r"\Aredhost: [^\n]+tuned.json: [^\n]+\.\n\Z")


class Denied(cli.Case):
    CODES = ("EPERM", "ENOSYS", "EACCES") if os.environ.get("REDHOST_TEST_EXTENT") == "all" else ("EPERM",)
    COMMANDS = (("--list", "-q"), ("--run", "native", "-n", "1000", "-q"), ("--run", "cascade", "-n", "1000", "-q"),
                ("--run", "native", "--isolate=always", "-n", "1000", "-q"))
    CALLS = ("clone3 prctl poll sysinfo mkdir sendto memfd_create pidfd_open getrandom statx getcwd flock getxattr madvise membarrier "
             "mremap pipe2 prlimit64 sched_setaffinity setpgid socketpair uname waitid").split()

    def test_calls(self):
        if self.redhost(*"EPERM uname /bin/true".split(), program=DENY).code == 77:
            self.skipTest("no seccomp here")
        for command in self.COMMANDS:
            right = self.good(*command).out
            for call in self.CALLS:
                for code in self.CODES:
                    with self.subTest(command=command, call=call, code=code):
                        done = self.redhost(code, call, cli.REDHOST, *command, program=DENY)
                        if done.code == 0:
                            self.assertTrue(done.out == right or done.err, done)
                        else:
                            self.assertIn(done.code, (3, 4, 5, 6), done)
                            self.assertRegex(done.err, r"(\A|\n)redhost: [^\n]+[.?]\n\Z", done)

    def test_told_without_send(self):
        """A child gets its request without send()."""
        command = "--run", "native", "--isolate=always", "-n", "1000", "-q"
        self.assertEqual(self.good("EPERM", "sendto", cli.REDHOST, *command, program=DENY).out, self.good(*command).out)

    def test_unknown_memory(self):
        """A machine that does not report its memory size is not treated as having none."""
        self.assertEqual(self.good("EPERM", "sysinfo", cli.REDHOST, "--run", "native", "-n", "1000", "-q", program=DENY).out,
                         self.good("--run", "native", "-n", "1000", "-q").out)


if __name__ == "__main__":
    cli.main()
