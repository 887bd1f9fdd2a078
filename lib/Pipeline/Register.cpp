//===- Register.cpp - the stage table as a pipeline of mp-opt -----------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include "mp/Pipeline/Settings.h"

using namespace mlir;

namespace mp {

namespace {
/// `compile-to` and every compile setting, as text; the settings' own table reads and checks them.
struct TableOptions : PassPipelineOptions<TableOptions> {
  TableOptions() {
    for (const Setting &setting : settings())
      given.push_back(std::make_unique<Option<std::string>>(*this, setting.name, llvm::cl::desc(setting.help)));
  }

  Option<std::string> compileTo{*this, "compile-to", llvm::cl::desc("The last stage, at most kernels"),
                                llvm::cl::init("kernels")};
  std::vector<std::unique_ptr<Option<std::string>>> given;
};
} // namespace

static LogicalResult parsePipeline(OpPassManager &manager, StringRef text,
                                   llvm::function_ref<LogicalResult(const Twine &)> error) {
  TableOptions parsed;
  if (failed(parsed.parseFromString(text)))
    return failure();
  CompileOptions options;
  std::optional<Stage> stage = parseStage(parsed.compileTo);
  if (!stage || *stage > Stage::Kernels)
    return error("compile-to: mp-opt runs the stages up to " + stageName(Stage::Kernels) + ", found '" +
                 parsed.compileTo + "'; mp-run compile runs all: " + stageNames());
  options.compileTo = *stage;
  for (auto [setting, value] : llvm::zip_equal(settings(), parsed.given))
    if (value->getNumOccurrences() > 0 || !value->empty())
      if (Status status = setting.set(options, *value); !status.ok())
        return error(setting.name + ": " + status.message());
  buildPipeline(manager, options);
  return success();
}

void registerPipelines() {
  registerPassPipeline(
      "mp-pipeline", "the stages of mp-run compile, as far as they are passes", parsePipeline,
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> handle) { handle(TableOptions()); });
}

} // namespace mp
