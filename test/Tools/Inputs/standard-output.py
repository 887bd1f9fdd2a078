"""Runs every verb of every tool with a standard output that cannot be written to.

usage: standard-output.py BUILD, in a folder that has an empty folder t

Expected of each: where the disk is full or standard output is closed, exit status 1 and, as the last line on standard
error, why; where the reader has gone, death by SIGPIPE. All verbs are those that a tool's --help names.
"""

import os
import re
import signal
import subprocess
import sys

import verbs

FAILED = "{}: error: cannot write to standard output: {}"


def run(command, *, output=None, closed=False):
    """Exit status and the last line on standard error."""
    done = subprocess.run(
        command,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=(lambda: os.close(1)) if closed else None,
        timeout=60,
    )
    lines = done.stderr.splitlines()
    return done.returncode, lines[-1] if lines else ""


def run_without_reader(command):
    read, write = os.pipe()
    os.close(read)
    try:
        return run(command, output=write)[0]
    finally:
        os.close(write)


def problems_of(command):
    tool = command[0]
    with open("/dev/full", "w") as full:
        ended = run(command, output=full)
    if ended != (1, FAILED.format(tool, "No space left on device")):
        yield f"on a full disk: {ended}"
    ended = run(command, closed=True)
    if ended != (1, FAILED.format(tool, "Bad file descriptor")):
        yield f"with its output closed: {ended}"
    if (status := run_without_reader(command)) != -signal.SIGPIPE:
        yield f"without a reader: {status}"


def help_problems(tool, known):
    """A verb that the table does not have; and the ways to print that need no verb."""
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    if tool != "mp-opt":
        section = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.MULTILINE)
        named = set(re.findall(r"^  (\w[\w-]*)", section[1], re.MULTILINE)) if section else set()
        if named != set(known):
            yield [tool, "--help"], f"names the verbs {sorted(named)}, the table has {sorted(known)}"
    commands = [[tool, "--help"]] + [[tool, "--version"]] * ("--version" in text)
    for command in commands:
        for problem in problems_of(command):
            yield command, problem


def main():
    verbs.prepare(sys.argv[1])
    found = []
    for tool, commands in verbs.verbs().items():
        found += help_problems(tool, commands)
        found += [(command, problem) for rows in commands.values() for command in rows for problem in problems_of(command)]
    for command, problem in found:
        print(" ".join(command), problem, sep="\n  ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
