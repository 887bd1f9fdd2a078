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

#include "mp/Base/Fault.h"

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

  /// `message` may have names of flags and settings in it, with marks (Fault.h).
  static Status error(std::string message, Fault fault = {}) {
    Status status;
    status.said = std::make_shared<const Said>(Said{withoutMarks(message), std::move(message), std::move(fault)});
    return status;
  }

  bool ok() const { return !said; }

  /// The error's message; empty for success.
  const std::string &message() const {
    static const std::string none;
    return said ? said->message : none;
  }

  /// The same with marks around the names of flags and settings, and no dashes before them.
  const std::string &markedMessage() const {
    static const std::string none;
    return said ? said->marked : none;
  }

  /// What the error is about.
  const Fault &fault() const {
    static const Fault none;
    return said ? said->fault : none;
  }

  /// The same status, an error's message prefixed with where it happened: "F.mpx: message".
  Status in(const std::string &where) const {
    return ok() ? *this : error(where + ": " + markedMessage(), said->fault);
  }

  /// The same error, about what `fault` says.
  Status about(Fault fault) const { return ok() ? *this : error(markedMessage(), std::move(fault)); }

private:
  struct Said {
    std::string message, marked;
    Fault fault;
  };

  static std::string withoutMarks(const std::string &marked) {
    std::string text;
    bool isInside = false;
    for (char c : marked)
      if (c == kFlagMark) {
        text += isInside ? "" : "--";
        isInside = !isInside;
      } else if (c != kSettingMark) {
        text += c;
      }
    return text;
  }

  std::shared_ptr<const Said> said;
};

/// An error whose message is all parts written one after another.
template <typename... Parts> Status makeError(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return Status::error(text.str());
}

/// An error of a setting of the compiler: "NAME=VALUE: why".
template <typename Value, typename... Parts>
Status settingError(std::string_view name, const Value &value, const Parts &...why) {
  std::ostringstream text;
  Fault fault;
  fault.code = FaultCode::SettingValue;
  fault.name = name;
  text << value;
  fault.value = text.str();
  text.str({});
  (text << ... << why);
  fault.detail = text.str();
  return makeError(SettingName{name}, "=", fault.value, ": ", fault.detail).about(fault);
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
