"""The models that are compared, as text in mp ops, written from sizes."""

import dataclasses


def tensor(*parts):
    return "tensor<" + "x".join(map(str, parts)) + ">"


# What training multiplies for y = x w, x of m rows and k columns: transposed factors, and the product's own m, n, k.
PASSES = {
    "forward": ((False, False), lambda m, n, k: (m, n, k)),
    "dX": ((False, True), lambda m, n, k: (m, k, n)),
    "dW": ((True, False), lambda m, n, k: (k, n, m)),
}


def gemm(kind, direction, m, n, k, has_weight=False):
    """A program "infer" that multiplies "a" and "b" to "p", for the pass of a layer of these sizes: its inputs, or with
    `has_weight` an input and a parameter in float32, whose copy in the type is kept as a training step keeps it."""
    (left, right), sizes = PASSES[direction]
    m, n, k = sizes(m, n, k)
    shape = (n, k) if right else (k, n)
    a, b = tensor(*((k, m) if left else (m, k)), kind), tensor(*shape, kind)
    p = tensor(m, n, kind)
    flags = " transpose_lhs" * left + " transpose_rhs" * right
    given, cast = f'%b: {b} {{mp.input = "b"}}', ""
    if has_weight:
        w = tensor(*shape, "f32")
        given = f'%w: {w} {{mp.parameter = "b", mp.initializer = #mp.normal<mean = 0.0, stddev = 1.0, seed = 1>}}'
        cast = f"  %b = mp.cast %w {{autocast}} : {w} -> {b}\n"
    return f"""func.func @gemm(%a: {a} {{mp.input = "a"}}, {given}) -> ({p} {{mp.output = "p"}})
    attributes {{mp.program = "model"}} {{
{cast}  %p = mp.matmul %a, %b{flags} acc f32 : {a}, {b} -> {p}
  return %p : {p}
}}
"""


class Text:
    """A model as it is written: its arguments and the lines of its body."""

    def __init__(self, *shape):
        self.arguments = [f'%x: {tensor("?", *shape, "f32")} {{mp.input = "x"}}', '%y: tensor<?xui8> {mp.input = "y"}']
        self.lines, self.parameters = [], 0

    def parameter(self, name, shape, initializer=None):
        self.parameters += 1
        initializer = initializer or f"#mp.glorot_uniform<seed = {self.parameters}>"
        kind = tensor(*shape, "f32")
        value = f"%p{self.parameters}"
        self.arguments.append(f'{value}: {kind} {{mp.parameter = "{name}", mp.initializer = {initializer}}}')
        return value, kind

    def op(self, line):
        value = f"%v{len(self.lines)}"
        self.lines.append(f"{value} = {line}")
        return value

    def dense(self, value, shape, outputs, name):
        """A layer on the last dimension of `value`, of type ?, then `shape`."""
        weights, weights_kind = self.parameter(f"{name}.weight", (shape[-1], outputs))
        bias, bias_kind = self.parameter(f"{name}.bias", (outputs,), "#mp.zeros")
        given, result = tensor("?", *shape, "f32"), tensor("?", *shape[:-1], outputs, "f32")
        return self.op(f"mp.matmul {value}, {weights} bias {bias} : {bias_kind} acc f32 : {given}, {weights_kind} -> {result}")

    def finish(self, logits, classes):
        """The text, which ends in the mean cross entropy of these values."""
        kind = tensor("?", classes, "f32")
        loss = self.op(f"mp.softmax_cross_entropy {logits}, %y : {kind}, tensor<?xui8> -> tensor<f32>")
        body, arguments = "\n  ".join(self.lines), ",\n    ".join(self.arguments)
        return (f'func.func @model(\n    {arguments})\n    -> (tensor<f32> {{mp.loss}}, {kind} {{mp.output = "logits"}})\n'
                f'    attributes {{mp.program = "model"}} {{\n  {body}\n  return {loss}, {logits} : tensor<f32>, {kind}\n}}\n')


