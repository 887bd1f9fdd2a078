"""What the bundle times: models for mp-exec benchmark, each with the lines for peer.py that say the same work. Those
that are small run on device cpu, too, to try the bundle."""

import pathlib
import sys

import convolution_models
import gemm_models
from convolution_models import Layer, same

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "cpu"))
import image_networks  # noqa: E402

GPU = "sm_80,sm_90"
INFER = ["--policy=float32", "--training=false", "--batch-size=1"]
SMALL = ["--repeat=20", "--runs=50", "--warmup=50"]
LARGE = ["--repeat=20", "--runs=5", "--warmup=5"]
SQUARE = [1024, 2048, 4096, 8192, 16384]
# Rows (batch times sequence), outputs, inputs of a transformer's layers: attention, both of a feed-forward, and logits.
TINY_LAYER = (64, 48, 32)
LAYERS = [(8192, 4096, 4096), (8192, 12288, 4096), (8192, 11008, 4096), (8192, 4096, 11008), (8192, 50304, 768)]
# What training multiplies for y = x w: (transposes, sizes of the product of a layer of m rows, n outputs, k inputs).
PASSES = {
    "forward": ((False, False), lambda m, n, k: (m, n, k)),
    "dx": ((False, True), lambda m, n, k: (m, k, n)),
    "dw": ((True, False), lambda m, n, k: (k, n, m)),
}


def product(name, kind, size, transposes, epilogue="plain"):
    program = gemm_models.Program(gemm_models.TYPES[kind]["element"])
    program.add("p", size, transposes, epilogue)
    m, n, k = size
    words = f"gemm --type={kind} --m={m} --n={n} --k={k}"
    words += "".join(f" --transpose-{side}" for side, is_so in zip(("lhs", "rhs"), transposes) if is_so)
    return {"name": name, "text": program.text(), "chips": GPU, "flags": INFER + gemm_models.TYPES[kind]["flags"],
            "time": SMALL if m * n * k < 2**34 else LARGE, "small": m * n * k < 2**20,
            "peers": [words + (" --epilogue=bias_relu" if epilogue != "plain" else "")]}


def products():
    for kind in ("f16", "bf16"):
        for direction, (transposes, sizes) in PASSES.items():
            for layer in [TINY_LAYER] + [(edge, edge, edge) for edge in SQUARE] + LAYERS:
                size = sizes(*layer)
                label = str(size[0]) if len(set(size)) == 1 else "x".join(map(str, size))
                yield product(f"time-gemm-{kind}-{direction}-{label}", kind, size, transposes)
        for edge in (64, 4096, 8192):
            yield product(f"time-bias-relu-{kind}-{edge}", kind, (edge, edge, edge), (False, False), "bias_relu")


def square(size, channels, filters, taps, stride=1, images=64):
    """A convolution of height = width, whose padding leaves the size as it is, under a stride divides it."""
    return Layer(images, (size,) * 2, channels, filters, (taps,) * 2, same(taps, taps), (stride,) * 2)


TINY_CONVOLUTION = square(8, 16, 24, 3, images=1)
RESNET50 = [
    square(224, 3, 64, 7, 2), square(56, 64, 64, 1), square(56, 64, 64, 3), square(56, 64, 256, 1), square(56, 256, 64, 1),
    square(56, 256, 128, 1), square(56, 128, 128, 3, 2), square(28, 128, 128, 3), square(28, 128, 512, 1), square(28, 256, 256, 3, 2),
    square(14, 256, 256, 3), square(14, 256, 1024, 1), square(7, 512, 512, 3), square(7, 512, 2048, 1),
]
WITH_TF32 = [RESNET50[2], RESNET50[3], RESNET50[10]]
WITH_EPILOGUE = [RESNET50[2], RESNET50[11]]


