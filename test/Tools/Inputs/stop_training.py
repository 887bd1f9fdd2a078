#!/usr/bin/python3
"""Sends signals to a command that trains, and checks how it ends.

usage: stop_training.py SIGNAL[,SIGNAL...] WORD COMMAND...

The first signal is sent a moment after WORD stands on the command's standard error, each further one when the command has
said that it is stopping. One signal: the command ends by itself with 128 and the signal's number. Two: the second ends it
at once. Prints its standard error and standard output.
"""

import os
import signal
import subprocess
import sys
import time

# What a process may take to die of a signal on a machine with much else to do; a step of a test takes longer.
MOST_SECONDS = 10


def read_until(pipe, word):
    """What is read up to `word`, which must come."""
    text = ""
    while word not in text:
        part = os.read(pipe.fileno(), 4096).decode()
        if not part:
            sys.exit(f"the command ended before it said '{word}':\n{text}")
        text += part
    return text


def take_signals():
    """Tests may run where signals are ignored, as in the background of a script."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def main():
    signals = [getattr(signal, name) for name in sys.argv[1].split(",")]
    pipe = subprocess.PIPE
    process = subprocess.Popen(sys.argv[3:], stdout=pipe, stderr=pipe, preexec_fn=take_signals)
    said = read_until(process.stderr, sys.argv[2])
    time.sleep(0.1)
    for number, sent in enumerate(signals):
        process.send_signal(sent)
        if number + 1 < len(signals):
            said += read_until(process.stderr, "stopping after this step; the same again ends at once")
    start = time.monotonic()
    output, rest = process.communicate()
    seconds = time.monotonic() - start
    print(said + rest.decode() + output.decode())
    expected = 128 + signals[0] if len(signals) == 1 else -signals[-1]
    if process.returncode != expected:
        print(f"ended with {process.returncode}, expected {expected}")
        return 1
    if len(signals) > 1 and seconds > MOST_SECONDS:
        print(f"the second signal took {seconds:.1f} seconds")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
