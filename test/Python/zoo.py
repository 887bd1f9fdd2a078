"""Models that people bring, of torchvision, timm, transformers, segmentation_models_pytorch and Keras, made small by their own settings: each is imported from
torch.export with an open batch, else with a fixed one, predicts what PyTorch does, and trains three steps under three policies beside PyTorch and torch.autocast.

REQUIRES: zoo, long
RUN: %{torch_python} -W ignore %s
usage: zoo.py [--table=FILE] [--import-only | --onnx] [NAME...]     of models whose name begins so; FILE gets the table
"""

import argparse
import contextlib
import copy
import io
import logging
import math
import os
import sys
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is loaded
os.environ["KERAS_BACKEND"] = "torch"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
sys.path = sys.path[1:]  # files of this folder have the names of packages

import numpy
import torch
from torch import nn

import halfstep
from halfstep import ops

THREADS = min(2, len(os.sched_getaffinity(0)))
TOLERANCE = 2e-4  # of predictions, by the largest
RATE = 2.0**-10  # at most
CHANGE = 0.05  # of the loss, that a step may change at most by its gradient
POLICIES = {"float32": None, "mixed_float16": torch.float16, "mixed_bfloat16": torch.bfloat16}
ROUNDINGS = {"float32": (1e-5, 1e-3), "mixed_float16": (2**-9, 2**-5), "mixed_bfloat16": (2**-6, 2**-3)}  # of the loss, of what a step changes of it


class First(nn.Module):
    """The first tensor that a module gives, of inputs by their names."""

    def __init__(self, module, names=()):
        super().__init__()
        self.module, self.names = module, names

    def forward(self, *inputs):
        found = self.module(**dict(zip(self.names, inputs))) if self.names else self.module(*inputs)
        if hasattr(found, "keys"):
            found = [found[name] for name in ("logits", "prediction_logits", "start_logits", "last_hidden_state", "out") if name in found.keys()]
        return found if isinstance(found, torch.Tensor) else found[0]


def vision(package, name, size=64, **settings):
    def make():
        import timm
        import torchvision

        maker = getattr(torchvision.models, name) if package == "torchvision" else lambda **more: timm.create_model(name, pretrained=False, **more)
        return First(maker(num_classes=10, **settings)), (torch.randn(2, 3, size, size),)

    return f"{package}/{name}", make


def segmentation(name, size=64, encoder="resnet18"):
    def make():
        import segmentation_models_pytorch

        return First(getattr(segmentation_models_pytorch, name)(encoder_name=encoder, encoder_weights=None, classes=3)), (torch.randn(2, 3, size, size),)

    return f"smp/{name}", make


def of_keras(name, **settings):
    """Of keras.applications: its images have channels last."""
    def make():
        import keras

        keras.utils.set_random_seed(0)
        return getattr(keras.applications, name)(input_shape=(64, 64, 3), weights=None, classes=10, classifier_activation=None, **settings), (torch.randn(2, 64, 64, 3),)

    return f"keras/{name}", make


def transformer(name, config, head, inputs=("input_ids",), image=(3, 32, 32), length=12, **settings):
    def make():
        import transformers

        own = getattr(transformers, config)(**settings)
        own.use_cache, own.return_dict = False, True
        makers = {"pixel_values": lambda: torch.randn(2, *image), "input_values": lambda: torch.randn(2, 4000),
                  "attention_mask": lambda: torch.ones(2, length, dtype=torch.long)}
        tokens = lambda: torch.randint(3, 50, (2, length))
        return First(getattr(transformers, head)(own), inputs), tuple(makers.get(one, tokens)() for one in inputs)

    return f"transformers/{name}", make


BERT = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 64}
LLAMA = {**BERT, "num_key_value_heads": 2, "pad_token_id": 0}
GPT2 = {"vocab_size": 50, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "pad_token_id": 0}
BART = {"vocab_size": 50, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "max_position_embeddings": 64, "pad_token_id": 0}
T5 = {"vocab_size": 50, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "pad_token_id": 0, "decoder_start_token_id": 0}
VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 32, "patch_size": 8}
MASKED, BOTH = ("input_ids", "attention_mask"), ("input_ids", "decoder_input_ids")

