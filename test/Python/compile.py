"""Models are compiled from text or a file, to an executable or to a stage; what is wrong is an exception that holds every
diagnostic.

RUN: %{python} %s %{source} %t.mpx
RUN: mp-exec info %t.mpx | FileCheck %s
CHECK: infer
"""

import re
import sys
import warnings

import halfstep

source, path = sys.argv[1:]

MODEL = """\
func.func @m(%x: tensor<?x2xf32> {mp.input = "x"},
             %w: tensor<2x1xf32> {mp.parameter = "w", mp.initializer = #mp.constant<0.5 : f64>})
    -> (tensor<?x1xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x2xf32>, tensor<2x1xf32> -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
"""


def refused(expected, *arguments, **settings):
    """Compiles what is to be refused, and gives the diagnostics."""
    try:
        halfstep.compile(*arguments, **settings)
    except (halfstep.CompileError, halfstep.UnknownArgument) as error:
        assert expected in str(error), error
        return getattr(error, "diagnostics", ())
    raise AssertionError(f"compiled, expected: {expected}")


# What it is, as the file says it.
executable = halfstep.compile(MODEL, policy="float32", batch_size=2, training=False)
assert executable.policy == "float32" and executable.model == "model", executable
(program,) = executable.programs.values()
assert program.name == "infer"
assert str(program.inputs["x"]) == "x: tensor<?x2xf32> (input)", program
assert program.results["y"].shape == (None, 1) and program.results["y"].role == "output"
assert str(executable.state["w"]) == "w: tensor<2x1xf32> (parameter)"
executable.save(path)
assert halfstep.Executable.load(path).to_bytes() == executable.to_bytes()

# Stages, remarks.
told = []
text = halfstep.compile(MODEL, to="autocast", policy="mixed_bfloat16", remarks="mp-autocast", on_diagnostic=told.append)
assert "xbf16>" in text and "mp.matmul" in text, text
assert any(d.severity == "remark" and d.line == 4 and "bf16" in d.message for d in told), told
assert "model.mlir" == told[0].file
train = halfstep.compile(f"{source}/examples/fashion_mnist_mlp.mlir", optimizer="sgd", momentum=0.9, pad=True)
assert set(train.programs) == {"train_step", "eval", "infer", "derive"}, train
assert train.programs["train_step"].inputs["y"].role == "label"
assert train.programs["eval"].results["loss"].role == "loss"

# A pattern that is of no remark is a warning of Python, with the categories that there are.
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    halfstep.compile(MODEL, to="autocast", remarks="zork")
assert [str(one.message) for one in warned] == ["no remark has a category that matches 'zork'; there are those of mp-autocast, mp-cancel-transposes"], warned

# Errors.
(error,) = refused("contraction sizes differ: lhs has 2, rhs has 3", MODEL.replace("2x1xf32", "3x1xf32"), name="mine.mlir")
assert (error.severity, error.file, error.line, error.column) == ("error", "mine.mlir", 4, 8), error
assert re.fullmatch(r"mine.mlir:4:8: error: .*", str(error)), error
refused("did you mean 'policy'?", MODEL, polcy="float32")
refused("batch_size=0", MODEL, batch_size=0)
refused("expected one of specialize, autocast", MODEL, to="nowhere")
refused("holds no program", "module {\n}\n")
refused("undeclared SSA value", MODEL.replace("%x, %w acc", "%a, %w acc"))
