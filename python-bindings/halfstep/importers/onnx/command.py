"""`mp-run import`: a file of ONNX as a model's text, and its weights beside it."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import NoReturn

from halfstep.layers.leaves import Parameter
from halfstep_runtime._errors import Error
from halfstep_runtime._files import write
from halfstep_runtime._tensor_files import write_tensors

class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Error(message)


def _parse(words: list[str]) -> argparse.Namespace:
    parser = _Parser(prog="mp-run import", allow_abbrev=False, description="Writes a model's text, as the other verbs read it, from a file of ONNX.")
    parser.add_argument("model", help="the model's .onnx file")
    parser.add_argument("-o", "--output", default="-", help="where the text goes, - for standard output (default -)")
    parser.add_argument("--weights", metavar="FILE", help="a safetensors file for the values of parameters (default: none is written)")
    for name, told in (("trainable", "all that trains"), ("frozen", "what does not train")):
        parser.add_argument(f"--{name}", metavar="PATTERN", action="append", help=f"{told}, by its name or a pattern as 'encoder.*'; may be given more than once")
    parser.add_argument("--batch-size", metavar="N", type=int, help="how many rows a batch has, for models that are made for one size of it; "
                        "the batch of others is open (default: none)")
    return parser.parse_args(words)


def _print(text: str) -> None:
    try:
        if sys.stdout is None:
            raise OSError(None, "Bad file descriptor")
        data = memoryview(text.encode())
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        raise Error(f"cannot write to standard output: {error.strerror}") from error


def _check_paths(given: argparse.Namespace) -> None:
    named = [("-o ", given.output)] * (given.output != "-") + [("--weights=", given.weights)] * bool(given.weights)
    for flag, path in named:
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise Error(f"{flag}{path}: folder does not exist: {folder}")
        if os.path.exists(path) and os.path.samefile(given.model, path):
            raise Error(f"{flag}{path}: is the model itself, which would be lost")
    is_device = os.path.exists(given.output) and not os.path.isfile(given.output)  # or a pipe: what may be written to twice
    if len(named) == 2 and os.path.realpath(given.output) == os.path.realpath(given.weights) and not is_device:
        raise Error(f"-o and --weights both write to {given.output}")


def _run(words: list[str]) -> None:
    given = _parse(words)
    try:
        os.stat(given.model)
        _check_paths(given)
        from halfstep.importers.onnx.importer import from_onnx

        model = from_onnx(given.model, trainable=given.trainable, frozen=given.frozen)
    except OSError as error:
        raise Error(f"{error.filename or given.model}: cannot open: {error.strerror or error}") from error
    except ImportError as error:
        raise Error(f"import needs the package onnx ({error}); install it: python3 -m pip install onnx") from error
    if model.fixed_rows is not None and given.batch_size is None:
        raise Error(f"{given.model}: its rows depend on each other by the size of the batch, so that its text is for one: give --batch-size")
    if model.fixed_rows is None and given.batch_size is not None:
        raise Error(f"{given.model}: its batch is open, and its text is one for all sizes: leave out --batch-size, and give it to compile, explain or infer")
    text = model.to_mlir(locations=True, batch_size=given.batch_size)
    values = {name: leaf.value for name, leaf in model.named_leaves()}
    stays = [name for name, leaf in model.named_leaves() if isinstance(leaf, Parameter) and not leaf.trainable]
    if stays and given.trainable is None and given.frozen is None:
        print(f"mp-run: {len(stays)} of {len(values)} tensors stay in training, as '{stays[0]}'; --trainable and --frozen say otherwise", file=sys.stderr)
    if given.weights:
        if not values:
            raise Error(f"--weights={given.weights}: the model has no parameters")
        write_tensors(given.weights, values)
    elif values:
        print(f"mp-run: the values of {len(values)} parameters are left out; --weights=FILE.safetensors writes them", file=sys.stderr)
    if given.output == "-":
        _print(text)
    else:
        write(given.output, [text.encode()])


def main(words: list[str]) -> int:
    """The exit status, of what stands behind `import` on a command line."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as it ends other programs
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        _run(words)
    except Error as error:
        print(f"mp-run: error: {error}", file=sys.stderr)
        return 1
    return 0
