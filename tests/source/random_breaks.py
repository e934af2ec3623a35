#!/usr/bin/env python3
"""Breaks random lines of heaptop, one at a time, and says which of the breaks the tests notice.

	python3 tests/source/random_breaks.py [--count N] [--seed N] [--only NUMBER…] [--list] [--near]

Works in a clean checkout, which is as before when it ends. Each break changes one line of one
source: a condition, an operator, a constant, a word of a text, or a statement that is left out.
The same seed draws the same breaks. The tests of the source's own folder run first, then those
of its layer, then all others; the first test that fails twice has noticed the break. A break
that does not compile is drawn again. --near runs only the tests of the folder and the layer.
Takes some minutes for each break, and as long as `make check` for one that no test notices.
"""
import argparse
import glob
import os
import random
import re
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")
TESTS_AT_ONCE = 8
LAYERS = ("model", "io", "capture", "tui")

# Each is a pattern and what stands in its place.
CHANGES = [
    (r"\bif \((.+)\)( \{)?$", r"if (!(\1))\2"),
    (r" <= ", " < "),
    (r" < ", " <= "),
    (r" >= ", " > "),
    (r" > ", " >= "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r" \* ", " + "),
    (r"\breturn true;", "return false;"),
    (r"\breturn false;", "return true;"),
    (r"\+\+", "--"),
    (r"\+= ", "-= "),
    (r"(?<=[ (])([0-9]+)(?=[;,) ])", r"(\1 + 1)"),
    (r"\"([^\"\\%]{2,})\"", '"x"'),
    (r"^(\t+)([a-z_]+\(.*\);)$", r"\1;"),
    (r"^(\t+)([a-z_>.\[\]*-]+ \|?= .*;)$", r"\1;"),
]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, **more)


def statements(path):
    """Returns the numbers of the lines inside functions, without comments and assertions."""
    found, in_comment = [], False
    for number, line in enumerate(open(path)):
        text = line.strip()
        if text.startswith("/*"):
            in_comment = True
        if not in_comment and line.startswith("\t") and not text.startswith(("assert", "_Static")):
            found.append(number)
        if text.endswith("*/"):
            in_comment = False
    return found


def possible_changes(line):
    """Returns what the line may become."""
    changed = (re.sub(pattern, to, line.rstrip("\n"), count=1) for pattern, to in CHANGES)
    return [one for one in changed if one != line.rstrip("\n")]


def breaks(seed):
    """Yields (path, line number, new text), each line with the same chance, without end."""
    paths = sorted(p for p in run(["git", "ls-files", "*.c"]).stdout.split() if p.startswith(LAYERS))
    lines = [(path, number) for path in paths for number in statements(path)]
    chance = random.Random(seed)
    while True:
        path, number = chance.choice(lines)
        changes = possible_changes(open(path).readlines()[number])
        if changes:
            yield path, number, chance.choice(changes)


def ordered_tests(path):
    """Returns the reports of all tests: the folder's, the layer's, all others, the slow ones."""
    slow = run(["make", "-s", "--eval", "say: ; @echo $(LONGEST)", "say"]).stdout.split()
    folder, layer = os.path.dirname(path), path.split("/")[0]

    def rank(test):
        if os.path.dirname(test) == "tests/" + folder:
            return 0
        if os.path.splitext(os.path.basename(test))[0] in slow:
            return 3
        return 1 if test.startswith("tests/%s/" % layer) else 2

    tests = [t for kind in ("test", "fuzz", "check") for t in glob.glob("tests/*/%s_*.*" % kind) +
             glob.glob("tests/*/*/%s_*.*" % kind) if t.endswith((".c", ".sh"))]
    return [("%s/tests/%s.report" % (BUILD, os.path.splitext(os.path.basename(t))[0]), rank(t))
            for t in sorted(tests, key=lambda t: (rank(t), t))]


def is_red(report):
    if not os.path.exists(report):
        return False
    return not open(report, errors="replace").read().rstrip().endswith("passed, 0 failed")


def failing(reports):
    """Builds and runs the tests of these reports; returns the reports of those that fail."""
    for report in filter(os.path.exists, reports):
        os.remove(report)
    programs = [r[: -len(".report")] for r in reports if "/check_" not in r]
    run(["make", "-k", "BUILD=" + BUILD] + programs)
    run(["make", "-k", "BUILD=" + BUILD] + reports)
    return [report for report in reports if is_red(report)]


def noticed_by(path, near):
    """Returns the test that notices the break in `path`, or None."""
    tests = [report for report, rank in ordered_tests(path) if not near or rank < 2]
    for first in range(0, len(tests), TESTS_AT_ONCE):
        for report in failing(tests[first : first + TESTS_AT_ONCE]):
            if failing([report]):
                return os.path.basename(report)[: -len(".report")]
    return None


def try_break(path, number, text, near):
    """Returns what became of a break: the test that notices it, "nothing", or None if it does not compile."""
    source = open(path).read()
    lines = source.split("\n")
    lines[number] = text
    try:
        open(path, "w").write("\n".join(lines))
        if run(["make", "BUILD=" + BUILD, BUILD + "/heaptop"]).returncode:
            return None
        return noticed_by(path, near) or "nothing"
    finally:
        open(path, "w").write(source)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--count", type=int, default=30)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", type=int, nargs="*")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("--near", action="store_true")
    asked = arguments.parse_args()
    if not asked.list and run(["git", "status", "--porcelain", "-uno"]).stdout:
        sys.exit("random_breaks.py: the checkout has changes; commit them first.")
    noticed = made = tried = 0
    for path, number, text in breaks(asked.seed):
        if made == asked.count or (asked.only and tried >= max(asked.only)):
            break
        tried += 1
        if asked.only and tried not in asked.only:
            continue
        old = open(path).readlines()[number].strip()
        result = "not tried" if asked.list else try_break(path, number, text, asked.near)
        if result is None:
            continue
        made += 1
        noticed += result != "nothing"
        print("%d. %s:%d: %s\n   becomes %s\n   noticed by %s" %
              (tried, path, number + 1, old, text.strip(), result), flush=True)
    if not asked.list:
        print("%d of %d breaks are noticed (seed %d)" % (noticed, made, asked.seed))


if __name__ == "__main__":
    main()
