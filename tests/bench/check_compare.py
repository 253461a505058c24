"""check_compare.py [TRIES]: does --compare find real changes, and only those?

Measures one build against itself, and a strategy against itself with 5 % more work (slowed.c), TRIES times each (20), in
six processes each.
The first must find nothing, the second the regression, in at least 19 of 20 tries.  Prints the spread of the first, by
size: how far the medians of one build lie apart.  Takes minutes, and a machine with nothing else to do: in ctest only
where REDHOST_TEST_EXTENT is all.
"""

import json
import os
import subprocess
import sys
import tempfile

REDHOST = os.environ["REDHOST"]
PLUGIN = os.environ["REDHOST_TEST_SLOWED"]
SIZES = os.environ.get("REDHOST_TEST_SIZES", "2^14,2^17,2^20")
# The smallest change that a shared machine can detect within a second: see docs/measuring.md.
STRATEGIES = os.environ.get("REDHOST_TEST_STRATEGIES", "slowed")


def bench(more, path):
    subprocess.run([REDHOST, "--bench", "--plugin", PLUGIN, "-s", STRATEGIES, "-p", "more=%d" % more, "-n", SIZES,
                    "--processes=6", "--export", path, "-q"], check=True, stdout=subprocess.DEVNULL)


def compare(old, new):
    """The exit status, and which points are SLOW."""
    done = subprocess.run([REDHOST, "--compare", old, new, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    changes = json.loads(done.stdout)["changes"]
    return done.returncode, [change for change in changes if change["verdict"] == "slow"]


def medians(path, into):
    with open(path, encoding="utf-8") as file:
        for row in json.load(file)["results"]:
            into.setdefault((row["strategy"], row["n"]), []).append(row["time_s"]["median"])


def main():
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    clean = found = 0
    seen = {}
    with tempfile.TemporaryDirectory() as where:
        old, same, slower = (os.path.join(where, name) for name in ("old.json", "same.json", "slower.json"))
        for k in range(tries):
            bench(0, old)
            bench(0, same)
            bench(5, slower)
            medians(old, seen)
            medians(same, seen)
            quiet, loud = compare(old, same), compare(old, slower)
            clean += quiet == (0, [])
            found += loud[0] == 1
            print("try %2d: against itself %s, slowed by 5 %% %s" % (k + 1, "nothing" if quiet[0] == 0 else quiet[1], "found" if loud[0] == 1 else "missed"), flush=True)
    for (strategy, n), values in sorted(seen.items()):
        values.sort()
        print("%-12s n = %8d: %d medians, from %+.2f %% to %+.2f %% of their median" % (
            strategy, n, len(values), 100 * (values[0] / values[len(values) // 2] - 1), 100 * (values[-1] / values[len(values) // 2] - 1)))
    print("nothing found in %d of %d runs against itself; found in %d of %d that were slowed by 5 %%" % (clean, tries, found, tries))
    return 0 if 20 * clean >= 19 * tries and 20 * found >= 19 * tries else 1


if os.environ.get("REDHOST_TEST_EXTENT") != "all" and len(sys.argv) < 2:
    print("SKIP: takes minutes; REDHOST_TEST_EXTENT=all")
    sys.exit(77)
sys.exit(main())
