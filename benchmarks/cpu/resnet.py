"""The residual network of examples/cifar10_resnet20.mlir, written from sizes; padding as PyTorch has it under strides."""

import dataclasses

from models import Text, tensor


@dataclasses.dataclass(frozen=True)
class Block:
    """Two convolutions and a way around them, by a convolution of 1x1 where the channels change."""

    name: str
    size: int  # of the image that it makes
    channels: int
    filters: int

    @property
    def stride(self):
        return 1 if self.channels == self.filters else 2

    @property
    def has_shortcut(self):
        return self.channels != self.filters


class ResNetText(Text):
    """With batch normalization, whose running statistics are state."""

    def __init__(self, *shape):
        super().__init__(*shape)
        self.next = []

    def convolution(self, value, name, size, channels, filters, taps=3, stride=1):
        """[?, size, size, channels] to filters, and its result's size."""
        weights, weights_kind = self.parameter(f"{name}.weight", (filters, taps, taps, channels), f"#mp.he_normal<seed = {self.parameters + 1}>")
        result = size // stride
        return self.op(f"mp.conv {value}, {weights} acc f32 {{strides = [{stride}, {stride}], padding = [{', '.join([str(taps // 2)] * 4)}]}} : "
                       f"{tensor('?', size, size, channels, 'f32')}, {weights_kind} -> {tensor('?', result, result, filters, 'f32')}")

    def norm(self, value, name, size, channels):
        scale, kind = self.parameter(f"{name}.weight", (channels,), "#mp.ones")
        offset, _ = self.parameter(f"{name}.bias", (channels,), "#mp.zeros")
        shape, number = tensor("?", size, size, channels, "f32"), len(self.lines)
        mean, variance, count = (f"%{part}{number}" for part in ("mean", "variance", "count"))
        self.lines.append(f"%v{number}, {mean}, {variance}, {count} = mp.batch_norm {value}, {scale}, {offset} : {shape}, {kind}")
        for statistic, found, initial, flag in (("running_mean", mean, "#mp.zeros", ""), ("running_var", variance, "#mp.ones", " {unbiased}")):
            state = f"%s{len(self.next)}"
            self.arguments.append(f'{state}: {kind} {{mp.state = "{name}.{statistic}", mp.initializer = {initial}}}')
            self.next.append((self.op(f"mp.update_running {state}, {found}, {count}{flag} : {kind}"), kind, f"{name}.{statistic}"))
        return f"%v{number}"

    def finish(self, logits, classes):
        text = super().finish(logits, classes)
        kinds = "".join(f", {kind} {{mp.next = \"{name}\"}}" for _, kind, name in self.next)
        text = text.replace("})\n    attributes", f"}}{kinds})\n    attributes", 1)
        returned, types = text.rsplit(" : ", 1)
        values, plain = ("".join(f", {part}" for part in parts) for parts in zip(*((value, kind) for value, kind, _ in self.next)))
        return returned + values + " : " + types.replace("\n}", f"{plain}\n}}", 1)


@dataclasses.dataclass(frozen=True)
class ResNet:
    stages: tuple = (16, 32, 64)
    blocks: int = 3
    size: int = 32
    channels: int = 3
    classes: int = 10

    @property
    def name(self):
        return f"cifar10_resnet{2 * self.blocks * len(self.stages) + 2}"

    @property
    def input_shape(self):
        return (self.size, self.size, self.channels)

    def layers(self):
        size, channels = self.size, self.stages[0]
        for stage, filters in enumerate(self.stages):
            for block in range(self.blocks):
                size //= 1 if channels == filters else 2
                yield Block(f"s{stage + 1}b{block + 1}", size, channels, filters)
                channels = filters

    def products(self, batch):
        terms = self.size**2 * 9 * self.channels * self.stages[0]
        for block in self.layers():
            terms += block.size**2 * block.filters * (9 * (block.channels + block.filters) + block.channels * block.has_shortcut)
        return batch * (terms + self.stages[-1] * self.classes)

    def text(self):
        text, size = ResNetText(*self.input_shape), self.size
        value = text.convolution("%x", "conv0", size, self.channels, self.stages[0])
        value = text.op(f"mp.relu {text.norm(value, 'bn0', size, self.stages[0])} : {tensor('?', size, size, self.stages[0], 'f32')}")
        for block in self.layers():
            kind = tensor("?", block.size, block.size, block.filters, "f32")
            inner = text.convolution(value, f"{block.name}.conv1", size, block.channels, block.filters, stride=block.stride)
            inner = text.op(f"mp.relu {text.norm(inner, f'{block.name}.bn1', block.size, block.filters)} : {kind}")
            inner = text.convolution(inner, f"{block.name}.conv2", block.size, block.filters, block.filters)
            inner = text.norm(inner, f"{block.name}.bn2", block.size, block.filters)
            if block.has_shortcut:
                value = text.convolution(value, f"{block.name}.conv_shortcut", size, block.channels, block.filters, 1, block.stride)
                value = text.norm(value, f"{block.name}.bn_shortcut", block.size, block.filters)
            value = text.op(f"mp.relu {text.op(f'mp.add {inner}, {value} : {kind}, {kind} -> {kind}')} : {kind}")
            size = block.size
        width = self.stages[-1]
        value = text.op(f"mp.reduce_mean {value} dimensions [1, 2] : {tensor('?', size, size, width, 'f32')} -> {tensor('?', width, 'f32')}")
        return text.finish(text.dense(value, (width,), self.classes, "dense"), self.classes)
