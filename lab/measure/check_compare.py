"""check_compare.py [TRIES]: does --compare find real changes, and only those?

Measures one build six times, compares the results pair by pair, and then TRIES times (10) the same strategy with more work
(slowed.c, slowed_device.c), each compared with one of the six.  At most one of the fifteen pairs may have a finding, and
every slowdown must be found.  Prints how far the medians of one build lie apart, by size.  Takes minutes, and a machine with
nothing else to do; unit.test_processes checks the same with made-up times.

    cmake --build build --target plugin_slowed
    REDHOST=build/bin/redhost REDHOST_TEST_SLOWED=build/lab/measure/slowed.so python3 lab/measure/check_compare.py

From the environment, for another device: REDHOST, REDHOST_TEST_SLOWED (the plugin's file), REDHOST_TEST_BENCH (options of
--bench), REDHOST_TEST_SIZES and REDHOST_TEST_SLOWED_SIZES, REDHOST_TEST_MORE (the parameter's value for the slowdown).  2 % on
a GPU, in two minutes:

    REDHOST_TEST_SLOWED=build/lab/measure/slowed_device.so REDHOST_TEST_MORE=20 REDHOST_TEST_SIZES=2^10,2^16,2^24,2^26 \\
    REDHOST_TEST_SLOWED_SIZES=2^26 REDHOST_TEST_BENCH="-d gpu --op max --quick --precision=0.2 --processes=6" \\
    REDHOST=build/bin/redhost python3 lab/measure/check_compare.py 10
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

REDHOST = os.environ["REDHOST"]
PLUGIN = os.environ["REDHOST_TEST_SLOWED"]
NAME = os.path.splitext(os.path.basename(PLUGIN))[0]
BENCH = os.environ.get("REDHOST_TEST_BENCH", "--processes=6").split()
SIZES = os.environ.get("REDHOST_TEST_SIZES", "2^14,2^17,2^20")
SLOWED_SIZES = os.environ.get("REDHOST_TEST_SLOWED_SIZES", SIZES)
# The smallest change that a shared machine with two cores can detect within seconds: 5 %.
MORE = os.environ.get("REDHOST_TEST_MORE", "5")
BENCHES = 6


def bench(more, sizes, path):
    subprocess.run([REDHOST, "--bench", "--plugin", PLUGIN, "-s", NAME, "-p", "more=%s" % more, "-n", sizes, *BENCH,
                    "--export", path, "-q"], check=True, stdout=subprocess.DEVNULL)
    return path


def findings(old, new, *verdicts):
    """The points with one of the verdicts: size, change, interval."""
    done = subprocess.run([REDHOST, "--compare", old, new, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [(c["n"], "%+.2f %%" % (100 * c["change"]), ["%+.2f %%" % (100 * x) for x in c["change_interval"] or []])
            for c in json.loads(done.stdout)["changes"] if c["verdict"] in verdicts]


def medians(paths):
    """By size: all files' medians, sorted, and those of all processes."""
    seen = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in json.load(file)["results"]:
                of_files, of_processes = seen.setdefault(row["n"], ([], []))
                of_files.append(row["time_s"]["median"])
                of_processes.extend(row["time_s"].get("processes", []))
    return {n: (sorted(a), sorted(b)) for n, (a, b) in sorted(seen.items())}


def main():
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as where:
        same = [bench(0, SIZES, os.path.join(where, "same-%d.json" % k)) for k in range(BENCHES)]
        pairs = list(itertools.combinations(same, 2))
        noisy = [found for found in (findings(old, new, "slow", "fast") for old, new in pairs) if found]
        for found in noisy:
            print("one build, found:", found)
        for n, (of_files, of_processes) in medians(same).items():
            print("n = %9d: medians of files %s us; of processes %s us" % (
                n, " ".join("%.3f" % (1e6 * x) for x in of_files), " ".join("%.3f" % (1e6 * x) for x in of_processes)))
        print("one build: a finding in %d of %d pairs, %.0f s" % (len(noisy), len(pairs), time.monotonic() - start), flush=True)
        hit = 0
        for k in range(tries):
            found = findings(same[k % BENCHES], bench(MORE, SLOWED_SIZES, os.path.join(where, "slower.json")), "slow")
            hit += bool(found)
            print("try %2d, more=%s: %s" % (k + 1, MORE, found or "missed"), flush=True)
    print("slowed: found in %d of %d, %.0f s" % (hit, tries, time.monotonic() - start))
    return 0 if len(noisy) <= 1 and hit == tries else 1


sys.exit(main())
