// How values of settings are read and shown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of the table of settings is made by what its value is:
//
//   number<&CompileOptions::optimizer, &OptimizerPassOptions::momentum>("momentum", "M", "of sgd")

#ifndef MP_LIB_PIPELINE_SETTINGROWS_H
#define MP_LIB_PIPELINE_SETTINGROWS_H

#include "mp/Analysis/Policy.h"
#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

namespace mp {

/// An integer of at least `least`.
Status readInteger(llvm::StringRef text, int64_t least, int64_t &value);

/// A number, or a power of two as 2^24.
Status readNumber(llvm::StringRef text, double &value);

/// A number as `readNumber` takes it.
std::string showNumber(double value);

/// Entries between commas, or "none".
std::string showList(llvm::ArrayRef<std::string> list);

/// One of the values that a setting may have.
template <typename Value> struct Choice {
  llvm::StringLiteral name;
  Value value;
};

/// The value of the choice called `text`.
template <typename Value, size_t count>
Status choose(llvm::StringRef text, const Choice<Value> (&choices)[count], Value &value) {
  for (const Choice<Value> &choice : choices)
    if (choice.name == text) {
      value = choice.value;
      return Status::success();
    }
  auto names = llvm::map_range(choices, [](const Choice<Value> &choice) { return choice.name.str(); });
  return makeError("expected one of ", llvm::join(names, ", "), ", found '", text.str(), "'");
}

/// The name of the choice with that value.
template <typename Value, size_t count> std::string nameOf(Value value, const Choice<Value> (&choices)[count]) {
  const auto *found = llvm::find_if(choices, [&](const Choice<Value> &choice) { return choice.value == value; });
  return found == std::end(choices) ? "none" : found->name.str();
}

inline constexpr Choice<bool> kBooleans[] = {{"true", true}, {"false", false}};

/// A number that is `member` of a pass's options.
template <auto part, auto member>
constexpr Setting number(llvm::StringLiteral name, llvm::StringLiteral value, llvm::StringLiteral help) {
  return {name, value, help,
          [](CompileOptions &o, llvm::StringRef text) {
            double number;
            Status status = readNumber(text, number);
            if (status.ok())
              o.*part.*member = static_cast<std::remove_reference_t<decltype(o.*part.*member)>>(number);
            return status;
          },
          [](const CompileOptions &o) { return showNumber(o.*part.*member); }};
}

/// One whose default is the kind of optimizer's to say.
template <auto part, auto member>
constexpr Setting numberOfKind(llvm::StringLiteral name, llvm::StringLiteral value, llvm::StringLiteral help) {
  Setting setting = number<part, member>(name, value, help);
  setting.get = [](const CompileOptions &o) {
    return std::isnan(o.*part.*member) ? std::string("the optimizer's") : showNumber(o.*part.*member);
  };
  return setting;
}

/// The same of an integer, which is at least `least`.
template <auto part, auto member, int64_t least>
constexpr Setting integer(llvm::StringLiteral name, llvm::StringLiteral help) {
  return {name, "N", help,
          [](CompileOptions &o, llvm::StringRef text) {
            int64_t number;
            Status status = readInteger(text, least, number);
            if (status.ok() && number > std::numeric_limits<std::remove_reference_t<decltype(o.*part.*member)>>::max())
              return makeError("'", text.str(), "' is too large");
            if (status.ok())
              o.*part.*member = number;
            return status;
          },
          [](const CompileOptions &o) { return std::to_string(o.*part.*member); }};
}

/// Whether something is so.
template <auto part, auto member> constexpr Setting boolean(llvm::StringLiteral name, llvm::StringLiteral help) {
  return {name, "BOOL", help,
          [](CompileOptions &o, llvm::StringRef text) { return choose(text, kBooleans, o.*part.*member); },
          [](const CompileOptions &o) { return nameOf(o.*part.*member, kBooleans); }};
}

/// The same of an option that is no pass's.
template <auto member> constexpr Setting boolean(llvm::StringLiteral name, llvm::StringLiteral help) {
  return {name, "BOOL", help,
          [](CompileOptions &o, llvm::StringRef text) { return choose(text, kBooleans, o.*member); },
          [](const CompileOptions &o) { return nameOf(o.*member, kBooleans); }};
}

/// One whose default is another setting's to say.
template <auto member> constexpr Setting optionalBoolean(llvm::StringLiteral name, llvm::StringLiteral help) {
  return {name, "BOOL", help,
          [](CompileOptions &o, llvm::StringRef text) { return choose(text, kBooleans, (o.*member).emplace()); },
          [](const CompileOptions &o) {
            return o.*member ? nameOf(*(o.*member), kBooleans) : std::string("whether the policy is pytorch");
          }};
}

/// Entries of a list of ops.
template <auto member> constexpr Setting ops(llvm::StringLiteral name, llvm::StringLiteral help) {
  return {name, "OPS", help,
          [](CompileOptions &o, llvm::StringRef text) {
            llvm::SmallVector<llvm::StringRef> entries = splitEntries(text);
            llvm::erase_if(entries, [](llvm::StringRef entry) { return entry.empty(); });
            if (entries.empty())
              return makeError("expected ops, as in mp.add,mp.mul");
            for (llvm::StringRef entry : entries)
              (o.autocast.*member).push_back(entry.str());
            return Status::success();
          },
          [](const CompileOptions &o) { return showList(o.autocast.*member); }};
}

/// A text of mp-autocast, which reads it.
template <auto member>
constexpr Setting text(llvm::StringLiteral name, llvm::StringLiteral value, llvm::StringLiteral help) {
  return {name, value, help,
          [](CompileOptions &o, llvm::StringRef text) {
            o.autocast.*member = text.str();
            return text.empty() ? makeError("expected a value") : Status::success();
          },
          [](const CompileOptions &o) { return (o.autocast.*member).empty() ? "none" : o.autocast.*member; }};
}

} // namespace mp

#endif // MP_LIB_PIPELINE_SETTINGROWS_H