def convolution(kind, layer, direction, epilogue="plain"):
    program = convolution_models.Convolutions(gemm_models.TYPES[kind]["element"])
    program.add_pass("p", layer, direction, epilogue)
    (size, _), (taps, _), stride, padding = layer.sizes, layer.taps, layer.strides[0], layer.padding[0]
    words = (f"conv --type={kind} --pass={direction} --images={layer.images} --size={size} --channels={layer.channels} "
             f"--filters={layer.filters} --taps={taps} --stride={stride} --padding={padding}")
    is_small = layer.products() < 2**20
    words += " --epilogue=bias_relu" * (epilogue != "plain")
    peers = [words] + [words + " --fused"] * (epilogue != "plain" and not is_small)  # a CPU has no such
    label = f"{size}x{layer.channels}-{layer.filters}-{taps}x{taps}" + (f"-s{stride}" if stride > 1 else "")
    return {"name": f"time-conv-{kind}-{direction}{'' if epilogue == 'plain' else '-bias-relu'}-{label}", "text": program.text(),
            "chips": GPU, "flags": INFER + gemm_models.TYPES[kind]["flags"],
            "time": SMALL if layer.products() < 2**34 else LARGE, "small": is_small, "peers": peers}


def convolutions():
    for kind in ("f16", "bf16", "tf32"):
        for layer in [TINY_CONVOLUTION, *(WITH_TF32 if kind == "tf32" else RESNET50)]:
            for direction in convolution_models.PASSES:
                if direction != "dx" or layer.channels > 3:  # pictures have no gradient
                    yield convolution(kind, layer, direction)
        for layer in [TINY_CONVOLUTION, *(WITH_EPILOGUE if kind != "tf32" else [])]:
            yield convolution(kind, layer, "forward", "bias_relu")


def cross_entropy(kind, rows, classes):
    logits = f"tensor<{rows}x{classes}x{kind}>"
    text = f"""func.func @loss(%x: {logits} {{mp.input = "x"}}, %y: tensor<{rows}xi32> {{mp.input = "y"}})
    -> (tensor<f32> {{mp.output = "loss"}}, {logits} {{mp.output = "dx"}}) attributes {{mp.program = "infer"}} {{
  %seed = mp.constant dense<1.0> : tensor<f32>
  %loss = mp.softmax_cross_entropy %x, %y : {logits}, tensor<{rows}xi32> -> tensor<f32>
  %dx = mp.softmax_cross_entropy_grad %x, %y, %seed : {logits}, tensor<{rows}xi32>, tensor<f32>
  return %loss, %dx : tensor<f32>, {logits}
}}
"""
    name = f"time-cross-entropy-{kind}-{rows}x{classes}"
    words = f"cross-entropy --type={kind} --m={rows} --n={classes}"
    return {"name": name, "text": text, "chips": "sm_80", "flags": INFER, "time": SMALL,
            "small": rows * classes < 2**20, "peers": [words, words + " --compile"]}


def copy(edge):
    """A kernel that reads and writes as much: the rate of memory."""
    kind = f"tensor<{edge}x{edge}xf32>"
    text = f"""func.func @copy(%x: {kind} {{mp.input = "x"}}) -> ({kind} {{mp.output = "y"}})
    attributes {{mp.program = "infer"}} {{
  %y = mp.relu %x : {kind}
  return %y : {kind}
}}
"""
    return {"name": f"time-copy-{edge}", "text": text, "chips": "sm_80", "flags": INFER, "time": SMALL,
            "small": edge < 2**10, "peers": [f"copy --m={edge} --n={edge}"]}


