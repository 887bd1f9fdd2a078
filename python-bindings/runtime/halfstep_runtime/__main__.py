"""`python -m halfstep_runtime` is `mp-exec`; `--prefix` shows the folder of the runtime for C."""

import os
import pathlib
import signal
import sys


def become(program: pathlib.Path) -> None:
    """Goes on as a program of ours, with this one's words. What Python ignores ends that as a shell expects: a reader that goes away.
    Both packages may be in folders of their own."""
    paths = [str(pathlib.Path(__file__).absolute().parent / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.execv(program, [program.name, *sys.argv[1:]])


def main() -> None:
    folder = pathlib.Path(__file__).absolute().parent
    if sys.argv[1:] == ["--prefix"]:
        print(folder)
        return
    become(folder / "bin" / "mp-exec")


if __name__ == "__main__":
    main()
