// A compiled model, for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_EXECUTABLE_H
#define MP_PYTHON_EXECUTABLE_H

#include "Errors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

/// A compiled model.
class [[gnu::visibility("hidden")]] Executable {
public:
  explicit Executable(nanobind::bytes bytes) {
    MpExecutable *read = nullptr;
    check(mpExecutableReadBytes(bytes.c_str(), bytes.size(), &read));
    handle.reset(read);
  }

  static Executable *read(const std::string &path) {
    MpExecutable *read = nullptr;
    check(mpExecutableRead(path.c_str(), &read));
    return new Executable(read);
  }

  nanobind::bytes bytes() const {
    size_t size = 0;
    const void *data = mpExecutableData(handle.get(), &size);
    return nanobind::bytes(data, size);
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
  nanobind::list values(int kind, const std::string &program) const {
    nanobind::list list;
    int64_t count = mpExecutableValueCount(handle.get(), static_cast<MpValueKind>(kind), program.c_str());
    for (int64_t i = 0; i < count; ++i) {
      MpValue value = {sizeof(value), nullptr, nullptr, MP_I1, 0, 0, nullptr};
      check(mpExecutableValue(handle.get(), static_cast<MpValueKind>(kind), program.c_str(), i, &value));
      nanobind::list shape;
      for (int64_t d = 0; d < value.rank; ++d)
        shape.append(d == 0 && value.batched ? nanobind::object(nanobind::none())
                                             : nanobind::object(nanobind::int_(value.shape[d])));
      list.append(
          nanobind::make_tuple(value.name, value.role, static_cast<int>(value.element), nanobind::tuple(shape)));
    }
    return list;
  }

  const MpExecutable *get() const { return handle.get(); }

private:
  explicit Executable(MpExecutable *read) : handle(read) {}

  Owned<MpExecutable> handle;
};

#endif // MP_PYTHON_EXECUTABLE_H
