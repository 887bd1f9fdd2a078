#!/usr/bin/python3
"""Runs every op's example, the ```mlir blocks of its description, through mp-opt.

usage: op-examples.py MP_OPT LLVM_TBLGEN OPS.td INCLUDE_DIR...

Fails for an op without an example, for an example in which the op does not occur, and for one that mp-opt refuses.

An example may use values that it does not define. It is put at module level, where order is free, below one definition
per such value; the parser itself says which those are and of which type it wants them, one per run of mp-opt.
"""

import json
import re
import subprocess
import sys
import textwrap

SEPARATOR = "// -----\n"
UNDEFINED = re.compile(r"use of undeclared SSA value name")
MISTYPED = re.compile(r"use of value '(%[\w.$-]+)' expects different type than prior uses: '(.*)' vs 'none'")
ERROR = re.compile(r"^<stdin>:(\d+):(\d+): error: (.*)$", re.MULTILINE)


class Example:
    def __init__(self, op, text):
        self.op = op
        self.text = text
        self.types = {}  # of the values that the example does not define
        self.error = None

    def source(self):
        given = [f'{value} = "example.value"() : () -> {type}\n' for value, type in self.types.items()]
        return "".join(given) + self.text

    def learn(self, line, column, message):
        """Takes one error of the parser: a value to define, a type to give it, or a fault."""
        mistyped = MISTYPED.fullmatch(message)
        if mistyped:
            self.types[mistyped[1]] = mistyped[2]
            return
        value = re.match(r"%[\w.$-]+", self.source().splitlines()[line - 1][column - 1 :])
        if UNDEFINED.match(message) and value and value[0] not in self.types:
            self.types[value[0]] = "none"
            return
        self.error = message


def described_ops(tblgen, ops, includes):
    """The name and description of every op of the dialect, in order."""
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in includes], ops]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for name in records["!instanceof"]["Op"]:
        record = records[name]
        if records[record["opDialect"]["def"]]["name"] == "mp":
            yield "mp." + record["opName"], record["description"] or ""


def examples_of(op, description):
    blocks = re.findall(r"^ *```mlir\n(.*?)^ *```", description, re.MULTILINE | re.DOTALL)
    return [Example(op, textwrap.dedent(block)) for block in blocks]


def run(mp_opt, examples):
    """Tells each example of its first error; whether there was any."""
    chunks = [example.source() for example in examples]
    command = [mp_opt, "--split-input-file", "--allow-unregistered-dialect", "-o", "/dev/null", "-"]
    done = subprocess.run(command, input=SEPARATOR.join(chunks), capture_output=True, text=True)
    first_lines, line = [], 1
    for chunk in chunks:
        first_lines.append(line)
        line += chunk.count("\n") + 1
    told = set()
    for error in ERROR.finditer(done.stderr):
        at = int(error[1])
        index = max(i for i, first in enumerate(first_lines) if first <= at)
        if index not in told:
            told.add(index)
            examples[index].learn(at - first_lines[index] + 1, int(error[2]), error[3])
    if done.returncode != 0 and not told:
        sys.exit(f"mp-opt ended with {done.returncode}:\n{done.stderr}")
    return bool(told)


def main():
    mp_opt, tblgen, ops, *includes = sys.argv[1:]
    faults, examples, count = [], [], 0
    for op, description in described_ops(tblgen, ops, includes):
        count += 1
        blocks = examples_of(op, description)
        if not blocks:
            faults.append(f"{op}: has no example")
        elif not any(re.search(re.escape(op) + r"(?![\w.])", example.text) for example in blocks):
            faults.append(f"{op}: does not occur in its example")
        examples += blocks
    open_examples = examples
    while open_examples and run(mp_opt, open_examples):
        open_examples = [example for example in open_examples if not example.error]
    faults += [f"{example.op}: {example.error}\n{example.source()}" for example in examples if example.error]
    print("\n".join(faults))
    print(f"{count} ops, {len(examples)} examples, {len(faults)} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
