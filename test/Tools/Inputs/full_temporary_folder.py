"""Compiles with temporary folders of so many kilobytes, in mounts of its own, and without one: each ends well or with one line that names the
folder.

usage: full_temporary_folder.py MODEL FOLDER
"""

import os
import pathlib
import subprocess
import sys

model, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
place = folder / "temporary"
place.mkdir()


def compile_in(temporary):
    command = ["mp-run", "compile", model, "--compile-cache=off", "-o", folder / "model.mpx"]
    return subprocess.run(command, env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True)


ended = set()
for kilobytes in (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 1024):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", place], check=True)
    result = compile_in(place)
    assert result.returncode in (0, 1), (kilobytes, result.returncode, result.stderr)
    if result.returncode == 1:
        errors = [line for line in result.stderr.splitlines() if "error: " in line]
        assert len(errors) == 1 and str(place) in errors[0] and "No space left on device" in errors[0], (kilobytes, result.stderr)
    assert not list(place.iterdir()), list(place.iterdir())
    ended.add(result.returncode)
    subprocess.run(["umount", place], check=True)
assert ended == {0, 1}, ended

result = compile_in(folder / "nowhere")
said = f"cannot make a folder for the linker's files in {folder / 'nowhere'}: No such file or directory; TMPDIR names another folder"
assert result.returncode == 1 and said in result.stderr, result.stderr