MODELS = dict([
    *(vision("torchvision", name) for name in (
        "vgg11", "vgg11_bn", "resnet18", "resnet50", "resnext50_32x4d", "wide_resnet50_2", "squeezenet1_1", "densenet121", "mobilenet_v2", "mobilenet_v3_small",
        "shufflenet_v2_x0_5", "mnasnet0_5", "efficientnet_b0", "efficientnet_v2_s", "regnet_y_400mf", "convnext_tiny", "swin_t", "swin_v2_t")),
    vision("torchvision", "alexnet", 96), vision("torchvision", "googlenet", 64, aux_logits=False, init_weights=False),
    vision("torchvision", "inception_v3", 96, aux_logits=False, init_weights=False),
    vision("torchvision", "vit_b_16", 32, image_size=32), vision("torchvision", "maxvit_t", 224),
    *(vision("timm", name) for name in (
        "resnet18", "resnetv2_50", "seresnet18", "skresnet18", "efficientnet_b0", "mobilenetv3_small_100", "convnext_atto", "convnextv2_atto", "poolformer_s12",
        "regnety_002", "ghostnet_100", "hrnet_w18_small", "dla34", "densenet121", "edgenext_xx_small", "mobilevit_xxs", "mobileone_s0", "repvgg_a0", "nfnet_l0",
        "eca_nfnet_l0", "resnest14d", "res2net50_26w_4s", "vovnet39a", "cspresnet50", "darknet53", "tresnet_m", "fastvit_t8", "focalnet_tiny_srf", "davit_tiny",
        "pvt_v2_b0", "inception_next_atto", "starnet_s1", "hgnet_tiny", "rexnet_100", "selecsls42", "gernet_s")),
    *(vision("timm", name, 64, img_size=64) for name in ("vit_tiny_patch16_224", "deit_tiny_patch16_224", "cait_xxs24_224")),
    *(vision("timm", name, 96) for name in ("xception41", "inception_v4")),
    *(vision("timm", name, 224) for name in (
        "mixer_s32_224", "resmlp_12_224", "gmlp_ti16_224", "levit_128s", "pit_ti_224", "coat_lite_tiny", "efficientformer_l1", "xcit_nano_12_p16_224",
        "tiny_vit_5m_224", "volo_d1_224", "twins_svt_small", "sequencer2d_s")),
    vision("timm", "swin_tiny_patch4_window7_224", 112, img_size=112), vision("timm", "eva02_tiny_patch14_224", 56, img_size=56),
    vision("timm", "beit_base_patch16_224", 64, img_size=64, embed_dim=48, depth=2, num_heads=4),
    *(segmentation(name) for name in ("Unet", "UnetPlusPlus", "FPN", "Linknet", "PSPNet", "DeepLabV3", "DeepLabV3Plus", "MAnet", "UPerNet", "Segformer")),
    segmentation("PAN", 128),
    of_keras("MobileNetV2", alpha=0.35), of_keras("MobileNetV3Small"), of_keras("EfficientNetB0"), of_keras("EfficientNetV2B0"), of_keras("ResNet50V2"),
    of_keras("DenseNet121"), of_keras("ConvNeXtTiny"),
    transformer("bert", "BertConfig", "BertForSequenceClassification", MASKED, **BERT), transformer("bert-mlm", "BertConfig", "BertForMaskedLM", **BERT),
    transformer("roberta", "RobertaConfig", "RobertaForSequenceClassification", MASKED, **BERT),
    transformer("distilbert", "DistilBertConfig", "DistilBertForSequenceClassification", MASKED, vocab_size=50, dim=32, n_layers=2, n_heads=4, hidden_dim=64,
                max_position_embeddings=64),
    transformer("albert", "AlbertConfig", "AlbertForMaskedLM", **BERT, embedding_size=16),
    transformer("electra", "ElectraConfig", "ElectraForSequenceClassification", MASKED, **BERT, embedding_size=16),
    transformer("deberta", "DebertaConfig", "DebertaForSequenceClassification", MASKED, **BERT),
    transformer("deberta-v2", "DebertaV2Config", "DebertaV2ForSequenceClassification", MASKED, **BERT, relative_attention=True, pos_att_type=["c2p", "p2c"],
                position_buckets=8),
    transformer("mpnet", "MPNetConfig", "MPNetForMaskedLM", **BERT), transformer("gpt2", "GPT2Config", "GPT2LMHeadModel", **GPT2),
    transformer("gpt2-classes", "GPT2Config", "GPT2ForSequenceClassification", **GPT2),
    transformer("gpt-neo", "GPTNeoConfig", "GPTNeoForCausalLM", vocab_size=50, hidden_size=32, num_layers=2, num_heads=4,
                attention_types=[[["global", "local"], 1]], intermediate_size=64, max_position_embeddings=64, window_size=8),
    transformer("gpt-neox", "GPTNeoXConfig", "GPTNeoXForCausalLM", **BERT),
    transformer("opt", "OPTConfig", "OPTForCausalLM", vocab_size=50, hidden_size=32, num_hidden_layers=2, ffn_dim=64, num_attention_heads=4,
                max_position_embeddings=64, word_embed_proj_dim=32),
    transformer("bloom", "BloomConfig", "BloomForCausalLM", vocab_size=50, hidden_size=32, n_layer=2, n_head=4),
    *(transformer(name, f"{kind}Config", f"{kind}For{head}", **LLAMA) for name, kind, head in (
        ("llama", "Llama", "CausalLM"), ("llama-classes", "Llama", "SequenceClassification"), ("mistral", "Mistral", "CausalLM"), ("qwen2", "Qwen2", "CausalLM"),
        ("qwen3", "Qwen3", "CausalLM"), ("phi", "Phi", "CausalLM"), ("phi3", "Phi3", "CausalLM"), ("stablelm", "StableLm", "CausalLM"),
        ("olmo", "Olmo", "CausalLM"))),
    *(transformer(name, f"{kind}Config", f"{kind}ForCausalLM", **LLAMA, head_dim=8) for name, kind in (("gemma", "Gemma"), ("gemma2", "Gemma2"))),
    transformer("mixtral", "MixtralConfig", "MixtralForCausalLM", **LLAMA, num_local_experts=2),
    transformer("falcon", "FalconConfig", "FalconForCausalLM", **BERT),
    transformer("t5", "T5Config", "T5ForConditionalGeneration", BOTH, **T5), transformer("bart", "BartConfig", "BartForConditionalGeneration", BOTH, **BART),
    transformer("pegasus", "PegasusConfig", "PegasusForConditionalGeneration", BOTH, **BART), transformer("marian", "MarianConfig", "MarianMTModel", BOTH, **BART),
    transformer("vit", "ViTConfig", "ViTForImageClassification", ("pixel_values",), **VIT),
    transformer("deit", "DeiTConfig", "DeiTForImageClassification", ("pixel_values",), **VIT),
    transformer("dinov2", "Dinov2Config", "Dinov2Model", ("pixel_values",), **VIT, mlp_ratio=2),
    transformer("convnext", "ConvNextConfig", "ConvNextForImageClassification", ("pixel_values",), hidden_sizes=[8, 16, 32, 32], depths=[1, 1, 1, 1]),
    transformer("segformer", "SegformerConfig", "SegformerForSemanticSegmentation", ("pixel_values",), (3, 64, 64), hidden_sizes=[8, 16, 32, 32],
                depths=[1, 1, 1, 1], num_attention_heads=[1, 1, 2, 2], decoder_hidden_size=16),
    transformer("resnet", "ResNetConfig", "ResNetForImageClassification", ("pixel_values",), embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1],
                layer_type="basic"),
    transformer("swin", "SwinConfig", "SwinForImageClassification", ("pixel_values",), image_size=32, patch_size=2, embed_dim=16, depths=[1, 1], num_heads=[2, 2],
                window_size=4),
    transformer("mobilevit", "MobileViTConfig", "MobileViTForImageClassification", ("pixel_values",), (3, 64, 64), image_size=64, hidden_sizes=[16, 24, 32],
                neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 64]),
    transformer("wav2vec2", "Wav2Vec2Config", "Wav2Vec2ForSequenceClassification", ("input_values",), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                intermediate_size=64, conv_dim=(16, 16), conv_stride=(5, 4), conv_kernel=(10, 8), num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=2,
                classifier_proj_size=16),
])


