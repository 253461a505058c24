"""budget.py BUDGETS TIMES COMPILED HOW: prints what each label took of its budget; fails where one grew by a third.

TIMES is a folder with a folder for each build, and in that the files of tests/timed.sh.  Processor time (user and system) depends
little on what else the machine does, and on the number of its processors.  It does depend on two things, which are allowed for:
- How much was compiled.  BUDGETS states the seconds for a run that finds all programs in PoCL's cache, and for one that finds none.
  COMPILED is the number of programs that this run compiled; the budget lies between the two in proportion.  Tests of several labels
  need the same programs, and the first of them pays: a run that compiles many is judged by the sum over a build's labels.
- How fast the processors are.  Where most labels take more than their budgets, it is the machine: every budget is multiplied by the
  median of what they took of theirs.  A label that grows is seen on a slow machine, too; on a faster one nothing changes.

HOW is judge, or ignore (nothing fails), or update: what was measured is written into BUDGETS, into the second column of seconds
where most programs were compiled, into the first where few were.
"""
import os
import pathlib
import re
import statistics
import sys

MOST = 4 / 3
MANY = 0.1  # of all programs: more decide which label pays
LITTLE = 10  # seconds that mean nothing: a label of a few seconds may double


def read(text):
    """{(build, label): (seconds, seconds where all is compiled)}, and the number of programs that this compiles."""
    rows, programs = {}, 1
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["programs"]:
            programs = int(words[1])
        elif words:
            rows[words[0], words[1]] = float(words[2]), float(words[3])
    return rows, programs


def spent(text):
    """The seconds that `times' printed: the shell's own, and on the second line its children's."""
    return sum(60 * float(minutes) + float(seconds) for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", text))


def measure(times):
    """{(build, label): seconds}."""
    measured = {}
    for build in sorted(os.listdir(times), key=lambda name: (name != "default", name)):
        for name in sorted(os.listdir(os.path.join(times, build))):
            with open(os.path.join(times, build, name), encoding="utf-8") as file:
                key = build, name.split(":")[0]
                measured[key] = measured.get(key, 0) + spent(file.read())
    return measured


def share_of(compiled, programs):
    return min(1, compiled / programs)


def judge(rows, share, measured):
    """The budgets for this run, how much slower the machine is, and a line for each label that grew or has no budget."""
    budgets = {key: warm + (cold - warm) * share for key, (warm, cold) in rows.items()}
    parts = [seconds / budgets[key] for key, seconds in measured.items() if key in budgets]
    slower = max(1, statistics.median(parts)) if len(parts) > 2 else 1
    complaints = ["%s %s has no budget" % key for key in measured if key not in budgets]
    for name, keys in judged_together([key for key in measured if key in budgets], share):
        seconds, budget = sum(measured[key] for key in keys), sum(budgets[key] for key in keys) * slower
        if seconds > budget * MOST + LITTLE:
            complaints.append("%s took %.0f s of processor time; its budget here is %.0f s" % (name, seconds, budget))
    return budgets, slower, complaints


def judged_together(keys, share):
    """[(a name, the keys whose seconds are added up)]."""
    if share <= MANY:
        return [("%s %s" % key, [key]) for key in keys]
    builds = sorted({build for build, _ in keys})
    return [("all of " + build, [key for key in keys if key[0] == build]) for build in builds]


def update(text, measured, compiled):
    """The file with the seconds of this run in it."""
    rows, programs = read(text)
    cold = compiled > programs / 2
    lines = [line for line in text.splitlines() if line.startswith("#")]
    lines.append("programs %d" % (compiled if cold else programs))
    for key, seconds in measured.items():
        old = rows.get(key, (seconds, seconds))
        pair = (min(old[0], seconds), seconds) if cold else (seconds, max(old[1], seconds))
        lines.append("%-8s %-9s %5.0f %5.0f" % (*key, *(max(1, part) for part in pair)))
    return "\n".join(lines) + "\n"


def main(path, times, compiled, how):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    measured, compiled = measure(times), int(compiled)
    if how == "update":
        text = update(text, measured, compiled)
        pathlib.Path(path).write_text(text, encoding="utf-8")
    rows, programs = read(text)
    budgets, slower, complaints = judge(rows, share_of(compiled, programs), measured)
    print("build    label     processor s    budget   (%d programs compiled; the machine is taken to be %.2f times as slow as that "
          "of the budgets)" % (compiled, slower))
    for key, seconds in measured.items():
        print("%-8s %-9s %11.0f %9.0f" % (*key, seconds, budgets.get(key, 0) * slower))
    print("%-8s %-9s %11.0f %9.0f" % ("all", "", sum(measured.values()), sum(budgets.get(key, 0) for key in measured) * slower))
    if how == "ignore":
        return 0
    for complaint in complaints:
        print("tests/budgets.txt: %s. Make it quicker, or say in that file why it takes longer." % complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