@dataclasses.dataclass(frozen=True)
class Mlp:
    """Layers with ReLU, and dropout where it has a rate, between them."""

    sizes: tuple
    dropout: float = 0.0

    @property
    def name(self):
        return "-".join(map(str, self.sizes))

    @property
    def input_shape(self):
        return self.sizes[:1]

    @property
    def classes(self):
        return self.sizes[-1]

    def products(self, batch):
        """Multiplications of the forward pass of a batch."""
        return batch * sum(a * b for a, b in zip(self.sizes, self.sizes[1:]))

    def text(self):
        text = Text(self.sizes[0])
        if self.dropout:
            text.arguments.append('%rng: tensor<2xi64> {mp.state = "rng"}')
        value, last = "%x", len(self.sizes) - 2
        for i, (inputs, outputs) in enumerate(zip(self.sizes, self.sizes[1:])):
            value = text.dense(value, (inputs,), outputs, f"layer{i}")
            if i < last:
                value = text.op(f"mp.relu {value} : {tensor('?', outputs, 'f32')}")
                if self.dropout:
                    value = text.op(f"mp.dropout {value}, %rng {{rate = {self.dropout}, stream = {i + 1}}} : "
                                    f"{tensor('?', outputs, 'f32')}")
        return text.finish(value, self.sizes[-1])


def has_images(model):
    return len(model.input_shape) == 3


