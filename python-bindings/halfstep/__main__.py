"""`python -m halfstep` is `mp-run`. What that has Python do, `import`, is done here."""

import pathlib
import sys

from halfstep_runtime.__main__ import become


def _become(program: str) -> None:
    become(pathlib.Path(__file__).parent / "bin" / program)


def main() -> None:
    if sys.argv[1:2] == ["import"]:
        from halfstep.importers.onnx import command

        sys.exit(command.main(sys.argv[2:]))
    _become("mp-run")


def mp_opt() -> None:
    _become("mp-opt")


if __name__ == "__main__":
    main()
