"""On a terminal a compilation of more than a second says how far it is, in one line that is gone in the end; in a pipe it says nothing."""

import os
import pty
import re
import subprocess
import sys

model, folder = sys.argv[1:]
command = ["mp-run", "compile", model, "--compile-cache=off", "-o", f"{folder}/resnet.mpx"]

ours, theirs = pty.openpty()
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
seen = b""
try:
    while more := os.read(ours, 1 << 16):
        seen += more
except OSError:  # the other end is closed
    pass
assert process.wait() == 0
lines = [line for line in re.split(r"\r(?:\x1b\[K)?", seen.decode()) if line]
assert lines and "\n" not in seen.decode(), seen
done = [tuple(map(int, found)) for line in lines for found in re.findall(r"^compiling: kernels (\d+)/(\d+), \d+ s$", line)]
assert done and done == sorted(done) and len({count for _, count in done}) == 1 and all(0 < one <= count for one, count in done), lines
assert all(re.fullmatch(r"compiling: [a-z-]+( \d+/\d+)?, \d+ s", line) for line in lines), lines
assert seen.endswith(b"\r\x1b[K"), seen[-40:]

assert subprocess.run(command, check=True, capture_output=True, text=True).stderr == ""
