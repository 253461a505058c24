"""budget.py BUDGETS MEASURED: says what each label took of its budget; fails where one has grown by a third.

Both files have lines "PRESET LABEL SECONDS", of processor time (user and system), which depends little on what else the machine
does, and on the number of its processors.  MEASURED has the seconds of the clock behind them, which are only said.  It does depend on how fast they are: where most labels take more than their budgets,
it is the machine, and every budget is multiplied by the median of what they took of theirs.  So one label that grows is seen on a
slow machine too, and a slow machine is no failure; a machine that is faster than the one of the budgets changes nothing.
"""
import statistics
import sys

MOST = 4 / 3
LITTLE = 10  # seconds that say nothing: a label of a few seconds may double


def read(path, column=2):
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words:
                rows[words[0], words[1]] = float(words[column])
    return rows


def judge(budgets, measured):
    """How much slower the machine is, and a line for each label that has grown or has no budget."""
    parts = [seconds / budgets[key] for key, seconds in measured.items() if key in budgets]
    slower = max(1, statistics.median(parts)) if len(parts) > 2 else 1
    complaints = []
    for key, seconds in measured.items():
        if key not in budgets:
            complaints.append("%s %s has no budget" % key)
        elif seconds > budgets[key] * slower * MOST + LITTLE:
            complaints.append("%s %s took %.0f s of processor time; its budget here is %.0f s" % (*key, seconds, budgets[key] * slower))
    return slower, complaints


def main(budgets, measured):
    budgets, measured, clock = read(budgets), read(measured), read(measured, 3)
    slower, complaints = judge(budgets, measured)
    print("build    label     processor s    budget   clock s   (budgets are for a machine %.2f times as slow as theirs)" % slower)
    for key, seconds in measured.items():
        print("%-8s %-9s %11.0f %9.0f %9.0f" % (*key, seconds, budgets.get(key, 0) * slower, clock[key]))
    print("%-8s %-9s %11.0f %9.0f %9.0f" % ("all", "", sum(measured.values()), sum(budgets.values()) * slower, sum(clock.values())))
    for complaint in complaints:
        print("tests/budgets.txt: %s. Make it quicker, or say in that file why it takes longer." % complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