def stirred(module):
    """With no tensor of zeros alone, behind which nothing would be seen."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for one in module.parameters():
            if not one.any():
                one.copy_(torch.randn(one.shape, generator=generator) * 0.05)
    return module.eval()


def arrays_of(model, inputs):
    return dict(zip(model.input_names(), [one.numpy() for one in inputs])) if len(inputs) > 1 else inputs[0].numpy()


def imported(module, inputs):
    """The model, "open", "by batch" where it is made anew for each size, or "fixed", and what stands in the way of the first."""
    why = ""
    for kind, batched in (("open", True), ("fixed", False)):
        try:
            model = halfstep.from_torch(module, inputs, batched=batched)
            return model, "by batch" if model.fixed_rows is not None and batched else kind, why
        except halfstep.Error as error:
            lines = str(error).splitlines()
            why = why or " ".join((lines[1] if len(lines) > 1 else lines[0]).split())
    return None, "", why


def loss_of_torch(module, inputs, target, dtype=None):
    with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
        output = module(*inputs)
    return (output.float() - target).square().mean()


def rate_of(module, inputs, target):
    """A learning rate by which no step leaves where the loss is about linear: numbers at random make the gradients of some deep models very large."""
    own = copy.deepcopy(module)
    loss = loss_of_torch(own, inputs, target)
    loss.backward()
    steepness = sum(float(one.grad.double().square().sum()) for one in own.parameters() if one.grad is not None)
    return min(RATE, CHANGE * float(loss) / max(steepness, 1e-30))


def losses_of_torch(module, inputs, target, dtype, rate):
    """Of three steps, and the seconds of the faster one of the last two."""
    own = copy.deepcopy(module)
    optimizer = torch.optim.SGD([one for one in own.parameters() if one.requires_grad], rate)
    losses, seconds = [], []
    for _ in range(3):
        start = time.perf_counter()
        loss = loss_of_torch(own, inputs, target, dtype)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
        seconds.append(time.perf_counter() - start)
    return losses, min(seconds[1:])


def losses_of_ours(module, inputs, target, kind, policy, rate):
    model = halfstep.from_torch(module, inputs, batched=kind != "fixed")
    model.compile(halfstep.SGD(rate), metrics=[], policy=policy, loss_scaler="none", threads=THREADS,
                  loss=lambda output, target: ops.mean(ops.square(ops.cast(output, "float32") - target)))
    losses, seconds = [], []
    for _ in range(3):
        start = time.perf_counter()
        logs = model.trainer.step(arrays_of(model, inputs), target.numpy())
        losses.append(math.nan if logs["skipped"] else logs["loss"])
        seconds.append(time.perf_counter() - start)
    return losses, min(seconds[1:])


def changes(losses):
    """The first loss, and what each step changed of it: small as that is, a wrong gradient is seen in it."""
    return numpy.array([losses[0], *numpy.diff(losses)])


def trained(module, inputs, kind):
    """How many times as fast as PyTorch's a step is, by policy; an error where losses, or what steps change of them, are apart. In a low
    type ours may be as far from float32 as four times autocast at its worst, whose roundings are elsewhere, or as a few roundings of that type."""
    with torch.no_grad():
        output = module(*inputs)
    target = torch.randn(output.shape, generator=torch.Generator().manual_seed(2))
    rate = rate_of(module, inputs, target)
    exact, _ = losses_of_torch(module, inputs, target, None, rate)
    ratios = []
    for policy, dtype in POLICIES.items():
        try:
            theirs, slow = losses_of_torch(module, inputs, target, dtype, rate)
        except RuntimeError as error:  # a model that autocast does not run, as one that fills in a number beyond float16
            theirs, slow, failed = exact, None, str(error)
        ours, fast = losses_of_ours(module, inputs, target, kind, policy, rate)
        if numpy.isnan(ours).all() and numpy.isnan(theirs).all():
            ratios.append("not finite in either")  # gradients that the type does not have
            continue
        a, b, c = changes(ours), changes(theirs), changes(exact)
        of_loss, of_change = ROUNDINGS[policy]
        # A change below what the loss itself is rounded to says nothing.
        bounds = numpy.array([of_loss * abs(c[0]), *(of_change * abs(c[1:]) + 1e-6 * abs(c[0]))])
        if not (abs(a - c) <= numpy.maximum(bounds, 0 if dtype is None else 4 * abs(b - c).max())).all():
            raise AssertionError(f"{policy}: losses {ours}, PyTorch's {theirs}, in float32 {exact}")
        ratios.append(f"PyTorch: {failed[:80]}" if slow is None else f"{slow / fast:.1f}")
    return ratios


def exported(module, inputs, dynamo, is_open):
    """The bytes of an ONNX file."""
    file = io.BytesIO()
    names = [f"input{i}" for i in range(len(inputs))]
    open_first = tuple({0: torch.export.Dim("batch", min=1)} for _ in inputs)
    of_inputs = {"inputs": open_first} if isinstance(module, First) else open_first
    shapes = {"dynamic_shapes": of_inputs} if dynamo else {"dynamic_axes": {one: {0: "batch"} for one in names}}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), torch.no_grad():
        program = torch.onnx.export(module, inputs, None if dynamo else file, dynamo=dynamo, input_names=names, **(shapes if is_open else {}))
    return program.model_proto.SerializeToString() if dynamo else file.getvalue()


def of_file(module, inputs, dynamo):
    """How an ONNX file of the exporter comes in, "open" or "fixed", else why it does not, and whether its predictions differ from PyTorch's."""
    why = ""
    for kind in ("open", "fixed"):
        try:
            file = exported(module, inputs, dynamo, kind == "open")
        except Exception as error:  # the exporter's own, of many kinds
            why = why or f"no file: {type(error).__name__}"
            continue
        try:
            model = halfstep.from_onnx(file)
            kind = "by batch" if model.fixed_rows is not None else kind
            found = model.predict(arrays_of(model, inputs))
        except halfstep.Error as error:
            why = " ".join(str(error).split())[:200]
            continue
        with torch.no_grad():
            wanted = module(*inputs).numpy()
        error = farthest(found, wanted)
        return (kind if error <= TOLERANCE else f"{kind}: predictions differ by {error:.0e}"), not error <= TOLERANCE
    return why, False


