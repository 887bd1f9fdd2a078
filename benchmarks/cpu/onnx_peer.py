"""ONNX Runtime as a peer: inference of a multi-layer perceptron."""

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def model(sizes, batch, parameters):
    """The same layers, as an ONNX model."""
    nodes, constants, value, element = [], [], "x", TensorProto.FLOAT
    last = len(sizes) - 2
    for i in range(last + 1):
        for name, part in ((f"w{i}", "weight"), (f"b{i}", "bias")):
            constants.append(numpy_helper.from_array(parameters[f"layer{i}.{part}"], name))
        nodes.append(helper.make_node("Gemm", [value, f"w{i}", f"b{i}"], [f"z{i}"]))
        value = f"z{i}"
        if i < last:
            nodes.append(helper.make_node("Relu", [value], [f"h{i}"]))
            value = f"h{i}"
    given = helper.make_tensor_value_info("x", element, (batch, sizes[0]))
    result = helper.make_tensor_value_info(value, element, (batch, sizes[-1]))
    graph = helper.make_graph(nodes, "mlp", [given], [result], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), value


def parameters_of(program, layers):
    for i in range(layers):
        for part in ("weight", "bias"):
            shape, data = program.state(f"layer{i}.{part}")
            yield f"layer{i}.{part}", numpy.frombuffer(data, numpy.float32).reshape(shape)


def inference(program, sizes, batch, threads, tolerance):
    """The action that infers from our program's input and parameters, without copies. In f32 whatever ours is: the CPU
    provider multiplies in no other type."""
    made, name = model(sizes, batch, dict(parameters_of(program, len(sizes) - 1)))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, ["CPUExecutionProvider"])
    x, ours = (numpy.from_dlpack(program.tensor(tensor)) for tensor in ("x", "logits"))
    result = numpy.empty((batch, sizes[-1]), numpy.float32)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, numpy.float32, x.shape, x.ctypes.data)
    binding.bind_output(name, "cpu", 0, numpy.float32, result.shape, result.ctypes.data)

    def run():  # holds the arrays, of which the binding has only addresses
        session.run_with_iobinding(binding)
        return x, result

    run()
    difference, allowed = abs(result - ours).max(), tolerance * abs(ours).max()
    if not difference <= allowed:
        raise ValueError(f"the logits differ by {difference:.3g} from ONNX Runtime's, allowed is {allowed:.3g}")
    return run
