"""number.py FILE: FILE as replay compares it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True

import texts  # noqa: E402

file = pathlib.Path(sys.argv[1])
print(texts.FORMS[file.suffix](file.read_text()), end="")
