"""Modules: something with parameters and a forward."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from halfstep.graph.graph import Graph, current
from halfstep.graph.tensor import Tensor
from halfstep.hints.elsewhere import ARGUMENTS, ATTRIBUTES
from halfstep.hints.types import Array, Device, LastBatch, Loss, Metric, OptimizerName, Path, PolicyName
from halfstep.layers.leaves import Filter, Input, Leaf, Parameter, State, check_keys, first_value, number_array, number_arrays
from halfstep.layers.trainable import Trainable, summary
from halfstep.layers.undo import remember, undone_on_error
from halfstep_runtime._errors import Error, integer, nearest, shown, snake_case, truth
from halfstep_runtime._files import check_written
from halfstep_runtime._keywords import tell_methods
from halfstep_runtime._session import Session
from halfstep_runtime._tensor_files import has_our_filters, read_tensors, write_tensors

if TYPE_CHECKING:
    from typing_extensions import Self

    from halfstep._compiler import Model
    from halfstep.callbacks import Callback, History
    from halfstep.compiler.policy import Policy
    from halfstep.training.job import Job
    from halfstep.training.optimizers import LossScaler, Optimizer
    from halfstep.training.trainer import Trainer
    from halfstep_runtime._executable import Executable


# Data of one input, by the names of several, a file of NumPy, or what gives batches.
Data: TypeAlias = "Array | Mapping[str, Array] | Iterable[Any] | Path"


def _place(error: Error, place: str) -> None:
    """Has an error say in which layer it is: the innermost, which hears of it first."""
    if not getattr(error, "placed", False):
        error.args = (f"in {place}: {error}", *error.args[1:])
        error.placed = True


def _check_saved(path: Path, names: Iterable[str], saved: Mapping[str, object]) -> None:
    if missing := [name for name in names if name not in saved]:
        raise Error(f"{path}: has no parameter '{missing[0]}'")


# What other frameworks freeze layers by.
_UNHEARD = ("trainable", "requires_grad")


class Module:
    """Something with parameters and a forward. Names are those of attributes: "encoder.0.attention.query.kernel"."""

    _inputs: Mapping[str, Input] = {}  # where they are known
    _targets: Mapping[str, Input] = {}  # as specify says them
    _output_names: tuple[str, ...] = ()  # of the last forward
    _job: Job | None = None  # what compile was told
    _trainer: Trainer | None = None
    _built = False
    _of_classes: Mapping[str, int] = {}  # settings of a loss of classes that is given by its name
    stop_training = False  # a callback's to set
    _has_fixed_forward = False  # whether it is that of a program, which nothing changes
    fixed_rows: int | None = None  # of the batch that the model is made for where nobody says one; None where its size is open

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _UNHEARD and not value:
            raise Error(f"a module has no '{name}' to set: {ATTRIBUTES[name]}")
        if isinstance(value, Tensor) and isinstance(self.__dict__.get(name), Leaf):
            kind, state = type(self.__dict__[name]).__name__, isinstance(self.__dict__[name], State)
            raise Error(f"{type(self).__name__}: '{name}' is its {kind}, and a forward sets it to a tensor; " +
                        (f"self.{name}.assign(value) is its value after the step" if state else
                         f"write w = self.{name} * 2, of another name: what training changes by its gradient is not set"))
        if isinstance(value, (Module, Leaf)) and name in vars(Module):
            raise Error(f"{type(self).__name__}: every module has '{name}'; call the {type(value).__name__} something else")
        super().__setattr__(name, value)

    if not TYPE_CHECKING:  # which knows what there is

        def __getattr__(self, name: str) -> Any:
            """What is not there, with what is."""
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property that failed, which says why
            said = ATTRIBUTES.get(name)
            if said is None and not name.startswith("_"):
                known = [one for one in {*vars(self), *dir(type(self))} if not one.startswith("_")]
                near = nearest(name, sorted(known))
                said = f"did you mean {near!r}?" if near else None
            raise AttributeError(f"a {type(self).__name__} has no attribute '{name}'" if said is None else f"a module has no '{name}': {said}")

    def forward(self, *inputs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no forward" + ("; what Keras calls `call` is `forward`" if hasattr(self, "call") else ""))

    def build(self, *shapes: Any) -> None:
        """Makes the parameters that depend on the shapes of inputs; called before the first forward."""

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        graph = self._graph_of(inputs)
        name = graph.name_of(self)
        graph.scope.append(name)
        try:
            inputs = self._operands(inputs)
            if not self._built:
                remember(self)
                self.build(*self._shapes_of(inputs))
                self._built = True
            return self.forward(*inputs, **named)
        except Error as error:
            if name and graph.root is not None:
                _place(error, graph.root._place_of(self, name))
            raise
        finally:
            graph.scope.pop()

    def _operands(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """What forward is given of what a call is."""
        return inputs

    def _graph_of(self, inputs: Iterable[object]) -> Graph:
        """The model that it is called in."""
        try:
            return current()
        except Error:
            is_keras = any(isinstance(one, Input) for one in inputs)
            said = ("a Sequential begins with an nn.Input, and several inputs are the parameters of a forward" if is_keras else
                    "model.predict(x) computes the outputs of arrays")
            raise Error(f"a {type(self).__name__} is called in the forward of a module; {said}") from None

    def _shapes_of(self, inputs: Iterable[object]) -> list[tuple[int | None, ...]]:
        """What build is told."""
        shapes = [one.shape for one in inputs if isinstance(one, Tensor)]
        if inputs and not shapes and type(self).build is not Module.build:
            given = ", ".join("None" if one is None else f"a {type(one).__name__}" for one in inputs)
            raise Error(f"{type(self).__name__} is given {given}, expected a tensor; ops.constant(array) makes one of an array")
        return shapes

    def children(self) -> Iterator[tuple[str, Module | Leaf]]:
        """The modules and leaves in it, by name; those in lists and dictionaries, too."""

        def within(name: str, value: object) -> Iterator[tuple[str, Module | Leaf]]:
            if isinstance(value, (Module, Leaf)):
                yield name, value
            elif isinstance(value, (list, tuple)):
                for i, one in enumerate(value):
                    yield from within(f"{name}.{i}" if name else str(i), one)
            elif isinstance(value, dict):
                for key, one in value.items():
                    yield from within(f"{name}.{key}", one)

        for name, value in list(vars(self).items()):  # who asks may add some
            if not name.startswith("_"):
                yield from within(name, value)

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Every module with its name, this one first; one that is shared by its first name."""
        yield from self._walk(prefix, set(), Module)

    def named_leaves(self) -> Iterator[tuple[str, Leaf]]:
        yield from self._walk("", set(), Leaf)

    def _walk(self, prefix: str, seen: set[int], kind: type) -> Iterator[tuple[str, Any]]:
        if id(self) in seen:
            return
        seen.add(id(self))
        if isinstance(self, kind):
            yield prefix, self
        for name, child in self.children():
            path = f"{prefix}.{name}" if prefix else name
            if isinstance(child, Module):
                yield from child._walk(path, seen, kind)
            elif isinstance(child, kind) and id(child) not in seen:
                seen.add(id(child))
                yield path, child

    def name_of(self, module: Module) -> str:
        return next((name for name, one in self.named_modules() if one is module), "")

    def _place_of(self, module: Module, name: str) -> str:
        """Where a module in this one is, for who reads it: `layer 1, 'dense2'` in a Sequential, `layer 0 of 'body',
        'body.dense1'` in one within, else its name."""
        of = ((i, path) for path, one in self.named_modules() if isinstance(one, Sequential) for i, layer in enumerate(one.layers) if layer is module)
        index, path = next(of, (None, ""))
        return f"'{name}'" if index is None else f"layer {index}{f' of {path!r}' if path else ''}, '{name}'"

    # The model as a whole.

    def _trains(self, name: str, leaf: Leaf) -> bool:
        """Whether training changes what is so called by a gradient: as its parameter says, or `compile`."""
        return isinstance(leaf, Parameter) and (leaf.trainable if self._job is None else self._job.trainable.trains([name], leaf.trainable))

    def _parameters(self) -> dict[str, Parameter]:
        return {name: leaf for name, leaf in self.named_leaves() if isinstance(leaf, Parameter)}

    def _check_trainable(self, is_training: bool) -> None:
        """That names of parameters which `compile` was told are there, and that one trains where one is to."""
        parameters = self._parameters()
        if self._job is not None:
            self._job.trainable.check(parameters)
        if is_training and parameters and not any(self._trains(name, leaf) for name, leaf in parameters.items()):
            raise Error(f"{type(self).__name__}: none of its parameters trains; model.compile(trainable='*') or names of some say what does, and "
                        "model.summary() shows them")

    def summary(self) -> None:
        """Prints what the model keeps: names, shapes, types, and whether training changes it by its gradient. It has to know its inputs."""
        self.to_mlir()  # makes the leaves that depend on shapes
        print(summary([(name, leaf, self._trains(name, leaf)) for name, leaf in self.named_leaves()]))
        if self.fixed_rows is not None:
            print("Its rows depend on each other by the size of the batch: it is made anew for each, and nothing fills a batch up.")

    def input_names(self) -> list[str]:
        return list(inspect.signature(self.forward).parameters)

    def _check_inputs(self, names: Collection[str]) -> None:
        """That inputs are called as the parameters of forward are, all of them; where it takes any number, they have any names."""
        parameters = inspect.signature(self.forward).parameters
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters.values()):
            return
        unknown = [repr(name) for name in names if name not in parameters]
        missing = [repr(name) for name, one in parameters.items() if one.default is one.empty and name not in names]
        if said := [f"{', '.join(own)} {'is' if len(own) == 1 else 'are'} {what}" for own, what in ((unknown, "none of them"), (missing, "missing")) if own]:
            raise Error(f"{type(self).__name__}: inputs have the names of forward's parameters, {', '.join(parameters) or 'none'}; {', and '.join(said)}")

    def to_mlir(self, inputs: dict[str, Input] | None = None, objective: Callable[[Graph, dict[str, Tensor]], object] | None = None, *,
                locations: bool = False, batch_size: int | None = None) -> str:
        """The model's text, as `mp-run` takes it. `objective(graph, outputs)` adds what training needs. The batch is open; `batch_size` is
        for models that are made for each size of it anew, as `summary` says."""
        locations = truth("to_mlir: locations", locations)
        if batch_size is not None:
            batch_size = integer("to_mlir: batch_size", batch_size, 1)
            if self.fixed_rows is None:
                raise Error("to_mlir: the batch of the model is open, and its text is one for all; compile(text, batch_size=...) gives it a size")
        if inputs is not None and (not isinstance(inputs, Mapping) or not all(isinstance(one, Input) for one in inputs.values())):
            raise Error(f"to_mlir: inputs is {shown(inputs)}, expected a dictionary of nn.Input by the names of forward's parameters")
        return self._traced(inputs, objective, batch_size).text(locations)

    def _traced(self, inputs: Mapping[str, Input] | None = None, objective: Callable[[Graph, dict[str, Tensor]], object] | None = None,
                batch_size: int | None = None) -> Model:
        """The model as the compiler takes it. `objective(graph, outputs)` adds what training needs. A `batch_size` is for what is made for
        one."""
        rows = None if self.fixed_rows is None else batch_size or self.fixed_rows
        if inputs:
            self._check_inputs(inputs)
        inputs = inputs or self._inputs
        if not inputs:
            raise Error("the model does not know its inputs yet: train it, begin a Sequential with nn.Input(shape, dtype), or tell it by "
                        "specify(x=nn.Input(shape, dtype))")
        # In the order of forward's parameters, whatever that of a user's dictionary is.
        order = {name: place for place, name in enumerate(self.input_names())}
        inputs = dict(sorted(inputs.items(), key=lambda one: order.get(one[0], len(order))))
        with undone_on_error():
            graph, outputs = self._traced_forward(inputs, rows)
            with graph.current():
                self._check_trainable(objective is not None)
                self._output_names = tuple(outputs)
                if objective is not None:
                    objective(graph, outputs)
                for name, one in outputs.items():
                    graph.add_result(one, "output", name)
                names = {id(one): name for name, one in self.named_leaves()}
                for key, value in graph.next.items():
                    graph.add_result(value, "next", names[key])
                graph.close()
        return graph.handle

    def _traced_forward(self, inputs: Mapping[str, Input], rows: int | None) -> tuple[Graph, dict[str, Tensor]]:
        """The graph of a forward, and its outputs. One that is fixed is traced once."""
        if not self._has_fixed_forward:
            return self._run_forward(inputs, rows)
        known = rows, tuple(inputs.items()), tuple(self._trains(name, leaf) for name, leaf in self.named_leaves())
        kept, graph, outputs, state = self.__dict__.get("_kept_forward", (None, None, None, None))
        if kept != known:
            graph, outputs = self._run_forward(inputs, rows)
            state = graph.saved()
            self.__dict__["_kept_forward"] = known, graph, outputs, state
        graph.restore(state)
        return graph, dict(outputs)

    def _run_forward(self, inputs: Mapping[str, Input], rows: int | None) -> tuple[Graph, dict[str, Tensor]]:
        graph = Graph(snake_case(type(self).__name__), Tensor, self, rows)
        with graph.current():
            tensors = [graph.argument(name, "input", one.type) for name, one in inputs.items()]
            graph.inputs = dict(zip(inputs, tensors))
            first = self._leading(inputs)
            outputs = self(*tensors[:first], **dict(list(zip(inputs, tensors))[first:]))
        if outputs is None:
            raise Error(f"{type(self).__name__}: forward returned None; it has to return its outputs")
        if not isinstance(outputs, dict):
            several = isinstance(outputs, (tuple, list))
            outputs = {f"output{i}": one for i, one in enumerate(outputs)} if several else {"output": outputs}
        for one in outputs.values():
            if not isinstance(one, Tensor):
                raise Error(f"{type(self).__name__}: forward returned {type(one).__name__}, expected a tensor, several, or a dictionary of them")
        return graph, outputs

    def _leading(self, names: Iterable[str]) -> int:
        """How many of inputs are forward's first parameters: those behind one that is left out are given by their names."""
        known = self.input_names()
        given = [*names]
        if not set(given) <= set(known):
            return len(given)
        return next((i for i, name in enumerate(given) if name != known[i]), len(given))

    def specify(self, **inputs: Input) -> Module:
        """Says what the model takes, by the names of forward's parameters, and as `y` its targets, where these have other rows than that."""
        targets = {name: one for name, one in inputs.items() if name == "y" and name not in self.input_names()}
        self._check_inputs([name for name in inputs if name not in targets])
        for name, one in inputs.items():
            if not isinstance(one, Input):
                raise Error(f"specify: {name} is of type {type(one).__name__}, expected an nn.Input, as {name}=nn.Input(shape, dtype)")
        self._inputs = {name: one for name, one in inputs.items() if name not in targets}
        self._targets = targets
        return self

    # Training. What the compiler and the runtime are is in training/trainer.py.

    def compile(self, optimizer: OptimizerName | str | Optimizer | type[Optimizer] = "adam", loss: Loss | None = None,
                metrics: Metric | Iterable[Metric] | Mapping[str, Metric] | None = None, *, policy: PolicyName | str | Policy | None = None,
                loss_scaler: LossScaler | Literal["dynamic", "none"] | float | None = None, device: Device = "cpu", threads: int = 0,
                pin_threads: bool = False, trainable: str | Iterable[str] | None = None, frozen: str | Iterable[str] | None = None,
                **settings: Any) -> None:
        """Says how to train; the model is compiled when shapes are known. `loss` and `metrics` are names or functions of
        outputs and targets; without, cross entropy and accuracy. `policy` is a name or a Policy; without, the global one, "mixed_float16"
        unless set_global_policy says another. `trainable` names all that trains, `frozen` what of that does not: names of parameters or patterns
        as "encoder.*", one or several; `summary` shows what follows. `settings` are those of `mp-run compile --help`; a name
        that is none of them is an error here, a value when the model is compiled. A model that has been trained keeps its
        parameters; what its optimizer kept starts anew."""
        from halfstep.compiler.settings import check_arguments
        from halfstep.training.job import make_job

        check_arguments(Module.compile, settings, ARGUMENTS["compile"])
        loss = "loss" if loss is None and "loss" in self._output_names else loss
        said = Trainable("compile", trainable, frozen)
        job = make_job(optimizer, loss, metrics, policy, loss_scaler, device, threads, pin_threads, settings, self._of_classes, said)
        if self._inputs and (trainable is not None or frozen is not None):
            self.to_mlir()  # makes the leaves that depend on shapes
            said.check(self._parameters())
        self._job = job
        if self._trainer is not None:
            self._trainer.keep()
            self._trainer = None

    @property
    def trainer(self) -> Trainer:
        """What trains the model, step by step."""
        from halfstep.training.trainer import Trainer

        self._trainer = self._trainer or Trainer(self)
        return self._trainer

    def fit(self, x: Data, y: Array | None = None, batch_size: int = 64, epochs: int = 1, *, validation_data: Any = None,
            validation_split: float = 0.0, callbacks: Iterable[Callback] = (), verbose: bool = True, seed: int = 0, last_batch: LastBatch = "drop",
            checkpoint: Path | None = None, resume: bool = False, log: Path | None = None, find_nonfinite: bool = False,
            initial_epoch: int = 0) -> History:
        """Trains for so many epochs more, perhaps none, and gives a History; with `resume` for so many in all. With the
        same seed it has the bits of `mp-run train`. `initial_epoch` is Keras': the number of the first epoch for callbacks, `epochs` then
        that of the last and one more.

        Without `y`, `x` gives batches (x, y) each time that it is iterated, as PyTorch's DataLoader does; those have the size
        of the first, and may be dictionaries of inputs and, under one other name, targets; or it is a file of NumPy, its path or what
        numpy.load gives, of `x_train`, `y_train` and perhaps `x_test`, `y_test`, or of `y` and inputs by their names. Rows that do not fill a batch are dropped, and batches that do not fill a step of `accumulate`;
        last_batch="pad" fills batches up with rows that weigh nothing, and is refused with `accumulate`. `checkpoint` is a folder, from which
        `resume` goes on: at any step with arrays, at the end of an epoch with batches; `log` a file with a JSON line for each step.
        `find_nonfinite` looks into the first step, and into the first that is skipped, or whose loss or state is not finite, and says which op it comes from: in the History's `nonfinite`, or that of the Error that ends the run.
        """
        return self.trainer.fit(
            x, y, batch_size, epochs, validation_data=validation_data, validation_split=validation_split, callbacks=callbacks, verbose=verbose,
            seed=seed, last_batch=last_batch, checkpoint=checkpoint, resume=resume, log=log, find_nonfinite=find_nonfinite, initial_epoch=initial_epoch)

    def evaluate(self, x: Data, y: Array | None = None, batch_size: int = 64) -> dict[str, float]:
        """Loss and metrics over all rows; without `y`, `x` gives batches (x, y), or is a file of NumPy as fit takes it, of which it is the test."""
        return self.trainer.evaluate(x, y, batch_size)

    def predict(self, x: Data) -> Any:
        """Outputs for any number of rows, an array or several by name; or for those of an iterable of batches, whose targets are left."""
        return self.trainer.predict(x)

    def export(self, path: Path, *, weights: bool = True, batch_sizes: Sequence[int] | int | None = None, targets: str | Iterable[str] | None = None,
               training: bool | None = None) -> Executable:
        """Writes the model as one .mpx file, which mp-exec and programs in C and C++ train and predict with, without Python and the
        compiler (docs/training-without-python.md), and gives the Executable that is in it.

        A model that `compile` was called on is there with its training step: optimizer, policy and loss scaling are those of compile; one
        that was not, or with `training=False`, predicts alone. `weights` are the present parameters and states of the model, which training
        and predictions start from; what an optimizer keeps starts anew. `batch_sizes` are those that there is code for, as [1, 32]:
        training takes one of them, a prediction the one that holds its rows; without, the batch of training. `targets` are what `mp-run
        compile` takes as --target and --chip, as ["cpu:avx2+sse2", "sm_80"]; without, the device of compile, this machine's processor and
        any other of x86-64."""
        from halfstep.training.export import export

        return export(self, path, weights, batch_sizes, targets, training)

    @property
    def learning_rate(self) -> float:
        return self.trainer.learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self.trainer.learning_rate = rate

    @property
    def _trained(self) -> Session | None:
        """The session that trains, or None."""
        return None if self._trainer is None else self._trainer.session

    def _untrained(self) -> Session:
        """A session of what the model starts from, all of it in its own types."""
        from halfstep.compiler.compile import compile_traced

        session = Session(compile_traced(self._traced(), "model.mlir", policy="float32", training=False, batch_size=self.fixed_rows), "cpu", threads=1)
        self._initialize(session)
        return session

    def _initialize(self, session: Session, seed: int = 0) -> None:
        """Gives the state of a session its first values."""
        session.initialize(seed)
        for name, leaf in self.named_leaves():
            if leaf.value is not None and name in session.state:
                session.state[name] = leaf.value

    def state_dict(self) -> dict[str, object]:
        """Parameters and states by name, copied. Before training they are the first values under seed 0, or those that were loaded."""
        values: dict[str, Any] = self._present_values()
        return {name: leaf.given(values[name]) for name, leaf in self.named_leaves()}

    def _present_values(self) -> dict[str, object]:
        """Those of training, or before it the first, as the model's text has them."""
        with contextlib.ExitStack() as stack:
            session = self._trained or stack.enter_context(self._untrained())
            return {name: session.state[name] if name in session.state else first_value(leaf) for name, leaf in self.named_leaves()}

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Parameters and states by name, all of them or, where one is missing, unknown or does not fit, none. Floats are rounded to a
        parameter's type; whole numbers of any type are taken where the own type holds them. A model that has not been trained starts from
        them; it has to know its inputs."""
        if self._trained is None:
            self.to_mlir()  # makes the leaves that depend on shapes
        leaves = dict(self.named_leaves())
        check_keys(leaves, values)
        self.trainer.start_from(number_arrays(leaves, values))

    def save_weights(self, path: Path) -> None:
        """Parameters and states of the model as a safetensors file, whose name ends in .safetensors or in nothing that is another format's;
        before training the first values, as state_dict has them."""
        path = check_written(path)
        if self._trained is not None:
            self._trained.save_weights(path)
        else:
            write_tensors(path, self._present_values())

    def load_weights(self, path: Path) -> None:
        """Parameters, and states of the model that are there, from a safetensors file or the folder of a checkpoint: all of them, or none
        where one does not fit. A model that has not been trained starts from them; it has to know its inputs."""
        if any(isinstance(leaf, Filter) for _, leaf in self.named_leaves()):
            saved = read_tensors(path)
            if not has_our_filters(path):  # from where the model is from, whose filters lie as they do there: all parameters, and states
                _check_saved(path, self._parameters(), saved)
                leaves = {name: leaf for name, leaf in self.named_leaves() if name in saved}
                self.trainer.start_from(number_arrays(leaves, {name: saved[name] for name in leaves}))
                return
        if self._trained is not None:
            self._check_frozen(path)
            self._trained.load_weights(path)
            return
        with self._untrained() as session:
            session.load_weights(path)  # checks them
            self._check_frozen(path)
            saved = read_tensors(path)
            # What no output depends on is not in this session.
            self.trainer.start_from({name: session.state[name] if name in session.state else number_array(name, leaf, saved[name])
                                     for name, leaf in self.named_leaves() if name in session.state or name in saved})

    def save_state(self, path: Path) -> None:
        """All that training goes on from, as `trainer.save` writes it: what optimizer, loss scale and random generators keep, too."""
        self.trainer.save(path)

    def load_state(self, path: Path) -> None:
        """What save_state wrote, or the checkpoint of a folder, as `trainer.load` reads it."""
        self.trainer.load(path)

    def _check_frozen(self, path: Path) -> None:
        """That a file has what does not train, too: to a session it is a state, which a file may lack."""
        if frozen := [name for name, leaf in self._parameters().items() if not self._trains(name, leaf)]:
            _check_saved(path, frozen, read_tensors(path))

    def __copy__(self) -> Self:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("_kept_forward", None)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A model that starts from the parameters and states of this one; what runs this one, and what its optimizer keeps, stay here."""
        other = memo[id(self)] = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            if name not in ("_trainer", "_kept_forward"):
                other.__dict__[name] = copy.deepcopy(value, memo)
        if self._trained is not None:
            for name, leaf in self.named_leaves():
                copied = memo.get(id(leaf))
                if copied is not None and name in self._trained.state:
                    copied.value = self._trained.state[name]
        return other

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not pickled: model.save_weights(path) keeps its parameters, copy.deepcopy(model) copies it")

    def __str__(self) -> str:
        return self.to_mlir() if self._inputs else repr(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(name for name, _ in self.children()) or 'no parameters yet'}>"


