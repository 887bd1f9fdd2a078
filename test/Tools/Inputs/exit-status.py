"""Runs every verb of every tool rightly, and with a flag and a file that there are not.

usage: exit-status.py BUILD, in a folder that has an empty folder t

Expected are the exit statuses that docs/overview.md has: 0, or 1 with an error on standard error and nothing on standard
output.
"""

import subprocess
import sys

import verbs


def wrong_uses(command):
    """The command with an unknown flag, and with each file that it reads absent."""
    yield [*command, "--no-such-flag"]
    for at, word in enumerate(command):
        if word.endswith((".mlir", ".onnx", "t/m.mpx")) and not word.startswith("-"):
            yield [*command[:at], "t/absent" + word[word.rindex(".") :], *command[at + 1 :]]


def problems():
    for tool, rows in verbs.verbs().items():
        for wrong in ([tool, "no-such-verb"],) if tool == "mp-opt" else ([tool], [tool, "no-such-verb"]):
            yield from failing(wrong)
        for command in (command for commands in rows.values() for command in commands):
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if done.returncode != 0:
                yield command, done
            for wrong in wrong_uses(command):
                yield from failing(wrong)


def failing(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode != 1 or not done.stderr or done.stdout:
        yield command, done


def main():
    verbs.prepare(sys.argv[1])
    found = list(problems())
    for command, done in found:
        print(done.returncode, " ".join(command), done.stdout[:200], done.stderr, sep="\n  ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
