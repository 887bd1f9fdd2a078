// halfstep._runtime: mp-c/Runtime.h for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Arrays.h"
#include "Errors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>

namespace nb = nanobind;

namespace {

std::vector<std::string> splitLines(const char *text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// A compiled model.
class Executable {
public:
  explicit Executable(nb::bytes bytes) {
    MpExecutable *read = nullptr;
    check(mpExecutableReadBytes(bytes.c_str(), bytes.size(), &read));
    handle.reset(read);
  }

  static Executable *read(const std::string &path) {
    MpExecutable *read = nullptr;
    check(mpExecutableRead(path.c_str(), &read));
    return new Executable(read);
  }

  nb::bytes bytes() const {
    size_t size = 0;
    const void *data = mpExecutableData(handle.get(), &size);
    return nb::bytes(data, size);
  }

  std::optional<std::string> text(const std::string &key) const {
    const char *found = mpExecutableText(handle.get(), key.c_str());
    return found ? std::optional<std::string>(found) : std::nullopt;
  }

  std::vector<std::string> programs() const {
    std::vector<std::string> names;
    for (int64_t i = 0; i < mpExecutableProgramCount(handle.get()); ++i)
      names.emplace_back(mpExecutableProgram(handle.get(), i));
    return names;
  }

  /// Name, role, element, shape (None for the batch) of each.
  nb::list values(int kind, const std::string &program) const {
    nb::list list;
    int64_t count = mpExecutableValueCount(handle.get(), static_cast<MpValueKind>(kind), program.c_str());
    for (int64_t i = 0; i < count; ++i) {
      MpValue value = {sizeof(value), nullptr, nullptr, MP_I1, 0, 0, nullptr};
      check(mpExecutableValue(handle.get(), static_cast<MpValueKind>(kind), program.c_str(), i, &value));
      nb::list shape;
      for (int64_t d = 0; d < value.rank; ++d)
        shape.append(d == 0 && value.batched ? nb::object(nb::none()) : nb::object(nb::int_(value.shape[d])));
      list.append(nb::make_tuple(value.name, value.role, static_cast<int>(value.element), nb::tuple(shape)));
    }
    return list;
  }

  const MpExecutable *get() const { return handle.get(); }

private:
  explicit Executable(MpExecutable *read) : handle(read) {}

  Owned<MpExecutable> handle;
};

/// An executable on a device. The GIL is released before the session's lock is taken; one that is closed ends with its
/// last call.
class Session {
public:
  Session(const Executable &executable, const std::string &device, unsigned threads) {
    MpSession *made = nullptr;
    Owned<MpStatus> status;
    {
      nb::gil_scoped_release release;
      status.reset(mpSessionCreateFor(executable.get(), device.c_str(), threads, &made));
    }
    check(status.release());
    handle = Owned<MpSession>(made);
  }

  void close() { handle.reset(); }

  void initialize(uint64_t seed) {
    call([&](MpSession *session) { return mpSessionInitialize(session, seed); });
  }

  std::vector<std::string> stateNames() { return splitLines(mpSessionStateNames(get().get())); }

  nb::list state(const std::string &name) {
    MpTensors *tensors = nullptr;
    call([&](MpSession *session) { return mpSessionGetState(session, name.c_str(), &tensors); });
    return toPython(Owned<MpTensors>(tensors));
  }

  void setState(const std::string &name, const AnyArray &array, int element) {
    Tensor tensor(array, element);
    call([&](MpSession *session) { return mpSessionSetState(session, name.c_str(), tensor.get()); });
  }

  void loadWeights(const std::string &path) {
    call([&](MpSession *session) { return mpSessionLoadWeights(session, path.c_str()); });
  }

  void saveWeights(const std::string &path) {
    call([&](MpSession *session) { return mpSessionSaveWeights(session, path.c_str()); });
  }

  nb::list run(const std::string &program, const std::vector<std::string> &names, const std::vector<AnyArray> &arrays,
               const std::vector<int> &elements) {
    std::vector<const char *> pointers;
    std::vector<Tensor> tensors;
    std::vector<MpTensor> inputs;
    tensors.reserve(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      pointers.push_back(names[i].c_str());
      inputs.push_back(tensors.emplace_back(arrays.at(i), elements.at(i)).get());
    }
    MpTensors *results = nullptr;
    call([&](MpSession *session) {
      return mpSessionRun(session, program.c_str(), pointers.data(), inputs.data(), inputs.size(), &results);
    });
    return toPython(Owned<MpTensors>(results));
  }

private:
  std::shared_ptr<MpSession> get() const {
    if (!handle)
      throw nb::value_error("the session is closed");
    return handle;
  }

  template <typename Call> void call(Call &&function) {
    std::shared_ptr<MpSession> session = get();
    Owned<MpStatus> status;
    {
      nb::gil_scoped_release release;
      status.reset(function(session.get()));
    }
    check(status.release());
  }

  std::shared_ptr<MpSession> handle;
};

} // namespace

NB_MODULE(_runtime, module) {
  module.def("version", &mpVersion);
  module.def("device_names", [] { return splitLines(mpDeviceNames()); });

  nb::class_<Executable>(module, "Executable")
      .def(nb::init<nb::bytes>(), nb::arg("bytes"))
      .def_static("read", &Executable::read, nb::arg("path"), nb::rv_policy::take_ownership)
      .def("bytes", &Executable::bytes)
      .def("text", &Executable::text, nb::arg("key"))
      .def("programs", &Executable::programs)
      .def("values", &Executable::values, nb::arg("kind"), nb::arg("program"));

  nb::class_<Session>(module, "Session")
      .def(nb::init<const Executable &, const std::string &, unsigned>(), nb::arg("executable"), nb::arg("device"),
           nb::arg("threads"))
      .def("close", &Session::close)
      .def("initialize", &Session::initialize, nb::arg("seed"))
      .def("state_names", &Session::stateNames)
      .def("state", &Session::state, nb::arg("name"))
      .def("set_state", &Session::setState, nb::arg("name"), nb::arg("array"), nb::arg("element"))
      .def("load_weights", &Session::loadWeights, nb::arg("path"))
      .def("save_weights", &Session::saveWeights, nb::arg("path"))
      .def("run", &Session::run, nb::arg("program"), nb::arg("names"), nb::arg("arrays"), nb::arg("elements"));
}
