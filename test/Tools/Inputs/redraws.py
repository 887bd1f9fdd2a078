#!/usr/bin/python3
"""Shows how a command draws its progress on a terminal that is resized while it runs.

usage: redraws.py COLUMNS,COLUMNS,... COMMAND...

Runs the command on a terminal of each width in turn, a few redraws each, then kills it. Prints a line for each width: the
last redraw in brackets. Fails for a redraw that reaches the last column, after which a terminal goes to the next line, and
for a command that ends before all widths have been seen, or that takes longer than MOST_SECONDS.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

REDRAWS = 3
MOST_SECONDS = 120
START = b"\r\x1b[K"


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def give_up(process):
    os.kill(process, signal.SIGKILL)
    sys.exit(f"not all widths were seen in {MOST_SECONDS} seconds")


class Redraws:
    """The redraws that a terminal shows, one after another; what is not drawn over is left out."""

    def __init__(self, terminal):
        self.terminal = terminal
        self.text = b""

    def next(self):
        while True:
            parts = self.text.split(START)
            # The first part is from before the first redraw, the last may not be whole.
            if len(parts) > 2:
                self.text = START.join(parts[1:])
                if b"\n" not in parts[1]:
                    return parts[1].decode()
                continue
            self.read()

    def read(self):
        try:
            self.text += os.read(self.terminal, 4096)
        except OSError:
            sys.exit(f"the command ended: {self.text.decode()}")

    def skip(self):
        """Drops what was drawn so far."""
        while select.select([self.terminal], [], [], 0)[0]:
            self.read()
        self.text = b""


def main():
    widths = [int(width) for width in sys.argv[1].split(",")]
    process, terminal = pty.fork()
    if process == 0:
        resize(0, widths[0])
        os.execvp(sys.argv[2], sys.argv[2:])
    signal.signal(signal.SIGALRM, lambda *_: give_up(process))
    signal.alarm(MOST_SECONDS)
    redraws = Redraws(terminal)
    faults = 0
    for width in widths:
        resize(terminal, width)
        redraws.skip()
        redraws.next()  # its width may be from before
        lines = [redraws.next() for _ in range(REDRAWS)]
        for line in lines:
            if len(line) >= width:
                print(f"{width}: {len(line)} characters: {line}")
                faults += 1
        print(f"{width}: [{lines[-1]}]")
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
