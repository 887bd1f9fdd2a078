"""`python -m halfstep` is `mp-run`. What that has Python do, `import`, is done here."""

import os
import pathlib
import sys


def _become(program: str):
    os.execv(pathlib.Path(__file__).parent / "bin" / program, [program, *sys.argv[1:]])


def main():
    if sys.argv[1:2] == ["import"]:
        from halfstep import _onnx_command

        sys.exit(_onnx_command.main(sys.argv[2:]))
    _become("mp-run")


def mp_opt():
    _become("mp-opt")


if __name__ == "__main__":
    main()
