"""test_mpi_program.py BUILD CMAKE CC LIBDIR: docs/program/examples/distributed.c, a program of one's own under MPI, with Open MPI and MPICH.

The ranks hold runs of the same numbers, divided in many ways; the results are those of one process that reads a file of them."""
import os
import shlex
import shutil
import subprocess
import unittest

from installed_tree import HERE, Tree

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "program", "examples", "distributed.c")
MPIS = {"Open MPI": ("mpicc.openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]),
        "MPICH": ("mpicc.mpich", ["mpirun.mpich"])}
N = 1000003
PATIENCE = 300  # seconds, where many tests share the processors


def evenly(ranks):
    return [N * (r + 1) // ranks - N * r // ranks for r in range(ranks)]


DIVISIONS = [evenly(ranks) for ranks in (1, 2, 3, 5, 16)]
DIVISIONS += [[100] * 4 + [N - 400], [N, 0, 0], [0, N - 7, 0, 5, 2]]


class Program(Tree):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment.update(LC_ALL="C")
        cls.flags = shlex.split(cls.call(["pkg-config", "--cflags", "--libs", "redhost"])) + [f"-Wl,-rpath,{cls.lib}"]

    def built_with(self, mpi):
        compiler, _ = MPIS[mpi]
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        program = os.path.join(self.root, "distributed with " + compiler)
        self.call([compiler, "-O2", "-Wall", "-Wextra", "-Werror", PROGRAM, "-o", program, *self.flags])
        return program

    def start(self, mpi, words_of_ranks):
        command = list(MPIS[mpi][1])
        for k, words in enumerate(words_of_ranks):
            command += ([":"] if k else []) + ["-n", "1", *words]
        return subprocess.run(command, env=self.environment, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)

    def expected(self):
        """By the program redhost, which reads the whole."""
        import numpy
        i = numpy.arange(N, dtype=numpy.uint64)
        (i * 7919 % 10007 / 10007 - 0.3).astype("<f4").tofile(self.path("x.f32"))
        (i * 104729 % 100003 / 100003).astype("<f4").tofile(self.path("y.f32"))

        def one(*options):
            return self.call([self.redhost, "--run=native", "-tf32", "-q", *options], cwd=self.root).split()
        words = one("--op=sum", "--input=x.f32") + one("--op=argmin", "--input=x.f32")
        words += one("--op=dot", "--input=x.f32,y.f32") + one("--op=meanvar", "--input=y.f32")
        return [float(word) for word in words]

    def path(self, name):
        return os.path.join(self.root, name)

    def compare(self, printed, expected):
        lines = [line.split() for line in printed.splitlines()]
        self.assertEqual([name for name, _ in lines], ["sum", "argmin", "dot", "mean", "variance"])
        self.assertEqual([float(number) for _, number in lines], expected)

    def divided(self, mpi, divisions):
        program, expected = self.built_with(mpi), self.expected()
        for division in divisions:
            with self.subTest(division=division):
                done = self.start(mpi, [[program, str(n)] for n in division])
                self.assertEqual(done.returncode, 0, done)
                self.compare(done.stdout, expected)

    def failing(self, mpi):
        """A rank whose device does not exist: one sentence for all."""
        program = self.built_with(mpi)
        there, lost = [program, "5000"], ["env", "REDHOST_DEVICE=there-is-none", program, "5000"]
        done = self.start(mpi, [there, there, lost])
        self.assertNotEqual(done.returncode, 0)
        said = [line for line in done.stderr.splitlines() if line.startswith("distributed: ")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertRegex(said[0], r"^distributed: rank 2 \(host \S+\): .*there-is-none")
        self.assertEqual(done.stdout, "")

    def test_open_mpi(self):
        self.divided("Open MPI", DIVISIONS)

    def test_mpich(self):
        self.divided("MPICH", DIVISIONS[-1:])  # what is divided how is redhost's

    def test_open_mpi_failing(self):
        self.failing("Open MPI")

    def test_mpich_failing(self):
        self.failing("MPICH")


if __name__ == "__main__":
    import sys
    unittest.main(argv=sys.argv[:1])
