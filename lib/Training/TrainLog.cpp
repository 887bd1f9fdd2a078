// A JSON line per step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/TrainLog.h"
#include "mp/Runtime/Tensors/Files.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

using namespace mp;
using json = nlohmann::ordered_json;

/// The lines of an older log that belong to steps up to `last`.
static std::string linesUpTo(const std::string &path, uint64_t last) {
  // A pipe would be waited for, and a device has no lines that stay.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return "";
  std::ifstream old(path);
  std::string kept, line;
  while (std::getline(old, line)) {
    json value = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (value.is_object() && value.contains("step") && value["step"].is_number_unsigned() &&
        value["step"].get<uint64_t>() <= last)
      kept += line + "\n";
  }
  return kept;
}

Status TrainLog::open(const std::string &logPath, std::optional<uint64_t> resumedAt, const Run &run) {
  path = logPath;
  std::string kept = resumedAt ? linesUpTo(path, *resumedAt) : "";
  if (!kept.empty()) {
    std::span<const std::byte> chunks[] = {bytesOf(kept)};
    if (Status written = writeFileWhole(path, chunks); !written.ok())
      return written;
  }
  file.open(path, kept.empty() ? std::ios::trunc : std::ios::app);
  if (!file)
    return makeError("cannot write: ", std::strerror(errno)).in(path);
  if (kept.empty())
    unwritten = run;
  return Status::success();
}

/// A number, or null where JSON has none.
static json number(std::optional<double> value) { return value && std::isfinite(*value) ? json(*value) : json(); }

void TrainLog::step(const StepRecord &record) {
  if (!file.is_open())
    return;
  json line;
  line["step"] = record.step;
  line["epoch"] = record.epoch;
  line["loss"] = number(record.loss);
  line["loss_scale"] = number(record.lossScale);
  line["found_inf"] = record.bad >= 0;
  line["skipped"] = record.skipped;
  line["grad_norm"] = number(record.gradientNorm);
  line["samples_per_second"] = number(record.samplesPerSecond);
  if (record.bad >= 0)
    line["gradient"] = record.gradient;
  if (unwritten)
    line["run"] = {{"model", unwritten->model},       {"policy", unwritten->policy}, {"device", unwritten->device},
                   {"data", unwritten->data},         {"seed", unwritten->seed},     {"rows", unwritten->rows},
                   {"test_rows", unwritten->testRows}};
  unwritten.reset();
  file << line.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  if (record.kernels.empty())
    return;
  json kernels = {{"step", record.step}, {"epoch", record.epoch}};
  for (const KernelSeconds &time : record.kernels)
    kernels["kernels"].push_back({{"kernel", time.kernel}, {"microseconds", time.seconds * 1e6}});
  file << kernels.dump() << '\n';
}

void TrainLog::evaluation(uint64_t step, uint64_t epoch, const std::vector<Score> &scores) {
  if (!file.is_open())
    return;
  json line;
  line["step"] = step;
  line["epoch"] = epoch;
  for (const Score &score : scores)
    line["test_" + score.name] = number(score.value);
  file << line.dump() << '\n';
}

Status TrainLog::flush() {
  if (!file.is_open())
    return Status::success();
  file.flush();
  return file ? Status::success() : makeError("cannot write: ", std::strerror(errno)).in(path);
}
