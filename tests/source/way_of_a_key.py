#!/usr/bin/env python3
"""Counts the functions and files of heaptop that run for a key or a command.

	make debug && python3 tests/source/way_of_a_key.py [--list WHAT] [PROGRAM [FILE]]

Runs an unoptimized program under callgrind, so that no function is inlined, and counts those
whose source is in the tree. A key is counted from the moment it is typed, in the types of an
open file, until the screen has been drawn; a command of -b from start to end.
--list names the functions of one of the rows, with their files.
"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile

KEYS = ["j", "R"]
COMMANDS = ["types", "sql SELECT type, count FROM types LIMIT 5"]
FOLDERS = ("capture/", "io/", "model/", "tui/")


def functions_of(profile):
    """Returns the pairs of file and function with a cost in a profile of callgrind."""
    names, found, place = {}, set(), None
    for line in open(profile, errors="replace"):
        match = re.match(r"(c?f[nile]|cfi|cfl)=\((\d+)\)(?: (.*))?", line)
        if match:
            kind, number, name = match.groups()
            table = names.setdefault("fn" if kind.endswith("fn") else "file", {})
            if name:
                table[number] = name.rstrip("\n")
            if kind == "fl":
                place = table[number]
            elif kind == "fn":
                found.add((place, table[number].split("'")[0]))
    in_tree = {(os.path.relpath(f), n) for f, n in found if f and f != "???"}
    return sorted((f, n) for f, n in in_tree if f.startswith(FOLDERS))


def valgrind(options, folder):
    return ["valgrind", "--tool=callgrind", "--compress-pos=no",
            "--callgrind-out-file=" + folder + "/out.%p"] + options


def way_of_command(program, command, file):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(valgrind([], folder) + [program, "-b", command, file],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return functions_of(folder + "/" + os.listdir(folder)[0])


def wait_until_quiet(screen, seconds):
    """Reads what the program draws until it has drawn nothing for some time, or has ended."""
    try:
        while select.select([screen], [], [], seconds)[0]:
            os.read(screen, 65536)
    except OSError:  # Linux's way to say that the other end is closed
        pass


def control(*options):
    subprocess.run(["callgrind_control", *options], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)


def way_of_key(program, key, file):
    with tempfile.TemporaryDirectory() as folder:
        pid, screen = pty.fork()
        if pid == 0:
            options = valgrind(["--instr-atstart=no", "--log-file=/dev/null"], folder)
            os.execvp("valgrind", options + [program, file])
        wait_until_quiet(screen, 6)
        control("-i", "on", str(pid))
        os.write(screen, key.encode())
        wait_until_quiet(screen, 3)
        control("-d", str(pid))
        functions = set()
        for profile in os.listdir(folder):
            functions.update(functions_of(folder + "/" + profile))
        os.write(screen, b"Q")
        wait_until_quiet(screen, 1)
        os.close(screen)
        os.waitpid(pid, 0)
        return sorted(functions)


def main(arguments):
    listed = None
    if arguments[:1] == ["--list"]:
        listed, arguments = arguments[1], arguments[2:]
    program = arguments[0] if arguments else "build-debug/heaptop"
    file = arguments[1] if len(arguments) > 1 else "tests/data/leaky-10.gcdump"
    os.environ.update(HEAPTOP_RC="", TERM="xterm", LINES="24", COLUMNS="80")
    ways = [(k, lambda k=k: way_of_key(program, k, file)) for k in KEYS]
    ways += [("-b " + c.split()[0], lambda c=c: way_of_command(program, c, file))
             for c in COMMANDS]
    if not listed:
        print("%-12s %6s %10s" % ("way", "files", "functions"))
    for name, measure in ways:
        if listed and name != listed:
            continue
        functions = measure()
        if listed:
            for place, function in functions:
                print(place, function)
        else:
            print("%-12s %6d %10d" % (name, len({f for f, _ in functions}), len(functions)),
                  flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
