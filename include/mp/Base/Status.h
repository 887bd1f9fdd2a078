// Success, or one line that says why not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the rooms without LLVM report errors; no exception crosses a room.
//
//   ErrorOr<Table> loadTable(const std::string &path) {
//     ErrorOr<Bytes> bytes = readFile(path);
//     if (!bytes)
//       return bytes.status().in(path);            // "weights.bin: file is empty"
//     if (bytes->size() < kHeaderBytes)
//       return makeError("expected ", kHeaderBytes, " bytes of header, found ", bytes->size());
//     return parse(*bytes);
//   }

#ifndef MP_BASE_STATUS_H
#define MP_BASE_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace mp {

/// Success, or an error with a message: one line, lower case, no full stop, what was found and what was expected.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;

  static Status success() { return Status(); }

  static Status error(std::string message) {
    Status status;
    status.text = std::make_shared<const std::string>(std::move(message));
    return status;
  }

  bool ok() const { return !text; }

  /// The error's message; empty for success.
  const std::string &message() const {
    static const std::string none;
    return text ? *text : none;
  }

  /// The same status, an error's message prefixed with where it happened: "F.mpx: message".
  Status in(const std::string &where) const { return ok() ? *this : error(where + ": " + message()); }

private:
  std::shared_ptr<const std::string> text;
};

/// An error whose message is all parts written one after another.
template <typename... Parts> Status makeError(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return Status::error(text.str());
}

/// A value, or the error for which there is none.
template <typename T> class [[nodiscard]] ErrorOr {
public:
  ErrorOr(T result) : value(std::move(result)) {}

  ErrorOr(Status status) : failure(std::move(status)) { assert(!failure.ok() && "success needs a value"); }

  bool ok() const { return value.has_value(); }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return *value; }
  const T &operator*() const & { return *value; }
  T &&operator*() && { return std::move(*value); }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

  const Status &status() const { return failure; }
  const std::string &message() const { return failure.message(); }

private:
  std::optional<T> value;
  Status failure;
};

} // namespace mp

#endif // MP_BASE_STATUS_H