@dataclasses.dataclass(frozen=True)
class Cnn:
    """The network of examples/cifar10_cnn.mlir: pairs of convolutions, the first of each padded, and a pooling; two dense
    layers. Dropout at a quarter behind a pooling, at half before the last layer."""

    size: int = 32
    channels: int = 3
    filters: tuple = (32, 64)
    hidden: int = 512
    classes: int = 10
    dropout: float = 0.25

    @property
    def name(self):
        return "cifar10_cnn"

    @property
    def input_shape(self):
        return (self.size, self.size, self.channels)

    def layers(self):
        """(Size of the image, channels, filters, padding) of each convolution, and what is left of the image."""
        size, channels, found = self.size, self.channels, []
        for filters in self.filters:
            found += [(size, channels, filters, 1), (size, filters, filters, 0)]
            size, channels = (size - 2) // 2, filters
        return found, size

    def products(self, batch):
        convolutions, size = self.layers()
        terms = sum((of - 2 + 2 * padding) ** 2 * 9 * channels * filters for of, channels, filters, padding in convolutions)
        return batch * (terms + size**2 * self.filters[-1] * self.hidden + self.hidden * self.classes)

    def drop(self, text, value, shape, rate):
        stream = sum("mp.dropout" in line for line in text.lines) + 1
        return text.op(f"mp.dropout {value}, %rng {{rate = {rate}, stream = {stream}}} : {tensor('?', *shape, 'f32')}")

    def text(self):
        text, value = Text(*self.input_shape), "%x"
        text.arguments.append('%rng: tensor<2xi64> {mp.state = "rng"}')
        convolutions, size = self.layers()
        for i, (given, channels, filters, padding) in enumerate(convolutions):
            weights, weights_kind = text.parameter(f"conv{i}.weight", (filters, 3, 3, channels))
            bias, bias_kind = text.parameter(f"conv{i}.bias", (filters,), "#mp.zeros")
            made = given - 2 + 2 * padding
            kind = tensor("?", made, made, filters, "f32")
            value = text.op(f"mp.conv {value}, {weights} bias {bias} : {bias_kind} acc f32 {{padding = [{', '.join([str(padding)] * 4)}]}} : "
                            f"{tensor('?', given, given, channels, 'f32')}, {weights_kind} -> {kind}")
            value = text.op(f"mp.relu {value} : {kind}")
            if padding == 0:
                pooled = (made // 2, made // 2, filters)
                value = text.op(f"mp.max_pool {value} {{window = [2, 2]}} : {kind} -> {tensor('?', *pooled, 'f32')}")
                value = self.drop(text, value, pooled, self.dropout)
        flat = size**2 * self.filters[-1]
        value = text.op(f"mp.reshape {value} : {tensor('?', size, size, self.filters[-1], 'f32')} -> {tensor('?', flat, 'f32')}")
        value = text.op(f"mp.relu {text.dense(value, (flat,), self.hidden, 'dense0')} : {tensor('?', self.hidden, 'f32')}")
        value = self.drop(text, value, (self.hidden,), 2 * self.dropout)
        return text.finish(text.dense(value, (self.hidden,), self.classes, "dense1"), self.classes)


@dataclasses.dataclass(frozen=True)
class Transformer:
    """Blocks of attention and a feed-forward network, each after a layer norm, then the mean of the sequence and a head."""

    blocks: int = 2
    width: int = 256
    heads: int = 4
    sequence: int = 128
    classes: int = 10

    @property
    def name(self):
        return f"{self.blocks} transformer blocks (d {self.width}, {self.heads} heads, sequence {self.sequence})"

    @property
    def input_shape(self):
        return (self.sequence, self.width)

    def products(self, batch):
        return batch * self.sequence * self.blocks * (12 * self.width**2 + 2 * self.sequence * self.width)

    def norm(self, text, value, name):
        scale, kind = text.parameter(f"{name}.weight", (self.width,), "#mp.ones")
        offset, _ = text.parameter(f"{name}.bias", (self.width,), "#mp.zeros")
        shape = tensor("?", self.sequence, self.width, "f32")
        return text.op(f"mp.layer_norm {value}, {scale}, {offset} {{epsilon = 1.0e-5 : f64}} : {shape}, {kind}")

    def attention(self, text, value, name):
        s, d, h = self.sequence, self.width, self.heads
        flat, split = tensor("?", s, d, "f32"), tensor("?", s, h, d // h, "f32")
        heads, scores = tensor("?", h, s, d // h, "f32"), tensor("?", h, s, s, "f32")
        parts = []
        for part in "qkv":
            projected = text.dense(value, (s, d), d, f"{name}.{part}")
            projected = text.op(f"mp.reshape {projected} : {flat} -> {split}")
            parts.append(text.op(f"mp.transpose {projected} permutation [0, 2, 1, 3] : {split} -> {heads}"))
        score = text.op(f"mp.matmul {parts[0]}, {parts[1]} transpose_rhs acc f32 : {heads}, {heads} -> {scores}")
        factor = text.op(f"mp.constant dense<{(d // h) ** -0.5!r}> : tensor<f32>")
        score = text.op(f"mp.mul {score}, {factor} : {scores}, tensor<f32> -> {scores}")
        score = text.op(f"mp.softmax {score} : {scores}")
        mixed = text.op(f"mp.matmul {score}, {parts[2]} acc f32 : {scores}, {heads} -> {heads}")
        mixed = text.op(f"mp.transpose {mixed} permutation [0, 2, 1, 3] : {heads} -> {split}")
        mixed = text.op(f"mp.reshape {mixed} : {split} -> {flat}")
        return text.dense(mixed, (s, d), d, f"{name}.o")

    def text(self):
        s, d = self.sequence, self.width
        flat = tensor("?", s, d, "f32")
        text, value = Text(s, d), "%x"
        for i in range(self.blocks):
            attended = self.attention(text, self.norm(text, value, f"block{i}.norm1"), f"block{i}")
            value = text.op(f"mp.add {value}, {attended} : {flat}, {flat} -> {flat}")
            hidden = text.dense(self.norm(text, value, f"block{i}.norm2"), (s, d), 4 * d, f"block{i}.up")
            hidden = text.op(f"mp.gelu {hidden} : {tensor('?', s, 4 * d, 'f32')}")
            hidden = text.dense(hidden, (s, 4 * d), d, f"block{i}.down")
            value = text.op(f"mp.add {value}, {hidden} : {flat}, {flat} -> {flat}")
        mean = text.op(f"mp.reduce_mean {value} dimensions [1] : {flat} -> {tensor('?', d, 'f32')}")
        return text.finish(text.dense(mean, (d,), self.classes, "head"), self.classes)
