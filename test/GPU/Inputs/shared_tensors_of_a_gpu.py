"""usage: shared_tensors_of_a_gpu.py LIBRARY TINY.mpx: a stand-in's memory is the host's, so that its bytes can be read."""

import ctypes
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import shared_tensors  # noqa: E402

LIBRARY = shared_tensors.load(sys.argv[1])
inputs = {}
for device in ("cpu", "cuda"):
    with shared_tensors.Program(LIBRARY, sys.argv[2], device, "infer", seed=7) as program:
        x = program.tensor("x")
        inputs[device] = ctypes.string_at(x.managed.tensor.data, 32)
        assert x.__dlpack_device__() == ((2, 0) if device == "cuda" else (1, 0))
        assert program.sample(runs=3) >= 0
assert inputs["cuda"] == inputs["cpu"], inputs  # no run was needed for the uploads to be over
