// The grid of matrix products as models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// write-gemm-grid OUT: for each instruction of each chip one model of all its products, OUT/NAME.mlir, whose schedules
// are given; OUT/grid.tsv has a line for each: name, chip, operand type, accumulator type, longest k.

#include "Contraction/GemmGrid.h"

#include "mp/Hardware/ChipTable.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>

using namespace mp::test;

namespace {

/// A program "infer" of products, each with inputs and results of its own.
struct Model {
  std::string chip, type, acc, arguments, body, values, types, results;
  int64_t longest = 1;

  void add(GemmProblem problem) {
    // As programs have it: parts of k are what the schedule says, and are added up.
    problem.depth = 0;
    const std::string name = "p" + std::to_string(count++);
    const GemmProblem::Ops ops = problem.operations(/*saysSchedule=*/true);
    const char *const inputs[] = {"x", "y", "w"};
    for (size_t i = 0; i < std::size(inputs); ++i)
      if (i < 2 || ops.body.find("%w") != std::string::npos)
        append(arguments, "%" + name + "_" + inputs[i] + ": " + ops.inputs[i] + " {mp.input = \"" + name + "_" +
                              inputs[i] + "\"}");
    body += renamed(ops.body, name);
    for (size_t i = 0; i < ops.values.size(); ++i) {
      const std::string result = name + (i ? "_wide" : "");
      append(values, renamed(ops.values[i], name));
      append(types, ops.types[i]);
      append(results, ops.types[i] + " {mp.output = \"" + result + "\"}");
    }
    longest = std::max(longest, problem.k);
  }

  std::string text() const {
    return "func.func @products(" + arguments + ") -> (" + results + ") attributes {mp.program = \"model\"} {\n" +
           body + "return " + values + " : " + types + "\n}\n";
  }

private:
  static void append(std::string &list, const std::string &item) { list += (list.empty() ? "" : ",\n") + item; }

  /// Values of one problem among those of others.
  static std::string renamed(std::string text, const std::string &name) {
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1))
      text.insert(at + 1, name + "_");
    return text;
  }

  unsigned count = 0;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write-gemm-grid OUT\n";
    return 2;
  }
  std::vector<GemmProblem> problems = gemmGrid(/*isLong=*/false);
  for (const std::vector<GemmProblem> &more : {gemmCorners(), everySchedule()})
    problems.insert(problems.end(), more.begin(), more.end());
  std::map<std::string, Model> models;
  for (const GemmProblem &problem : problems) {
    // Kernels of bf16 run there, but no program has them: bf16 would be slower than f32.
    if (problem.type == "bf16" && !mp::findChip(problem.chip)->has(mp::ChipFeature::BF16))
      continue;
    const bool isTF32 = problem.schedule.find("tf32") != std::string::npos;
    const std::string type = isTF32 ? "tf32" : problem.type, acc = problem.type == "f64" ? "f64" : problem.acc;
    Model &model = models["gemm-grid-" + problem.chip + "-" + type + (acc == "f16" ? "-acc-f16" : "")];
    model.chip = problem.chip, model.type = type, model.acc = acc;
    model.add(problem);
  }
  const std::string folder = argv[1];
  std::ofstream table(folder + "/grid.tsv");
  for (const auto &[name, model] : models) {
    std::ofstream(folder + "/" + name + ".mlir") << model.text();
    table << name << "\t" << model.chip << "\t" << model.type << "\t" << model.acc << "\t" << model.longest << "\n";
  }
  if (!table.flush()) {
    std::cerr << "write-gemm-grid: cannot write to " << folder << "\n";
    return 1;
  }
  return 0;
}
