"""Gives every flag that names a file to write, of every tool, what is no plain file.

usage: output-files.py BUILD [FOLDER], in a folder that has an empty folder t

A pipe and a device are written through; a link stays and what it points to is written; a file keeps its permissions; what
cannot be written is exit status 1 and one error that names the path. With FOLDER, one of a file system without space, only
that is tried: an old file there stays as it is, with nothing beside it.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import verbs

OLD = "what was there before\n"


class Case:
    """One command, with one kind of thing at the path that it writes to."""

    def __init__(self, command, file, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.folder = folder
        self.path = folder / (file or "f")
        named = str(self.path if file is None else folder)
        self.command = [word.replace("PATH", named) for word in command]
        self.isFolder = file is not None

    def run(self):
        self.done = subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
        return self.done.returncode

    def succeeds(self):
        """With nothing to say but what was written."""
        return self.run() == 0 and all(line.startswith("wrote ") for line in self.done.stderr.splitlines())

    def fails(self, *reasons):
        """With one error, which has one of the reasons and one of the names."""
        status, text = self.run(), self.done.stderr
        errors = [line for line in text.splitlines() if "error:" in line.lower()]
        return (
            status == 1
            and len(errors) == 1
            and any(reason in errors[0] for reason in reasons)
            and str(self.folder) in errors[0]
        )

    def beside(self):
        """What else lies in the folder; dumped stages are all there."""
        return [] if self.isFolder else [name for name in os.listdir(self.folder) if name != self.path.name]


def pipe(case):
    os.mkfifo(case.path)
    reader = subprocess.Popen(["cat", case.path], stdout=subprocess.PIPE)
    try:
        return case.succeeds() and case.path.is_fifo() and len(reader.communicate(timeout=5)[0]) > 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        reader.kill()
        reader.wait()


def device(case):
    case.path.symlink_to("/dev/null")
    return case.succeeds() and case.path.is_symlink() and not case.beside()


def full_device(case):
    case.path.symlink_to("/dev/full")
    return case.fails("No space left on device") and case.path.is_symlink() and not case.beside()


def link(case):
    other = case.folder / "other"
    other.mkdir()
    target = other / "target"
    target.write_text(OLD)
    target.chmod(0o600)
    case.path.symlink_to("other/target")
    return (
        case.succeeds()
        and case.path.is_symlink()
        and target.read_bytes() not in (b"", OLD.encode())
        and target.stat().st_mode & 0o777 == 0o600
        and os.listdir(other) == ["target"]
    )


def link_to_nothing(case):
    case.path.symlink_to("target")
    return case.succeeds() and case.path.is_symlink() and (case.folder / "target").stat().st_size > 0


def loop(case):
    case.path.symlink_to(case.path.name)
    return case.fails("Too many levels of symbolic links") and case.path.is_symlink()


def folder(case):
    case.path.mkdir()
    return case.fails("Is a directory", "is a folder, expected a file") and not case.beside()


def no_folder(case):
    if case.isFolder:
        return True  # is made
    case.folder.rmdir()
    return case.fails("No such file or directory", "folder does not exist")


def no_space(case):
    if any(word.startswith("--log=") for word in case.command):  # written step by step, not at once
        (case.folder / "other").write_text(OLD)
        return case.fails("No space left on device")
    case.path.write_text(OLD)
    return case.fails("No space left on device") and case.path.read_text() == OLD and not case.beside()


def no_space_for_a_checkpoint(case):
    (case.folder / "other").write_text(OLD)
    return case.fails("No space left on device") and os.listdir(case.folder) == ["other"]


KINDS = [pipe, device, full_device, link, link_to_nothing, loop, folder, no_folder]


def main():
    verbs.prepare(sys.argv[1])
    is_full = len(sys.argv) > 2
    folder = (pathlib.Path(sys.argv[2] if is_full else "t") / "files").absolute()
    tests = [(*flag, kind) for flag in verbs.output_flags() for kind in ([no_space] if is_full else KINDS)]
    if is_full:
        tests += [(verbs.checkpoint(tool), "", no_space_for_a_checkpoint) for tool in ("mp-run", "mp-exec")]
    failed = 0
    for command, file, kind in tests:
        case = Case(command, file, folder)
        if not kind(case):
            failed = 1
            print(kind.__name__, case.done.returncode, " ".join(case.command), case.done.stderr, sep="\n  ")
    return failed


if __name__ == "__main__":
    sys.exit(main())
