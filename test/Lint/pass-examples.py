#!/usr/bin/python3
"""Runs the example of every pass, the ```mlir block of its description, through mp-opt.

usage: pass-examples.py MP_OPT LLVM_TBLGEN INCLUDE_DIR PASSES.td...

"Example, `pass{options}`:", or "Example:" for a pass without options, stands above a block of IR, `// becomes` and the
IR that the pass makes of it; both are compared as mp-opt prints them. "Example, an error at `op`:" stands above IR that
the pass must refuse at such an op. Fails for a pass without an example and for an example that does not hold.
"""

import difflib
import json
import re
import subprocess
import sys
import textwrap

EXAMPLE = re.compile(r"^Example(?:, (an error at )?`([^`]*)`)?:\n\n```mlir\n(.*?)^```", re.MULTILINE | re.DOTALL)
BECOMES = "// becomes\n"


def described_passes(tblgen, include, definitions):
    """The argument, the kind of op it runs on and the description of every pass of a file."""
    command = [tblgen, "--dump-json", *[f"-I{path}" for path in include], definitions]
    records = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for name in records["!instanceof"]["PassBase"]:
        record = records[name]
        yield record["argument"], "FuncOp" in record["baseClass"], textwrap.dedent(record["description"])


def mp_opt(program, text, *flags):
    return subprocess.run([program, "-", *flags], input=text, capture_output=True, text=True)


def fault_of(program, pipeline, error_at, block):
    """What is wrong with one example, or None."""
    before, becomes, after = block.partition(BECOMES)
    made = mp_opt(program, before, f"--pass-pipeline={pipeline}")
    if error_at:
        at = re.search(r'^<stdin>:(\d+):\d+: error:', made.stderr, re.MULTILINE)
        refused = made.returncode == 1 and at and error_at in before.splitlines()[int(at[1]) - 1]
        return None if refused else f"no error at {error_at}:\n{made.stderr}{made.stdout}"
    if made.returncode != 0:
        return made.stderr
    if not becomes:
        return "does not say what the pass makes of it"
    expected = mp_opt(program, after)
    if expected.returncode != 0:
        return expected.stderr
    lines = [text.splitlines() for text in (expected.stdout, made.stdout)]
    return "\n".join(difflib.unified_diff(*lines, "the example", "the pass", lineterm="")) or None


def main():
    program, tblgen, *rest = sys.argv[1:]
    include, definitions = [path for path in rest if not path.endswith(".td")], [path for path in rest if path.endswith(".td")]
    passes, examples, faults = 0, 0, []
    for path in definitions:
        for argument, on_functions, description in described_passes(tblgen, include, path):
            passes += 1
            found = EXAMPLE.findall(description)
            if not found or len(found) != description.count("```mlir"):
                faults.append(f"{argument}: has no example, or one without a line that says what it is of")
            for error, quoted, block in found:
                examples += 1
                run = argument if error or not quoted else quoted
                pipeline = f"builtin.module(func.func({run}))" if on_functions else f"builtin.module({run})"
                fault = fault_of(program, pipeline, quoted if error else None, block)
                if run.partition("{")[0] != argument:
                    fault = f"its example is of {run}"
                if fault:
                    faults.append(f"{argument}: {fault}")
    print("\n".join(faults))
    print(f"{passes} passes, {examples} examples, {len(faults)} faults")
    return 1 if faults or not passes else 0


if __name__ == "__main__":
    sys.exit(main())
