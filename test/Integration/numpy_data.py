#!/usr/bin/python3
"""Compares the images that training gets from files with what NumPy reads from the same files, and what --augment makes of
them with NumPy's.

usage: numpy_data.py FOLDER

The model's loss has the slope 1 in the product of each image and the row of a parameter that its label names (it is the cross
entropy of two logits that are 1e30 apart, whose softmax is 0 and 1), so that with plain SGD the parameter becomes the negated sum of the images that a label came with: with a label for each row of the data, it shows each
image as training saw it, in any order of rows. Every number is an integer below 2^24 or halves of one: nothing is rounded.
"""

import json
import pathlib
import struct
import subprocess
import sys

import numpy

ROWS = 10

MODEL = """
func.func @shows(%x: tensor<?x{shape}x{element}> {{mp.input = "x"}}, %y: tensor<?xui8> {{mp.input = "y"}},
    %p: tensor<{rows}x{size}xf32> {{mp.parameter = "seen", mp.initializer = #mp.zeros}}) -> (tensor<f32> {{mp.loss}})
    attributes {{mp.program = "model"}} {{
  {cast}
  %flat = mp.reshape %f : tensor<?x{shape}xf32> -> tensor<?x{size}xf32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %column = mp.reshape %label : tensor<?xi32> -> tensor<?x1xi32>
  %classes = mp.iota dimension 0 -> tensor<{rows}xi32>
  %hit = mp.compare eq %column, %classes : tensor<?x1xi32>, tensor<{rows}xi32> -> tensor<?x{rows}xi1>
  %hot = mp.cast %hit : tensor<?x{rows}xi1> -> tensor<?x{rows}xf32>
  %row = mp.matmul %hot, %p acc f32 : tensor<?x{rows}xf32>, tensor<{rows}x{size}xf32> -> tensor<?x{size}xf32>
  %product = mp.mul %row, %flat : tensor<?x{size}xf32>, tensor<?x{size}xf32> -> tensor<?x{size}xf32>
  %sum = mp.reduce_sum %product dimensions [1] : tensor<?x{size}xf32> -> tensor<?xf32>
  %one = mp.reshape %sum : tensor<?xf32> -> tensor<?x1xf32>
  %second = mp.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %far = mp.constant dense<[0.0, 1.0e30]> : tensor<2xf32>
  %pair = mp.mul %one, %second : tensor<?x1xf32>, tensor<2xf32> -> tensor<?x2xf32>
  %logits = mp.add %pair, %far : tensor<?x2xf32>, tensor<2xf32> -> tensor<?x2xf32>
  %never = mp.compare ne %label, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %first = mp.cast %never : tensor<?xi1> -> tensor<?xi32>
  %loss = mp.softmax_cross_entropy %logits, %first : tensor<?x2xf32>, tensor<?xi32> -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


def write_model(path, shape, element="ui8"):
    cast = "%f = mp.cast %x : tensor<?x{0}x{1}> -> tensor<?x{0}xf32>"
    text = "x".join(map(str, shape))
    if element == "f32":
        cast = "%f = mp.reshape %x : tensor<?x{0}xf32> -> tensor<?x{0}xf32>"
    path.write_text(MODEL.format(shape=text, element=element, rows=ROWS, size=numpy.prod(shape), cast=cast.format(text, element)))


def read_parameter(folder):
    """The parameter of a folder's checkpoint."""
    data = (folder / json.loads((folder / "manifest.json").read_text())["file"]).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8 : 8 + length])["seen"]
    begin, end = (8 + length + offset for offset in entry["data_offsets"])
    return numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])


