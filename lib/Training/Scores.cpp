// Averages over rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Scores.h"

#include "mp/Base/Names.h"

using namespace mp;
using namespace mp::executable;

Scores::Scores(const VariantT &variant) {
  auto add = [&](ResultKind kind) {
    for (size_t i = 0; i < variant.results.size(); ++i)
      if (const ResultT &result = *variant.results[i]; result.kind == kind) {
        bool isLoss = kind == ResultKind::Loss;
        columns.push_back({i, isLoss ? results::loss : result.name, isLoss ? results::loss : "metric:" + result.name,
                           result.batched});
      }
  };
  add(ResultKind::Loss);
  add(ResultKind::Metric);
}

/// The mean over the elements of the first `rows` of `batch` rows, or over all.
static double meanOf(const HostTensor &tensor, bool perRow, uint64_t rows) {
  uint64_t count = tensor.count();
  if (perRow)
    count = count / static_cast<uint64_t>(tensor.type.shape[0]) * rows;
  double sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += elementAt(tensor, i);
  return count ? sum / static_cast<double>(count) : 0;
}

ErrorOr<std::vector<Score>> Scores::add(ProgramRunner &runner, unsigned slot, uint64_t rows) {
  std::vector<Score> scores;
  for (Column &column : columns) {
    ErrorOr<HostTensor> value = runner.read(slot, column.result);
    if (!value)
      return value.status();
    double mean = meanOf(*value, column.perRow, rows);
    column.sum += mean * static_cast<double>(rows);
    scores.push_back({column.name, mean});
  }
  rowCount += rows;
  return scores;
}

std::vector<Score> Scores::averages() const {
  std::vector<Score> scores;
  for (const Column &column : columns)
    scores.push_back({column.name, rowCount ? column.sum / static_cast<double>(rowCount) : 0});
  return scores;
}

std::map<std::string, double> Scores::sums() const {
  std::map<std::string, double> sums;
  for (const Column &column : columns)
    sums[column.key] = column.sum;
  return sums;
}

Status Scores::restore(const std::map<std::string, double> &sums, uint64_t rows) {
  for (Column &column : columns) {
    auto found = sums.find(column.key);
    if (found == sums.end())
      return makeError("has no 'sum:", column.key, "' in its metadata");
    column.sum = found->second;
  }
  rowCount = rows;
  return Status::success();
}

void Scores::clear() {
  for (Column &column : columns)
    column.sum = 0;
  rowCount = 0;
}

std::optional<double> TrainResult::find(const std::vector<Score> &scores, std::string_view name) {
  for (const Score &score : scores)
    if (score.name == name)
      return score.value;
  return std::nullopt;
}