def network(sizes):
    """A multi-layer perceptron on images, without dropout."""
    arguments = [f'%x: tensor<?x{sizes[0]}xui8> {{mp.input = "x"}}', '%y: tensor<?xui8> {mp.input = "y"}']
    body = [f"%p = mp.cast %x : tensor<?x{sizes[0]}xui8> -> tensor<?x{sizes[0]}xf32>",
            "%s = mp.constant dense<0.00392156886> : tensor<f32>",
            f"%h0 = mp.mul %p, %s : tensor<?x{sizes[0]}xf32>, tensor<f32> -> tensor<?x{sizes[0]}xf32>"]
    last = len(sizes) - 1
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:]), 1):
        given, result = f"tensor<?x{inputs}xf32>", f"tensor<?x{outputs}xf32>"
        weights, bias = f"tensor<{inputs}x{outputs}xf32>", f"tensor<{outputs}xf32>"
        arguments += [f'%w{i}: {weights} {{mp.parameter = "w{i}", mp.initializer = #mp.glorot_uniform<seed = {i}>}}',
                      f'%b{i}: {bias} {{mp.parameter = "b{i}", mp.initializer = #mp.zeros}}']
        body.append(f"%z{i} = mp.matmul %h{i - 1}, %w{i} bias %b{i} : {bias} acc f32 : {given}, {weights} -> {result}")
        if i < last:
            body.append(f"%h{i} = mp.relu %z{i} : {result}")
    logits = f"tensor<?x{sizes[-1]}xf32>"
    body.append(f"%loss = mp.softmax_cross_entropy %z{last}, %y : {logits}, tensor<?xui8> -> tensor<f32>")
    lines, names = "\n  ".join(body), ",\n    ".join(arguments)
    return f"""func.func @network(
    {names})
    -> (tensor<f32> {{mp.loss}}, {logits} {{mp.output = "logits"}}) attributes {{mp.program = "model"}} {{
  {lines}
  return %loss, %z{last} : tensor<f32>, {logits}
}}
"""


NETWORKS = {
    "mlp": ([784, 4096, 4096, 10], 8192, LARGE),
    "mnist-dense": ([784, 128, 10], 128, SMALL),
    "tiny": ([20, 16, 10], 8, SMALL),
}
POLICIES = {
    "float32": ["--policy=float32"],
    "tf32": ["--policy=float32", "--allow-tf32=true"],
    "mixed_float16": ["--policy=mixed_float16"],
}
IMAGE_POLICIES = POLICIES | {"mixed_bfloat16": ["--policy=mixed_bfloat16"]}
# (network, batch, optimizer, how)
IMAGE_STEPS = [
    ("cifar10_cnn", 128, "adam", SMALL), ("cifar10_cnn", 1024, "adam", LARGE), ("cifar10_resnet20", 128, "sgd", SMALL),
    ("tiny_cnn", 4, "adam", SMALL), ("tiny_resnet", 4, "sgd", SMALL),
]


def steps():
    """Training steps, then the optimizer alone: the program that follows the last micro-batch."""
    for model, (sizes, batch, how) in NETWORKS.items():
        shape = "-".join(map(str, sizes))
        for policy, flags in POLICIES.items():
            flags = [*flags, "--optimizer=adam", f"--batch-size={batch}"]
            words = f"step --policy={policy} --sizes={shape} --m={batch}"
            case = {"text": network(sizes), "small": model == "tiny"}
            yield {**case, "name": f"time-step-{model}-{policy}", "flags": flags, "chips": GPU,
                   "time": ["--program=train_step", *how], "peers": [words, words + " --compile"]}
            if policy != "tf32":
                yield {**case, "name": f"time-optimizer-{model}-{policy}", "flags": [*flags, "--accumulate=2"], "chips": "sm_80",
                       "time": ["--program=apply", *SMALL],
                       "peers": [f"optimizer --policy={policy} --sizes={shape}"]}


def image_steps():
    for model, batch, optimizer, how in IMAGE_STEPS:
        text = image_networks.NETWORKS[model].text()
        for policy, flags in IMAGE_POLICIES.items():
            words = f"step --policy={policy} --model={model} --m={batch} --optimizer={optimizer}"
            yield {"name": f"time-step-{model}-{batch}-{policy}", "text": text, "small": model.startswith("tiny"),
                   "flags": [*flags, f"--optimizer={optimizer}", f"--batch-size={batch}"], "chips": GPU,
                   "time": ["--program=train_step", *how], "peers": [words, words + " --compile"]}


def cases():
    yield from products()
    yield from convolutions()
    for kind in ("f16", "f32"):
        for rows, classes in ((128, 10), (8192, 10), (8192, 1000), (8192, 50304)):
            yield cross_entropy(kind, rows, classes)
    yield copy(256)
    yield copy(16384)
    yield from steps()
    yield from image_steps()
