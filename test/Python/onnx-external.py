"""Data of a file of ONNX in other files: read beside a file that is given by its path, and nowhere else.

RUN: rm -rf %t && mkdir %t && cd %t && %{python} -W ignore %s
"""

import os
import resource
import sys
import tracemalloc

sys.path = sys.path[1:]  # a file here has the package's name

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import halfstep

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
CANARY = numpy.array([7, 11, 13, 17], "float32")
X = [[1.0, 2.0, 3.0, 4.0]]


def external(tensor, location, **entries):
    """A tensor of four floats whose values lie in another file."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))


def make(where, location, **entries):
    """A model that adds four floats, of an initializer, of an attribute, or of one in a graph or a function that nothing uses."""
    values = numpy_helper.from_array(CANARY, "w")
    nodes, weights = [helper.make_node("Add", ["x", "w"], ["z"])], [values]
    if where != "initializer":
        nodes.insert(0, helper.make_node("Constant", [], ["w"], value=values))
        weights = []
    graph = helper.make_graph(nodes, "m", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 4])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    if where == "function":
        model.functions.append(helper.make_function("d", "f", [], ["v"], [helper.make_node("Constant", [], ["v"], value=values)],
                                                    [helper.make_opsetid("", 18)]))
        external(model.functions[0].node[0].attribute[0].t, location, **entries)
    elif where == "sparse":
        indices = numpy_helper.from_array(numpy.arange(4), "indices")
        model.graph.sparse_initializer.append(helper.make_sparse_tensor(numpy_helper.from_array(CANARY, "s"), indices, [9]))
        external(model.graph.sparse_initializer[0].values, location, **entries)
    else:
        external(model.graph.initializer[0] if weights else model.graph.node[0].attribute[0].t, location, **entries)
    return model


def refused(expected, model):
    try:
        halfstep.from_onnx(model)
    except halfstep.Error as error:
        assert expected in str(error) and "Error" not in str(error), error
        return
    raise AssertionError(expected)


os.makedirs("models")
os.makedirs("models/inner")
os.makedirs("outside")
for path in ("canary.bin", "outside/canary.bin", "models/canary.bin", "models/inner/canary.bin"):
    CANARY.tofile(path)
os.symlink("outside", "dirl")
os.symlink("../outside", "models/dirl")
os.symlink("../canary.bin", "models/link.bin")

# Bytes and protocol buffers have no folder, and the one that a process runs in is none of a file's: whether there is something is not said.
for where in ("initializer", "attribute", "function", "sparse"):
    for location in ("canary.bin", "dirl/canary.bin", "none.bin", os.path.abspath("canary.bin"), "../canary.bin", ""):
        model = make(where, location)
        name = "s" if where == "sparse" else "w"
        for given in (model, model.SerializeToString()):
            refused(f"the values of '{name}' are in another file, and bytes have no folder: give the path of the model's file", given)

# A file's own folder is.
for where in ("initializer", "attribute"):
    for location in ("canary.bin", "inner/canary.bin"):
        onnx.save(make(where, location), "models/m.onnx")
        assert (halfstep.from_onnx("models/m.onnx").predict(numpy.array(X, "float32")) == X + CANARY).all()
    for location in ("dirl/canary.bin", "link.bin", "../canary.bin", os.path.abspath("canary.bin"), "none.bin", "inner", "", "\0", "a\nb"):
        onnx.save(make(where, location), "models/m.onnx")
        refused("not a model of ONNX: ", "models/m.onnx")

# What it says of the place in that file is no size of anything.
tracemalloc.start()
for entries in ({"length": 10**12}, {"length": -1}, {"offset": 10**12}, {"offset": -8}, {"offset": 8}, {"length": 8}, {"length": "x"}):
    onnx.save(make("initializer", "canary.bin", **entries), "models/m.onnx")
    refused("", "models/m.onnx")
assert tracemalloc.get_traced_memory()[1] < 64 << 20
