"""usage: newer-chip.py MANIFEST: repeats a bundle's first line about code for one chip for chips that are newer."""

import pathlib
import sys

manifest = pathlib.Path(sys.argv[1])
text = manifest.read_text(encoding="utf-8")
line = next(line for line in text.splitlines() if "@sm_70\t" in line)
newer = "".join(line.replace("@sm_70\t", f"@{chip}\t") + "\n" for chip in ("sm_90", "sm_90a"))
manifest.write_text(text + newer, encoding="utf-8")
