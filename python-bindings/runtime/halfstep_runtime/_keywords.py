"""Keywords that a function or a layer does not have, told with the one that was meant."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from halfstep_runtime._errors import PACKAGES, CompileError, Error, UnknownArgument, nearest, shown, truth

_DIMENSIONS = ("dimension", "dimensions", "permutation")
_FIRST = ("input", "inputs", "lhs", "image", "base", "labels", "prediction", "logits", "logs", "probabilities", "value")
_SECOND = ("rhs", "exponent", "target", "indices")

# What arguments are called elsewhere, by what they may be called here.
_MEANT = {
    **dict.fromkeys(["axis", "axes", "dim", "dims", "dimension", "dimensions"], _DIMENSIONS),
    **dict.fromkeys(["keepdims", "keepdim", "keep_dim", "keep_dimensions"], ("keep_dims",)),
    **dict.fromkeys(["x", "a", "x1", "tensor", "tensors", "input", "inputs", "self"], _FIRST),
    **dict.fromkeys(["y", "b", "x2", "other"], _SECOND),
    **dict.fromkeys(["index", "indexes"], ("indices",)),
    **dict.fromkeys(["src", "source"], ("updates", "values")),
    **dict.fromkeys(["weight", "weights", "kernel"], ("weight", "filter", "scale", "slope", "kernel_size")),
    **dict.fromkeys(["eps", "epsilon"], ("epsilon",)),
    **dict.fromkeys(["p", "prob", "rate", "dropout", "drop_rate", "dropout_rate", "dropout_prob"], ("rate", "dropout", "dropout_p", "order")),
    "ord": ("order",),
    **dict.fromkeys(["maxnorm", "max_norm"], ("most",)),
    **dict.fromkeys(["ddof", "unbiased"], ("correction",)),
    "perm": ("permutation",),
    **dict.fromkeys(["reps", "multiples"], ("repeats",)),
    **dict.fromkeys(["type", "out_type", "dtype"], ("dtype", "result", "policy")),
    **dict.fromkeys(["precision", "amp", "mixed_precision", "autocast"], ("policy",)),
    **dict.fromkeys(["scaler", "grad_scaler"], ("loss_scaler",)),
    **dict.fromkeys(["lr", "learning_rate"], ("learning_rate",)),
    **dict.fromkeys(["gradient_accumulation_steps", "accumulation_steps", "micro_batches"], ("accumulate",)),
    **dict.fromkeys(["num_threads", "n_threads", "workers"], ("threads",)),
    **dict.fromkeys(["batch", "bs"], ("batch_size",)),
    **dict.fromkeys(["num_epochs", "n_epochs", "max_epochs", "nb_epoch"], ("epochs",)),
    **dict.fromkeys(["val_data", "validation", "eval_data"], ("validation_data",)),
    **dict.fromkeys(["val_split"], ("validation_split",)),
    **dict.fromkeys(["drop_last", "drop_remainder"], ("last_batch",)),
    **dict.fromkeys(["file", "filename", "filepath", "file_path"], ("path", "model", "executable")),
    "state_dict": ("values",),
    **dict.fromkeys(["num_classes", "depth"], ("classes",)),
    **dict.fromkeys(["size", "newshape", "new_shape", "target_shape"], ("shape",)),
    **dict.fromkeys(["min_value", "a_min", "minval"], ("min", "low")),
    **dict.fromkeys(["max_value", "a_max", "maxval"], ("max", "high")),
    "alpha": ("negative_slope",),
    "mask": ("attn_mask",),
    **dict.fromkeys(["causal", "use_causal_mask"], ("is_causal", "causal")),
    **dict.fromkeys(["ignore_index", "ignore_class"], ("ignore_label",)),
    **dict.fromkeys(["stride", "strides"], ("strides",)),
    **dict.fromkeys(["dilation", "dilations", "dilation_rate"], ("dilations", "dilation")),
    **dict.fromkeys(["out_features", "output_dim", "num_units", "hidden_size"], ("units", "columns")),
    "embedding_dim": ("columns",),
    **dict.fromkeys(["num_embeddings", "input_dim"], ("rows",)),
    "out_channels": ("filters",),
    **dict.fromkeys(["window", "window_shape", "pool_size"], ("kernel_size", "pool_size", "window")),
    "kernel_size": ("pool_size", "window"),
    "num_groups": ("groups",),
    "num_heads": ("heads",),
    "num_layers": ("layers",),
    "nonlinearity": ("activation",),
    "bias": ("use_bias", "offset"),
    **dict.fromkeys(["kernel_initializer", "embeddings_initializer", "initializer"], ("init",)),
    "bias_initializer": ("bias_init",),
    "recurrent_initializer": ("recurrent_init",),
    "std": ("stddev",),
    "smoothing": ("label_smoothing",),
}


def unknown_argument(name: str, given: str, known: Iterable[str], instead: Mapping[str, str] | None = None) -> UnknownArgument:
    """`softmax: unknown argument 'axis'; did you mean 'dimension'? arguments are input, dimension`"""
    known = list(known)
    named = [one for one in known if not one.startswith("*")]
    near = next((one for one in _MEANT.get(given, ()) if one in named), None) or nearest(given, named)
    said = f"did you mean {near!r}? " if near else ""
    if instead and given in instead:
        said = f"{instead[given]}; "
    return UnknownArgument(f"{name}: unknown argument {given!r}; {said}arguments are {', '.join(known) or 'none'}")


def _arguments(function: Callable[..., Any]) -> list[str]:
    stars: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [stars.get(one.kind, "") + one.name for one in inspect.signature(function).parameters.values()]


def _holds(given: object, value: object) -> bool:
    return given is value or isinstance(given, (list, tuple)) and any(_holds(one, value) for one in given)


def _name_call(error: Error, name: str, names: Iterable[str], given: Mapping[str, Any], shows: bool) -> None:
    """Has an error say which call of the user's it ends, and of which argument it is: `iota: dtype: there is no element type 'a'`. An error
    of none of them is of what the call does, and stays as it is, or with `shows` it says what the call is given."""
    said = str(error)
    if error.placed or error.called or error.of or isinstance(error, UnknownArgument) or isinstance(error, CompileError) and not error.fault.name:
        return
    is_named = any(re.search(rf"(?<![\w.(])(?<!the )['\"]?{one.removesuffix('s')}s?['\"]?(?= (-?\d+ )?(is|are|has|have) | '|=|\[|:)", said) for one in names)
    argument = None if is_named else next((one for one, value in given.items() if _holds(value, error.value)), None)
    if argument is not None:
        said = f"{argument}: {said.removeprefix(f'{name}: ')}"
    elif not is_named and shows:
        said = f"{name}({', '.join(f'{one}={shown(value)}' for one, value in given.items())}): {said}"
    elif not is_named:
        return
    error.args, error.called = (said if name in said else f"{name}: {said}", *error.args[1:]), True


def told(function: Callable[..., Any], module: str, instead: Mapping[str, str] | None = None, name: str = "", shows: bool = False) -> Callable[..., Any]:
    """The function of a public module, or a method, whose errors say which keyword was meant, or what is here `instead` of one that is
    elsewhere, of what is no truth where one is expected, and of which argument of which call they are: by its signature and its
    documentation it is the same."""
    signature = inspect.signature(function)
    is_method = function.__name__ == "__init__"
    is_bound = _arguments(function)[:1] == ["self"]
    places = list(signature.parameters)
    truths = [one.name for one in signature.parameters.values() if one.annotation == "bool" or isinstance(one.default, bool)]

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        for name in truths:
            given = named.get(name, arguments[place] if (place := places.index(name)) < len(arguments) else None)
            if given is not None:
                truth(f"{type(arguments[0]).__name__ if is_method else call.__name__}: {name}", given)
        try:
            return function(*arguments, **named)
        except Error as error:
            if not sys._getframe(1).f_code.co_filename.startswith(PACKAGES):
                given = signature.bind(*arguments, **named).arguments
                given = {key: given[key] for key in places[is_bound:] if key in given and signature.parameters[key].kind is not inspect.Parameter.VAR_KEYWORD}
                _name_call(error, type(arguments[0]).__name__ if is_method else call.__name__, given if shows else {*places[is_bound:], *named}, {**given, **named}, shows)
            raise
        except TypeError as error:
            try:
                signature.bind(*arguments, **named)
            except TypeError:
                pass
            else:
                raise  # it was called: the error is of what it does
            known = _arguments(function)[is_bound:]
            unknown = next((one for one in named if one not in known), None)
            if unknown is None or any(one.startswith("**") for one in known):
                if not is_method:
                    raise
                # By the layer's name, not by that of a base which has its arguments.
                also = f"; arguments are {', '.join(known)}" if "multiple values" in str(error) else ""
                raise TypeError(str(error).replace(f"{function.__qualname__}()", f"{type(arguments[0]).__name__}()") + also) from None
            if not is_method:
                raise unknown_argument(call.__name__, unknown, known, instead) from None
            kind = type(arguments[0])  # which may hand on to its base what it does not have itself
            own = [one for one in _arguments(kind) if not one.startswith("**")]
            raise unknown_argument(kind.__name__, unknown, dict.fromkeys([*own, *known]), instead) from None

    call.__module__ = module  # where pickle finds it
    if name:
        call.__name__ = call.__qualname__ = name
    return call


def tell_methods(kind: type, names: Iterable[str] | None = None, instead: Mapping[str, Mapping[str, str]] | None = None) -> None:
    """Has methods of a class tell of keywords that they do not have, without names all that users call; `instead` has what is here, by the
    method."""
    if names is None:
        names = [name for name in vars(kind) if name == "__init__" or name[:1] != "_"]
    for name in names:
        method = vars(kind)[name]
        function = method.__func__ if isinstance(method, (classmethod, staticmethod)) else method
        if inspect.isfunction(function):
            one = told(function, function.__module__, (instead or {}).get(name))
            setattr(kind, name, one if function is method else type(method)(one))


def tell(module: str, names: Iterable[str], members: dict[str, Any], instead: Mapping[str, str] | None = None,
         absent: Callable[[str], str] | None = None, checked: Callable[[Callable[..., Any], str], Callable[..., Any]] | None = None) -> None:
    """Has the functions and the layers of a module tell of keywords that they do not have; `instead` has what is here for those of layers.
    `absent` gives what is said of a name that the module does not have, and `checked` functions that check what else they are given."""

    if absent is not None:
        def missing(name: str) -> None:
            raise AttributeError(f"{module} has no '{name}'; {absent(name)}")

        members["__getattr__"] = missing
    for name in names:
        one = members[name]
        if inspect.isfunction(one):
            members[name] = told(one if checked is None else checked(one, name), module, name=name, shows=True)
        elif inspect.isclass(one):
            for base in one.__mro__:
                if base.__module__.startswith(("halfstep.", "halfstep_runtime.")) and not hasattr(vars(base).get("__init__", tell), "__wrapped__"):
                    tell_methods(base, {"__init__"} & {*vars(base)}, {"__init__": instead or {}})
