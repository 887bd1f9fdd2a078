#!/usr/bin/env python3
"""usage: peak_memory.py COMMAND...: prints what the command prints and then, as a last line, the most bytes that its process
held. A process counts what the one that started it held, too, so that one has to be small: this."""

import resource
import subprocess
import sys


def held():
    """The most that this process held, without that."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def of(command):
    """The last line, and what comes before it."""
    done = subprocess.run([sys.executable, "-S", __file__, *map(str, command)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr}")
    *lines, last = done.stdout.splitlines()
    return int(last), "\n".join(lines)


def main():
    done = subprocess.run(sys.argv[1:])
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, flush=True)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