class Sequential(Module):
    """Layers, one after another: modules, functions on tensors, an Input at the start."""

    def __init__(self, *layers: Any) -> None:
        self.layers = list(layers[0]) if len(layers) == 1 and isinstance(layers[0], (list, tuple)) else list(layers)
        for i, layer in enumerate(self.layers):
            if isinstance(layer, type):
                raise Error(f"Sequential: layer {i} is the class {layer.__name__}; write {layer.__name__}(...)")
            if not callable(layer):
                named = f"; nn.Activation({layer!r}) is an op by its name" if isinstance(layer, str) else ""
                raise Error(f"Sequential: layer {i} is {layer!r}, expected a module, a function of a tensor or, at the start, an nn.Input{named}")
        if self.layers and isinstance(self.layers[0], Input):
            self.specify(x=self.layers[0])

    def _check_inputs(self, names: Collection[str]) -> None:
        if type(self).forward is not Sequential.forward:
            super()._check_inputs(names)
        elif len(names) != 1:
            raise Error(f"a Sequential takes one input, under any name; {', '.join(map(repr, names)) or 'none'} {'is' if not names else 'are'} given")

    def children(self) -> Iterator[tuple[str, Module | Leaf]]:
        """Layers by what they are, counted from 1: "dense1", "dropout1", "dense2"."""
        counts: dict[str, int] = {}
        for layer in self.layers:
            if isinstance(layer, Module):
                kind = snake_case(type(layer).__name__)
                counts[kind] = counts.get(kind, 0) + 1
                yield f"{kind}{counts[kind]}", layer

    def forward(self, x: Any) -> Any:
        for i, layer in enumerate(self.layers):
            try:
                x = layer(x)
            except Error as error:
                _place(error, f"layer {i}, {'a function' if not hasattr(layer, '__name__') else layer.__name__}")
                raise
            if x is None:
                raise Error(f"Sequential: layer {i}, {getattr(layer, '__name__', type(layer).__name__)}, returned None, expected a tensor")
        return x


tell_methods(Module, instead=ARGUMENTS)
