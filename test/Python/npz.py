"""A file of NumPy is data: by its path or as numpy.load gives it, with the names of Keras or those of inputs.

RUN: rm -rf %t && mkdir %t && %{python} -W error %s %t
"""

import pathlib
import pickle
import sys

import numpy

import halfstep
from halfstep import nn, ops

folder = pathlib.Path(sys.argv[1])
X = numpy.random.default_rng(2).standard_normal((48, 6)).astype("float32")
Y = (X[:, 0] > 0).astype("int64")


class Two(nn.Module):
    def __init__(self):
        self.head = nn.Dense(2)

    def forward(self, left, right):
        return self.head(ops.concat([left, right], -1))


def trained(make, *data, **settings):
    model = make()
    model.compile("sgd", policy="float32", threads=1)
    history = model.fit(*data, batch_size=8, verbose=False, seed=3, **settings).history
    return history, model


def network():
    return nn.Sequential(nn.Dense(4, "relu"), nn.Dense(2))


numpy.savez(folder / "keras.npz", x_train=X[:32], y_train=Y[:32], x_test=X[32:], y_test=Y[32:])
numpy.savez_compressed(folder / "own.npz", x=X[:32], y=Y[:32])
numpy.savez(folder / "two.npz", right=X[:, 2:], left=X[:, :2], y=Y)
with numpy.load(folder / "keras.npz") as loaded:
    for data in (folder / "keras.npz", str(folder / "keras.npz"), loaded):
        history, model = trained(network, data)
        assert history == trained(network, X[:32], Y[:32], validation_data=(X[32:], Y[32:]))[0]
        assert model.evaluate(data, batch_size=8) == model.evaluate(X[32:], Y[32:], batch_size=8)
        assert trained(network, data, validation_split=0.25)[0] == trained(network, X[:32], Y[:32], validation_split=0.25)[0]
history, model = trained(network, folder / "own.npz")
assert history == trained(network, X[:32], Y[:32])[0] and model.evaluate(folder / "own.npz") == model.evaluate(X[:32], Y[:32])

# By names, in whatever order they are.
parts = {"left": X[:, :2], "right": X[:, 2:]}
turned = dict(reversed(parts.items()))
history, model = trained(Two, parts, Y)
for data in ((folder / "two.npz",), (turned, Y)):
    found, other = trained(Two, *data)
    assert found == history and (other.predict(turned) == model.predict(parts)).all()
    assert other.state_dict()["head.kernel"].shape == (6, 2)
assert str(Two().specify(right=nn.Input((4,)), left=nn.Input((2,)))) == str(Two().specify(left=nn.Input((2,)), right=nn.Input((4,))))

(folder / "text.npz").write_text("no archive")
(folder / "empty.npz").write_bytes(b"")
(folder / "pickle.npz").write_bytes(pickle.dumps({"x": 1}))
(folder / "bytes.npz").write_bytes(bytes(range(200, 256)))
(folder / "hdf5.npz").write_bytes(b"\x89HDF\r\n\x1a\n")
(folder / "cut.npz").write_bytes((folder / "keras.npz").read_bytes()[:500])
numpy.savez(folder / "other.npz", images=X, labels=Y)
numpy.savez(folder / "none-in.npz")
numpy.savez(folder / "objects.npz", x=numpy.array([None] * 4), y=Y[:4])
numpy.save(folder / "array.npy", X)
EXPECTED = ", expected a file of several by name, as numpy.savez(path, x_train=x, y_train=y) writes it"
for name, said in (("text.npz", "is a text" + EXPECTED), ("empty.npz", "is an empty file" + EXPECTED), ("none.npz", "No such file"),
                   ("pickle.npz", "is a pickle of Python" + EXPECTED), ("bytes.npz", "is no archive of arrays" + EXPECTED),
                   ("hdf5.npz", "is a file of HDF5" + EXPECTED), ("none-in.npz", "is an archive without arrays" + EXPECTED), ("cut.npz", "is damaged or cut short"),
                   ("other.npz", "has arrays images, labels; expected x_train and y_train, or y and inputs by their names"),
                   ("objects.npz", "has arrays of Python's objects, which are not read"), ("array.npy", "is one array" + EXPECTED), ("", "Is a directory")):
    for call in (network().fit, model.evaluate):
        try:
            call(folder / name)
        except halfstep.Error as error:
            assert str(error).startswith(f"{folder / name}: ") and said in str(error) and "allow_pickle" not in str(error), error
        else:
            raise AssertionError(name)
