"""clang_syntax.py CLANG BUILD ROOT: the C files of the tests through a second compiler's front end, with the warnings of the build.

The host, the plugins and the SDK are built by it in full (the preset clang).  The zoo is left out: it is wrong on purpose.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys


def commands(build, root):
    """Of each file once."""
    tests, zoo = os.path.join(root, "tests") + os.sep, os.path.join(root, "tests", "zoo") + os.sep
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}
    for path, entry in sorted(entries.items()):
        if path.startswith(tests) and not path.startswith(zoo):
            words = shlex.split(entry["command"])
            while not words[0].startswith("-"):  # the compiler, and what starts it
                words.pop(0)
            at = words.index("-o")
            del words[at:at + 2]
            yield entry["directory"], words


def main(clang, build, root):
    def check(job):
        directory, words = job
        # The other compiler has options of its own.
        command = [clang, "-fsyntax-only", *words, "-Wno-unknown-warning-option"]
        return subprocess.run(command, cwd=directory, capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(check, commands(build, root)))
    for process in done:
        sys.stdout.write(process.stderr)
    print("%d files" % len(done))
    return 1 if len(done) < 20 or any(process.returncode for process in done) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