def farthest(found, wanted):
    found = next(iter(found.values())) if isinstance(found, dict) else found[0] if isinstance(found, (tuple, list)) else found
    return float(numpy.abs(found - wanted).max() / max(numpy.abs(wanted).max(), 1e-30))


def row_of_files(name, make):
    torch.manual_seed(0)
    module, inputs = make()
    stirred(module)
    of_both = [of_file(module, inputs, dynamo) for dynamo in (True, False)]
    return [name, *(one for one, _ in of_both)], any(wrong for _, wrong in of_both)


def row_of(name, make, import_only):
    torch.manual_seed(0)
    module, inputs = make()
    stirred(module)
    model, kind, why = imported(module, inputs)
    if model is None:
        return [name, "no", "", *[""] * len(POLICIES), why], False
    with torch.no_grad():
        wanted = module(*inputs).numpy()
    found = model.predict(arrays_of(model, inputs))
    error = farthest(found, wanted)
    if not error <= TOLERANCE:
        return [name, kind, f"{error:.0e}", *[""] * len(POLICIES), "predictions differ"], True
    try:
        ratios = [] if import_only else trained(module, inputs, kind)
    except (halfstep.Error, AssertionError) as failed:
        return [name, kind, f"{error:.0e}", *[""] * len(POLICIES), " ".join(str(failed).split())[:200]], isinstance(failed, AssertionError)
    return [name, kind, f"{error:.0e}", *ratios, why], False


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--table")
    parser.add_argument("--import-only", action="store_true")
    parser.add_argument("--onnx", action="store_true", help="of files of both exporters of torch.onnx instead: imported, and predictions compared")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    chosen = {name: make for name, make in MODELS.items() if not given.names or name.startswith(tuple(given.names))}
    torch.set_num_threads(THREADS)
    header = ["model", "dynamo=True", "dynamo=False"] if given.onnx else ["model", "batch", "farthest from PyTorch", *POLICIES, "what stands in the way"]
    rows, wrong = [], []
    for name, make in chosen.items():
        row, is_wrong = row_of_files(name, make) if given.onnx else row_of(name, make, given.import_only)
        rows.append(row)
        wrong += [name] if is_wrong else []
        print(" | ".join(row), flush=True)
    kinds = [one for row in rows for one in (row[1:3] if given.onnx else row[1:2])]
    count = lambda *of: sum(kind in of for kind in kinds)
    print(f"{len(kinds)} {'files' if given.onnx else 'models'}: {count('open', 'by batch')} with an open batch, of these {count('by batch')} made anew for each size; "
          f"{count('fixed')} with a fixed one")
    if given.table:
        with open(given.table, "w", encoding="utf-8") as file:
            file.writelines(f"| {' | '.join(one.replace('|', '') for one in row)} |\n" for row in [header, ["---"] * len(header), *rows])
    assert not wrong, f"other than PyTorch's: {', '.join(wrong)}"


if __name__ == "__main__":
    main()
