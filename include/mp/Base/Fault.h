// What an error is about, for programs that tell it in their own words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_FAULT_H
#define MP_BASE_FAULT_H

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// The kind of an error. Numbers are those of MpFaultCode, and stay.
enum class FaultCode : int {
  Other = 0,
  UnknownOp = 1,
  OperandCount = 2,
  OperandType = 3,
  ElementTypesDiffer = 4,
  UnknownAttribute = 5,
  MissingAttribute = 6,
  AttributeKind = 7,
  UnknownWord = 8,
  MissingResultType = 9,
  OpenSpatialSize = 10,
  UnknownSetting = 11,
  SettingValue = 12,
  OtherPolicy = 13,
  HasCheckpoint = 14,
  WindowTooLarge = 15,
  Constraint = 16,
};

/// What is known of an error beside its text. Only what the code speaks of is set.
struct Fault {
  FaultCode code = FaultCode::Other;
  std::string op{};   // "mp.matmul"
  std::string name{}; // of an attribute or a setting
  std::string value{};
  std::string detail{}; // of a setting: what is wrong, without its name and value; of a checkpoint its folder
  int64_t operand = -1;
  int64_t other = -1;               // the operand that differs from it
  unsigned constraint = 0;          // its number in the description of the op, 0 where it is of none
  uint32_t elements = 0;            // element types that fit, a bit for each number of MpElementType
  std::vector<std::string> known{}; // the names or words that there are
  std::string file{};               // where the user wrote it, if that is known
  unsigned line = 0;
};

/// The name of a command-line flag in an error's text: programs write `--resume`, other callers of the C API what they
/// call it.
struct FlagName {
  std::string_view name;
};

/// The same for a setting of the compiler, which programs write without dashes.
struct SettingName {
  std::string_view name;
};

// Marks around names in texts that are not shown yet: record separators, which no message has.
inline constexpr char kFlagMark = '\x1e';
inline constexpr char kSettingMark = '\x1f';

inline std::ostream &operator<<(std::ostream &os, FlagName flag) { return os << kFlagMark << flag.name << kFlagMark; }
inline std::ostream &operator<<(std::ostream &os, SettingName setting) {
  return os << kSettingMark << setting.name << kSettingMark;
}

/// The name with its marks, for texts that are put together.
inline std::string marked(FlagName flag) { return kFlagMark + std::string(flag.name) + kFlagMark; }

} // namespace mp

#endif // MP_BASE_FAULT_H
