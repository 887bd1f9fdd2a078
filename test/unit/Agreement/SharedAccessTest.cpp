// What PTX reads and writes of shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM joins neighbouring accesses, and widens them: no access at a constant offset in shared memory ends beyond what
// its launch has. Read from the PTX itself, for the cases of every op and for the example's training step.

#include "Agreement/ProgramText.h"
#include "OpCases/CaseProgram.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace mp;
using namespace mp::executable;

namespace {

/// The end of the last access at a constant offset, by kernel; 0 for none.
std::map<std::string, uint64_t> lastAccesses(const std::string &ptx) {
  static const std::regex entry(R"(\.entry (\w+)\()"), base(R"(mov\.[bu]\d+\s+(%\w+), mp_shared;)"),
      moved(R"(add\.[su]\d+\s+(%\w+), (%\w+), (\d+);)"),
      access(R"((?:ld|st)\.shared(?:\.v(\d))?\.[a-z]+(\d+)\s+.*\[(\w+|%\w+)(?:\+(\d+))?\])");
  std::map<std::string, uint64_t> ends;
  std::map<std::string, uint64_t> offsets;
  std::string kernel, line;
  std::smatch found;
  for (std::istringstream lines(ptx); std::getline(lines, line);) {
    if (line.size() > 200) // data; an expression takes stack for each character
      continue;
    if (std::regex_search(line, found, entry)) {
      kernel = found[1];
      ends[kernel] = 0;
      offsets = {{"mp_shared", 0}};
    } else if (std::regex_search(line, found, base)) {
      offsets[found[1]] = 0;
    } else if (std::regex_search(line, found, moved) && offsets.contains(found[2])) {
      offsets[found[1]] = offsets[found[2]] + std::stoul(found[3]);
    } else if (line.find(".shared") != std::string::npos && std::regex_search(line, found, access) &&
               offsets.contains(found[3])) {
      const uint64_t lanes = found[1].matched ? std::stoul(found[1]) : 1;
      const uint64_t offset = found[4].matched ? std::stoul(found[4]) : 0;
      ends[kernel] = std::max(ends[kernel], offsets[found[3]] + offset + lanes * std::stoul(found[2]) / 8);
    }
  }
  return ends;
}

/// Compares what a model's kernels access with what their launches have. Gives how many kernels access a constant
/// offset.
unsigned checkAccesses(const std::string &text, const CompileOptions &options) {
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(text).load(options);
  EXPECT_TRUE(file.ok()) << file.message();
  if (!file)
    return 0;
  unsigned checked = 0;
  std::map<uint32_t, std::map<std::string, uint64_t>> read; // by blob
  for (const auto &program : (*file)->table.programs)
    for (const auto &command : program->variants.front()->commands) {
      const LaunchT *launch = command->what.AsLaunch();
      if (!launch)
        continue;
      std::span<const std::byte> code = (*file)->blob(launch->blob);
      if (!read.contains(launch->blob))
        read[launch->blob] = lastAccesses({reinterpret_cast<const char *>(code.data()), code.size()});
      const uint64_t end = read.at(launch->blob).at(launch->symbol);
      EXPECT_LE(end, launch->shared_bytes) << launch->kernel;
      checked += end != 0;
    }
  return checked;
}

/// Ops that only scheduling makes, of products.
const std::set<std::string> kMadeBySchedules = {"mp.matmul_parts", "mp.conv_filter_grad_parts", "mp.sum_row_blocks",
                                                "mp.row_block_moments", "mp.nonfinite_tiles"};

CompileOptions optionsFor(const std::string &chip) {
  CompileOptions options;
  options.target = "nvptx";
  options.chips = {chip};
  return options;
}

} // namespace

TEST(SharedAccess, OfEveryOpsCasesIsInside) {
  const std::vector<std::string> chips = {"sm_80", "sm_75", "sm_90"};
  const bool isLong = std::getenv("HALFSTEP_LONG") != nullptr;
  unsigned checked = 0;
  size_t nth = 0;
  for (const std::string &op : opsWithCases()) {
    if (kMadeBySchedules.contains(op))
      continue;
    for (ElementType element : {ElementType::F32, ElementType::F16}) {
      CaseProgram program;
      for (const OpCase *use : nativeCases(op))
        if ((use->isTyped() || element == ElementType::F32) && !usesBF16(*use, element) &&
            use->text.find("acc f16") == std::string::npos)
          program.add({use}, element);
      if (program.isEmpty())
        continue;
      ++nth;
      for (size_t chip = 0; chip < chips.size(); ++chip) {
        if (!isLong && chip != nth % chips.size())
          continue;
        SCOPED_TRACE(op + " on " + chips[chip]);
        CompileOptions options = optionsFor(chips[chip]);
        options.training = false;
        options.autocast.policy = "float32";
        checked += checkAccesses(program.text(), options);
      }
    }
  }
  EXPECT_GT(checked, 10u);
}

TEST(SharedAccess, OfATrainingStepIsInside) {
  std::ifstream file(MP_SOURCE_DIR "/examples/fashion_mnist_mlp.mlir");
  std::stringstream text;
  text << file.rdbuf();
  for (const char *chip : {"sm_75", "sm_80", "sm_90"}) {
    SCOPED_TRACE(chip);
    CompileOptions options = optionsFor(chip);
    options.specialize.batch = 8;
    EXPECT_GT(checkAccesses(text.str(), options), 0u);
  }
}
