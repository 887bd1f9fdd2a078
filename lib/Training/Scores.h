// Averages over rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_SCORES_H
#define MP_LIB_TRAINING_SCORES_H

#include "mp/Runtime/Core/ProgramRunner.h"
#include "mp/Training/Trainer.h"

#include <map>

namespace mp {

/// Adds up losses and metrics of batches, weighted by their rows.
class Scores {
public:
  explicit Scores(const executable::VariantT &variant);

  /// Reads loss and metrics of the last run of a slot, of which the first `rows` rows count, and
  /// adds them; returns the batch's own averages.
  ErrorOr<std::vector<Score>> add(ProgramRunner &runner, unsigned slot, uint64_t rows);

  /// Averages so far; 0 before any.
  std::vector<Score> averages() const;

  uint64_t rows() const { return rowCount; }

  /// The sums that the averages are made of, by key: "loss", "metric:accuracy".
  std::map<std::string, double> sums() const;

  /// Goes on from the sums over `rows` rows; fails where one is missing.
  Status restore(const std::map<std::string, double> &sums, uint64_t rows);

  void clear();

private:
  struct Column {
    size_t result; // index in the variant's results
    std::string name;
    std::string key; // a metric may be called loss, too
    bool perRow;
    double sum = 0;
  };
  std::vector<Column> columns;
  uint64_t rowCount = 0;
};

} // namespace mp

#endif // MP_LIB_TRAINING_SCORES_H
