// mp-run explain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"
#include "mp-run/TextTable.h"

#include "mp/Analysis/Place.h"
#include "mp/Analysis/PrecisionJson.h"
#include "mp/Base/WholeFile.h"
#include "mp/Pipeline/Settings.h"
#include "mp/Runtime/Tensors/Files.h"

#include "mlir/IR/BuiltinOps.h"

#include <iostream>

using namespace mlir;

namespace mp {

namespace {
struct ExplainCommand {
  std::string model, json;
  CompileFlags flags;
};
} // namespace

static void printFunction(std::ostream &os, const ExplainedFunction &function) {
  const PrecisionSummary &summary = function.summary;
  os << '@' << function.name << ": " << function.ops.size() << " ops";
  for (auto [type, count] :
       {std::pair{"f16", summary.f16}, {"bf16", summary.bf16}, {"f32", summary.f32}, {"f64", summary.f64}})
    if (count != 0)
      os << ", " << count << " in " << type;
  os << "; " << summary.casts << " casts\n";
  Rows ops = {{"place", "op", "type", "sums", "why"}};
  for (const ExplainedOp &op : function.ops)
    ops.push_back({Place(op.location).text(), op.name, op.type, op.sums, op.reason});
  printTable(os, ops);
  if (!function.rowsMeet.empty()) {
    os << '\n';
    Rows rows = {{"rows of the batch meet", "in", "a batch may be filled up"}};
    for (const ExplainedRows &op : function.rowsMeet)
      rows.push_back({Place(op.location).text(), op.name == "func.func" ? "the model, made for one batch" : op.name,
                      op.isWeighed ? "by weights of rows" : "no"});
    printTable(os, rows);
  }
  if (function.parameters.empty())
    return;
  os << '\n';
  Rows parameters = {{"parameter", "shape", "stored", "computed"}};
  for (const ExplainedParameter &parameter : function.parameters)
    parameters.push_back({parameter.name, parameter.shape, parameter.stored, parameter.computed});
  printTable(os, parameters);
}

static void run(const ExplainCommand &command) {
  CompileOptions options;
  command.flags.apply(command.model, options);
  if (isExecutable(command.model))
    fail(command.model + " is compiled already: its ops have become kernels; explain takes the model");
  checkCompileOptions(options);
  if (!command.json.empty())
    check(checkFolderOf(command.json).in("--json"));
  withModel(command.model, "", [&](ModuleOp module) {
    FailureOr<PrecisionReport> report = explainPrecision(module, options);
    if (failed(report))
      return false;
    const std::string text = precisionJson(options.autocast.policy, *report);
    if (command.json == "-") {
      std::cout << text;
      return true;
    }
    for (const ExplainedFunction &function : *report) {
      if (&function != &report->front())
        std::cout << '\n';
      printFunction(std::cout, function);
    }
    if (!command.json.empty())
      check(writeWholeFile(command.json, text));
    return true;
  });
}

void addExplainCommand(CLI::App &app) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App *verb = app.add_subcommand(
      "explain",
      "say which type each op and parameter of a model computes in, and why, and where rows of the batch meet");
  verb->add_option("model", command->model, "the model's .mlir file, - for standard input")->required();
  verb->add_option("--json", command->json, "write the same as JSON, - to standard output alone (default: none)")
      ->type_name("FILE");
  addCompileFlags(*verb, command->flags);
  verb->callback([command] { run(*command); });
}

} // namespace mp