class Runs:
    """Trainings in a folder."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def seen(self, model, data, *flags, batch=2, epochs=1):
        """The sum of the images that training saw with each label."""
        self.count += 1
        run = self.folder / f"run{self.count}"
        self.train(run, model, data, *flags, f"--epochs={epochs}", batch=batch)
        return -read_parameter(run)

    def train(self, run, model, data, *flags, batch):
        command = ["mp-run", "train", model, f"--data={data}", f"--batch-size={batch}", "--policy=float32", "--optimizer=sgd",
                   f"--learning-rate={batch}", f"--checkpoint={run}", "--quiet", *flags]
        subprocess.run([str(word) for word in command], check=True)


def expect(what, seen, images):
    """That each row was seen as its image."""
    wanted = images.reshape(ROWS, -1).astype(numpy.float32)
    if not numpy.array_equal(seen, wanted):
        at = numpy.argwhere(seen != wanted)
        sys.exit(f"{what}: {len(at)} elements differ, the first at {at[0]}: {seen[tuple(at[0])]}, expected {wanted[tuple(at[0])]}")


def read_cifar(paths, label_bytes):
    """Labels and images [n, 32, 32, 3] of CIFAR's binary files, as NumPy reads them."""
    records = numpy.concatenate([numpy.fromfile(path, numpy.uint8) for path in paths]).reshape(-1, label_bytes + 3072)
    return records[:, label_bytes - 1], records[:, label_bytes:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


def write_cifar(folder, random):
    """Both data sets with ten random images, whose labels are 0 to 9 in some order."""
    ten, hundred = folder / "cifar-10", folder / "cifar-100"
    for path in (ten, hundred):
        path.mkdir()
    labels = random.permutation(ROWS).astype(numpy.uint8)
    for k in range(5):
        records = random.integers(0, 256, (2, 3073), numpy.uint8)
        records[:, 0] = labels[2 * k : 2 * k + 2]
        records.tofile(ten / f"data_batch_{k + 1}.bin")
    records = random.integers(0, 256, (ROWS, 3074), numpy.uint8)
    records[:, 0] = random.integers(0, 20, ROWS)
    records[:, 1] = labels
    records.tofile(hundred / "train.bin")
    return ten, hundred


def by_label(labels, images):
    """The images in the order of their labels."""
    return images[numpy.argsort(labels)]


def check_cifar(folder, runs, random):
    ten, hundred = write_cifar(folder, random)
    colour, flat = folder / "colour.mlir", folder / "flat.mlir"
    write_model(colour, (32, 32, 3))
    write_model(flat, (3072,))
    images = by_label(*read_cifar([ten / f"data_batch_{k}.bin" for k in range(1, 6)], 1))
    expect("CIFAR-10", runs.seen(colour, ten), images)
    expect("CIFAR-10, flat", runs.seen(flat, ten), images)
    expect("CIFAR-100", runs.seen(colour, hundred), by_label(*read_cifar([hundred / "train.bin"], 2)))


def philox(counter, key):
    """Philox4x32-10 of Salmon, Moraes, Dror and Shaw, in Python's integers."""
    c, k = list(counter), list(key)
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def augment(image, row, seed, epoch, flip=False, crop=0, cutout=0):
    """What docs/data.md says that --augment makes of an image."""
    def words(stream):
        return philox((row, stream, epoch & 0xFFFFFFFF, epoch >> 32), (seed & 0xFFFFFFFF, seed >> 32))

    place, square = words(2**32 - 3), words(2**32 - 4)
    height, width = image.shape[:2]
    if flip and place[0] >> 31:
        image = image[:, ::-1]
    if crop:
        top, left = (word * (2 * crop + 1) >> 32 for word in place[1:3])
        border = [(crop, crop), (crop, crop)] + [(0, 0)] * (image.ndim - 2)
        image = numpy.pad(image, border)[top : top + height, left : left + width]
    if cutout:
        y, x = square[0] * height >> 32, square[1] * width >> 32
        image = image.copy()
        image[max(0, y - cutout // 2) : max(0, y - cutout // 2 + cutout), max(0, x - cutout // 2) : max(0, x - cutout // 2 + cutout)] = 0
    return image


def augmented(images, labels, seed, epochs, **words):
    """The sum over epochs of each image as changed, in the order of labels."""
    total = numpy.zeros(images.shape, numpy.float64)
    for epoch in range(epochs):
        total += [augment(image, row, seed, epoch, **words) for row, image in enumerate(images)]
    return by_label(labels, total)


def check_augmentation(folder, runs, random):
    assert philox((0, 0, 0, 0), (0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # published with the generator
    file, labels = folder / "augmented.npz", random.permutation(ROWS)
    everything = {"flip": True, "crop": 4, "cutout": 8}
    for shape, flat, kind in (((32, 32, 3), False, "u1"), ((32, 32, 3), True, "u1"), ((28, 20), False, "u1"), ((9, 12, 2), False, "f4")):
        images = random.integers(1, 256, (ROWS, *shape)).astype(kind)
        numpy.savez(file, x_train=images, y_train=labels)
        model = folder / "augmented.mlir"
        write_model(model, (numpy.prod(shape),) if flat else shape, "f32" if kind == "f4" else "ui8")
        for words in ({"flip": True}, {"crop": 3}, {"cutout": 5}, everything):
            text = ",".join(word if size is True else f"{word}:{size}" for word, size in words.items())
            seen = runs.seen(model, file, f"--augment={text}", "--seed=7", batch=1, epochs=3)
            expect(f"{shape} with {text}", seen, augmented(images, labels, 7, 3, **words))

    # Neither the batch, nor the threads, nor the device, nor a resume changes what is seen; a large seed is used whole.
    flags = ["--augment=cutout:8,crop:4,flip", f"--seed={2**40 + 5}"]
    expected = augmented(images, labels, 2**40 + 5, 2, **everything)
    for batch, more in ((1, ["--threads=1"]), (2, ["--threads=2"]), (2, ["--device=reference"])):
        expect(f"batch {batch}, {more}", runs.seen(model, file, *flags, *more, batch=batch, epochs=2), expected)
    run = folder / "resumed"
    for steps in (3, 6, 10):
        runs.train(run, model, file, *flags, "--resume", f"--steps={steps}", batch=2)
    expect("resumed", -read_parameter(run), expected)


def check_npz(folder, runs, random):
    models = {"ui8": folder / "colour.mlir", "f32": folder / "float.mlir", "grey": folder / "grey.mlir"}
    write_model(models["f32"], (32, 32, 3), "f32")
    write_model(models["grey"], (7, 5))
    file = folder / "f.npz"
    labels = random.permutation(ROWS)
    for save in (numpy.savez, numpy.savez_compressed):
        for image, label in (("u1", "u1"), ("f4", "i1"), ("f8", "<u2"), ("u1", "i8")):
            # Halves, of 25 bits as f8: these are rounded to even once.
            images = random.integers(0, 256, (ROWS, 32, 32, 3))
            if image == "f8":
                images = images / 2 + random.integers(-4, 4, images.shape) * 2.0**-26
            images = images.astype(image)
            save(file, x_train=images, y_train=labels.astype(label).reshape(-1, 1))
            read = numpy.load(file)["x_train"]
            seen = runs.seen(models["ui8" if image == "u1" else "f32"], file)
            expect(f"{save.__name__} of {image}", seen, by_label(labels, read.astype(numpy.float32)))
    grey = numpy.asfortranarray(random.integers(0, 256, (ROWS, 7, 5), numpy.uint8))
    numpy.savez(file, pictures=grey, classes=labels.astype(numpy.int32), x_test=grey)
    settings = f"{file}:x=pictures,y=classes,y_test=classes"
    expect("named arrays", runs.seen(models["grey"], settings), by_label(labels, grey))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir()
    runs, random = Runs(folder), numpy.random.default_rng(1)
    check_cifar(folder, runs, random)
    check_npz(folder, runs, random)
    check_augmentation(folder, runs, random)
    print(f"{runs.count} trainings saw the images that NumPy reads")


if __name__ == "__main__":
    main()
