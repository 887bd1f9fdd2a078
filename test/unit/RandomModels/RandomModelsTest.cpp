// Whole models at random, on every device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HALFSTEP_MODELS=N checks model N alone.

#include "RandomModels/Check.h"
#include "RandomModels/Generator.h"
#include "RandomModels/Reduce.h"

#include "mp/Hardware/ChipTable.h"
#include "mp/IR/MP.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace mp;

namespace {

bool usesBF16(const RandomModel &model) {
  return model.text().find("bf16") != std::string::npos || model.flags().find("bf") != std::string::npos;
}

/// The CPU, and for most models one of the chips.
std::vector<Machine> machinesFor(const RandomModel &model, uint64_t seed) {
  std::vector<Machine> machines = {{"cpu", ""}};
  const Chip &chip = allChips()[seed % allChips().size()];
  if (seed % 3 == 1) // the CPU alone, which costs less
    return machines;
  if (!usesBF16(model) || chip.has(ChipFeature::BF16))
    machines.push_back({"simt", std::string(chip.name)});
  return machines;
}

/// Makes the model smaller while it is wrong in the same way, and says how to see it.
std::string explain(const RandomModel &model, const std::vector<Machine> &machines, const Finding &finding,
                    uint64_t seed) {
  static constexpr unsigned kAttempts = 300;
  Finding last = finding;
  const RandomModel small = reduceModel(
      model,
      [&](const RandomModel &smaller) {
        Seen seen;
        std::optional<Finding> other = checkModel(smaller, machines, seen);
        if (!other || other->kind != finding.kind)
          return false;
        last = *other;
        return true;
      },
      kAttempts);
  std::string text = "model " + std::to_string(seed) + ": " + last.text + "\nmp-run compile model.mlir" + small.flags();
  for (const Machine &machine : machines)
    if (last.text.starts_with(machine.target))
      text += " --target=" + machine.target + (machine.chip.empty() ? "" : " --chip=" + machine.chip);
  return text + (small.probesAll ? " # and every value of the step returned" : "") + "\n" + small.text();
}

} // namespace

TEST(RandomModels, everyDeviceComputesThem) {
  const char *one = std::getenv("HALFSTEP_MODELS");
  const uint64_t first = one ? std::strtoull(one, nullptr, 10) : 0;
  const uint64_t count = one ? 1 : std::getenv("HALFSTEP_LONG") ? 5000 : modelsWithEveryOp();
  Seen seen;
  std::set<std::string> chips;
  unsigned wrong = 0;
  for (uint64_t seed = first; seed < first + count && wrong < 5; ++seed) {
    const RandomModel model = generateModel(seed);
    const std::vector<Machine> machines = machinesFor(model, seed);
    chips.insert(machines.back().chip);
    if (std::optional<Finding> finding = checkModel(model, machines, seen)) {
      ++wrong;
      ADD_FAILURE() << explain(model, machines, *finding, seed);
    }
  }
  if (one || wrong != 0)
    return;
  for (const Chip &chip : allChips())
    EXPECT_TRUE(chips.contains(std::string(chip.name))) << chip.name << " runs no model";
  EXPECT_GE(seen.skipped, count / 4) << "of " << seen.steps << " steps";
  for (const std::vector<std::string> &ops : {writtenOps(), derivedOps()})
    for (const std::string &op : ops)
      EXPECT_TRUE(seen.ops.contains(op)) << op << " is in no model";
}

TEST(RandomModels, everyOpHasARow) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  std::vector<std::string> known = writtenOps();
  for (const std::vector<std::string> &ops : {derivedOps(), opsOfLargerModels()})
    known.insert(known.end(), ops.begin(), ops.end());
  size_t found = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != MPDialect::getDialectNamespace())
      continue;
    ++found;
    EXPECT_NE(std::ranges::find(known, name.getStringRef().str()), known.end())
        << name.getStringRef().str() << " has no row in test/unit/RandomModels/Generator.cpp";
  }
  EXPECT_NE(found, 0u);
}
