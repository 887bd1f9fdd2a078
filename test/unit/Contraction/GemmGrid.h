// Matrix products over all chips.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CONTRACTION_GEMMGRID_H
#define MP_TEST_CONTRACTION_GEMMGRID_H

#include "Contraction/GemmProblem.h"

namespace mp::test {

/// An instruction on a chip, and schedules for it: for each point of a grid another.
struct Generation {
  std::string chip, type;
  std::vector<std::string> schedules;
  std::string acc = "f32";
};

const std::vector<Generation> &generations();
const std::vector<Generation> &cpuGenerations(); ///< levels of CPU features instead of chips

/// Every generation with every order of its operands, over sizes; epilogues, prologues, batches and parts of k take
/// rotation.
std::vector<GemmProblem> gemmGrid(bool isLong);

/// The same of what multiplies on processors, and of sizes that streams need.
std::vector<GemmProblem> cpuGemmGrid(bool isLong);

/// Batches, sums over no k, patches of blocks at the edge, parts of k.
std::vector<GemmProblem> gemmCorners();

/// Every schedule, with whole rows and odd ones.
std::vector<GemmProblem> everySchedule();

} // namespace mp::test

#endif // MP_TEST_CONTRACTION_GEMMGRID_H
