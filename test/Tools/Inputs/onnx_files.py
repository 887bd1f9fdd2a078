"""Writes files of ONNX: m.onnx without weights, w.onnx with two, lacking.onnx with ops that are not there.

usage: onnx_files.py FOLDER
"""

import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(nodes, weights):
    graph = helper.make_graph(
        nodes, "m", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["batch", 4])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def write(folder):
    node = helper.make_node
    weights = {"w": numpy.eye(4, dtype="float32") * 2, "b": numpy.arange(4, dtype="float32")}
    files = {
        "m": model([node("Relu", ["x"], ["z"])], {}),
        "w": model([node("Gemm", ["x", "w", "b"], ["h"], name="fc"), node("Relu", ["h"], ["z"])], weights),
        "lacking": model([node("EyeLike", ["x"], ["h"]), node("Det", ["h"], ["z"], name="last")], {}),
    }
    for name, one in files.items():
        onnx.save(one, str(pathlib.Path(folder) / f"{name}.onnx"))


if __name__ == "__main__":
    write(sys.argv[1])
