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
      MpValue value = {};
      value.size = sizeof(value);
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

  /// The same with values of states in it.
  Executable *withValues(const std::vector<const char *> &names, const std::vector<MpTensor> &values) const {
    MpExecutable *made = nullptr;
    Owned<MpStatus> status;
    {
      nanobind::gil_scoped_release release;
      status.reset(mpExecutableWithValues(handle.get(), names.data(), values.data(), values.size(), &made));
    }
    check(status.release());
    return new Executable(made);
  }

  /// The batches of a program, from the smallest.
  std::vector<int64_t> batches(const std::string &program) const {
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < mpExecutableBatchCount(handle.get(), program.c_str()); ++i)
      sizes.push_back(mpExecutableBatch(handle.get(), program.c_str(), i));
    return sizes;
  }

  /// The states that it holds values of.
  std::vector<std::string> stored() const {
    std::vector<std::string> names;
    for (int64_t i = 0; i < mpExecutableValueCount(handle.get(), MP_STATE, ""); ++i) {
      MpValue value = {};
      value.size = sizeof(value);
      check(mpExecutableValue(handle.get(), MP_STATE, "", i, &value));
      if (value.stored)
        names.emplace_back(value.name);
    }
    return names;
  }

  const MpExecutable *get() const { return handle.get(); }

private:
  explicit Executable(MpExecutable *read) : handle(read) {}

  Owned<MpExecutable> handle;
};

#endif // MP_PYTHON_EXECUTABLE_H
