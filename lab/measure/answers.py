#!/usr/bin/env python3
"""answers.py [--rounds N] COMMAND [COMMAND...]: the time of whole processes, in turns.

The first command is what the others are compared with:

    nvcc -O3 -std=c++17 -arch=native lab/measure/gpu_answer.cu -o gpu_answer
    lab/measure/answers.py ./gpu_answer 'redhost --run auto -n 2^20 -q'

Each is run twice before, which fills its caches.  A line for each command: the median in milliseconds, the quartiles, and
the first command's median divided by this one's."""
import argparse
import shlex
import statistics
import subprocess
import sys
import time


def seconds(command):
    begin = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    took = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    given = parser.parse_args()
    commands = [shlex.split(text) for text in given.commands]
    times = [[] for _ in commands]
    for turn in range(-2, given.rounds):
        for command, of in zip(commands, times):
            took = seconds(command)
            if turn >= 0:
                of.append(took)
    first = statistics.median(times[0])
    for text, of in zip(given.commands, times):
        low, middle, high = statistics.quantiles(of, n=4)
        print(f"{1e3 * middle:8.1f} ms ({1e3 * low:.1f} to {1e3 * high:.1f})  {first / middle:.2f}x  {text}")


if __name__ == "__main__":
    main()
