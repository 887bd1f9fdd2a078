"""A program of an executable, by the C API (mp-c/Runtime.h), whose inputs and results other libraries use where they lie in
the device's memory, by DLPack.

    with Program(load("lib/libHalfstepRuntime.so"), "model.mpx", "cuda", "infer") as program:
        x = torch.from_dlpack(program.tensor("x"))
        seconds = program.sample(runs=10)
"""

import ctypes

# (code, bits) of DLPack's types, in the order of MpElementType.
DLPACK_TYPES = [(6, 8), (1, 8), (0, 32), (0, 64), (2, 16), (4, 16), (2, 32), (2, 64)]
DLPACK_CPU, DLPACK_CUDA = 1, 2
CAPSULE_NAME = b"dltensor"


class MpTensor(ctypes.Structure):
    _fields_ = [("element", ctypes.c_int), ("rank", ctypes.c_int64), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


SIGNATURES = {
    "mpSessionCreate": [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_void_p)],
    "mpSessionInitialize": [ctypes.c_void_p, ctypes.c_uint64],
    "mpSessionGetState": [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)],
    "mpTensorsGet": [ctypes.c_void_p, ctypes.c_int64],
    "mpTensorsDestroy": [ctypes.c_void_p],
    "mpBenchmarkCreate": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p)],
    "mpBenchmarkTensor": [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(MpTensor)],
    "mpBenchmarkRun": [ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint, ctypes.POINTER(ctypes.c_double)],
    "mpStatusDestroy": [ctypes.c_void_p],
    "mpBenchmarkDestroy": [ctypes.c_void_p],
    "mpSessionDestroy": [ctypes.c_void_p],
    "mpStatusMessage": [ctypes.c_void_p],
}

# Of those that give no status.
RESULTS = {"mpStatusMessage": ctypes.c_char_p, "mpTensorsGet": MpTensor}

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def load(path):
    """The runtime's library; OSError where it cannot be loaded, AttributeError where it is another version."""
    library = ctypes.CDLL(str(path))

    def check(status, _function, _arguments):
        if status:
            message = library.mpStatusMessage(status).decode()
            library.mpStatusDestroy(status)
            raise RuntimeError(message)

    for name, types in SIGNATURES.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, None
        if name in RESULTS:
            function.restype = RESULTS[name]
        elif not name.endswith("Destroy"):
            function.restype, function.errcheck = ctypes.c_void_p, check
    return library


class SharedTensor:
    """An input or a result, for from_dlpack of other libraries. Its memory and this object belong to the program."""

    def __init__(self, given, device):
        shape = given.shape[: given.rank]
        strides = [1] * given.rank
        for i in reversed(range(given.rank - 1)):
            strides[i] = strides[i + 1] * shape[i + 1]
        sizes = ctypes.c_int64 * given.rank
        code, bits = DLPACK_TYPES[given.element]
        self.device = device
        self.managed = DLManagedTensor(
            DLTensor(given.data, *device, given.rank, code, bits, 1, sizes(*shape), sizes(*strides), 0), None, None)

    def __dlpack__(self, **_options):
        return new_capsule(ctypes.addressof(self.managed), CAPSULE_NAME, None)

    def __dlpack_device__(self):
        return self.device


class Program:
    """A program with memory of its own and random inputs. What shares its tensors ends before it does."""

    def __init__(self, library, executable, device, name, seed=0, threads=0):
        kind, _, ordinal = device.partition(":")
        self.device = (DLPACK_CUDA, int(ordinal or 0)) if kind == "cuda" else (DLPACK_CPU, 0)
        self.library, self.tensors = library, {}
        self.session, self.benchmark = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            library.mpSessionCreate(str(executable).encode(), device.encode(), threads, self.session)
            library.mpSessionInitialize(self.session, seed)
            library.mpBenchmarkCreate(self.session, name.encode(), seed, self.benchmark)
        except RuntimeError:
            self.close()
            raise

    def tensor(self, name):
        if name not in self.tensors:
            given = MpTensor()
            self.library.mpBenchmarkTensor(self.benchmark, name.encode(), given)
            self.tensors[name] = SharedTensor(given, self.device)
        return self.tensors[name]

    def state(self, name):
        """The shape of a state entry and a copy of its bytes."""
        held = ctypes.c_void_p()
        self.library.mpSessionGetState(self.session, name.encode(), held)
        try:
            given = self.library.mpTensorsGet(held, 0)
            return given.shape[: given.rank], bytearray(ctypes.string_at(given.data, given.bytes))
        finally:
            self.library.mpTensorsDestroy(held)

    def sample(self, runs):
        """Runs the program and waits; the seconds of one run by the device's clock."""
        seconds = ctypes.c_double()
        self.library.mpBenchmarkRun(self.benchmark, 0, 1, runs, seconds)
        return seconds.value

    def close(self):
        self.library.mpBenchmarkDestroy(self.benchmark)
        self.library.mpSessionDestroy(self.session)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()
