"""`python -m halfstep` is `mp-run`. What that has Python do, `import`, is done here."""

import os
import pathlib
import sys


def main():
    if sys.argv[1:2] == ["import"]:
        from halfstep import _onnx_command

        sys.exit(_onnx_command.main(sys.argv[2:]))
    program = pathlib.Path(__file__).parent / "bin" / "mp-run"
    os.execv(program, ["mp-run", *sys.argv[1:]])


if __name__ == "__main__":
    main()
