// What a training run is, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/RunHeader.h"

#include "mp/Base/Names.h"
#include "mp/Base/Text.h"
#include "mp/Hardware/CPULevels.h"

#include <algorithm>

using namespace mp;
using namespace mp::executable;

static uint64_t parameterCount(const ExecutableT &table) {
  uint64_t count = 0;
  for (const auto &entry : table.state)
    if (entry->role == StateRole::Parameter)
      count += byteCount(*entry->type).value_or(0) / elementBytes(entry->type->element);
  return count;
}

/// "1,234,567".
static std::string groupDigits(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

/// What the code was made for: a level of CPU features, or a GPU's chip; empty for neither.
static std::string unitsOf(const VariantT &variant) {
  const TargetFormat &target = targetFormat(variant.target);
  if (target.isGPU)
    return variant.features.empty() ? "" : variant.features.front();
  if (target.runsText)
    return "";
  auto needs = [&](std::string_view feature) { return std::ranges::count(variant.features, feature) > 0; };
  return std::string(highestCPULevel(needs).name);
}

std::string mp::describeRun(Session &session, const VariantT &variant, uint64_t microBatches,
                            const Augmentation &augmentation) {
  const ExecutableT &table = session.table();
  std::string text = table.model.empty() ? "model" : table.model;
  text += ": " + groupDigits(parameterCount(table)) + " parameters, policy " + table.policy;
  if (const std::string *tuning = session.metadata(metadata::tuning))
    text += ", tuning " + printable(*tuning);
  text += ", batch ";
  text += microBatches > 1 ? std::to_string(microBatches) + " x " : "";
  text += std::to_string(variant.batch);
  if (augmentation.any())
    text += ", augment " + formatAugmentation(augmentation);

  const DeviceDescription &device = session.device().description();
  std::string uses = unitsOf(variant);
  uses += (uses.empty() ? "" : ", ") + std::to_string(device.units) + " " + device.unit;
  uses += device.units == 1 ? "" : "s";
  return text + "\ndevice " + device.name + " (" + uses + "): " + device.model;
}
