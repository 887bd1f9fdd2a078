// The rates of a level as a machine was measured to have them, in a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `mp-run tune` writes such a file, `tuning=FILE` reads it: docs/autocast.md has the format.

#ifndef MP_ANALYSIS_TUNING_H
#define MP_ANALYSIS_TUNING_H

#include "mp/Base/Status.h"
#include "mp/Hardware/CPULevels.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mp {

/// One figure of a level's row that types by cost depend on. The file says all of them.
struct TuningFigure {
  llvm::StringLiteral field; ///< with its unit: "memory_bytes_per_second"
  llvm::StringLiteral type;  ///< of the figures of a field with one for each type: "bf16"; empty where there is one
  double least, most;        ///< what a machine may have
  bool isWhole;
  double (*get)(const CPURates &rates);
  void (*set)(CPURates &rates, double value);

  /// "contraction_operations_per_second.bf16", "launch_seconds".
  std::string name() const;
};

/// Every figure, in the order of the file. Those of a field follow each other.
llvm::ArrayRef<TuningFigure> tuningFigures();

/// A level with measured figures.
struct Tuning {
  /// The row of the table with the file's figures in the place of its own.
  CPULevel level;
  /// What was measured, for people.
  std::string processor;
  /// Of the file's bytes, as hexadecimal digits.
  std::string hash;
};

/// Reads the text of a file, which is untrusted: every figure is there and within its bounds, and nothing else is. The
/// message starts with the place in the text, a line or a field.
ErrorOr<Tuning> parseTuning(llvm::StringRef text);

/// Reads a file of at most kMostTuningBytes for code of the level called `level`; one of another level is an error. The
/// message starts with "tuning=PATH: ", or "tuning: PATH: " where it cannot be read.
ErrorOr<Tuning> readTuning(const std::string &path, llvm::StringRef level);

/// The text of a file, with four digits of each figure that is not whole.
std::string printTuning(const CPULevel &level, llvm::StringRef processor);

inline constexpr size_t kMostTuningBytes = 16384;

} // namespace mp

#endif // MP_ANALYSIS_TUNING_H
