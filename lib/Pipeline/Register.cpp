// The stage table as pipelines of mp-opt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

#include "mp/Pipeline/Settings.h"

#include <deque>

using namespace mlir;

namespace mp {

namespace {
/// `compile-to` and every compile setting, as text; the settings' own table reads and checks them.
struct TableOptions : PassPipelineOptions<TableOptions> {
  TableOptions() {
    for (const Setting &setting : settings())
      given.push_back(std::make_unique<Option<std::string>>(*this, setting.name,
                                                            llvm::cl::desc(help.emplace_back(helpOf(setting)))));
  }

  Option<std::string> compileTo{*this, "compile-to", llvm::cl::desc("The last stage, at most kernels"),
                                llvm::cl::init("kernels")};
  std::vector<std::unique_ptr<Option<std::string>>> given;
  std::deque<std::string> help; // which the options refer to
};

/// The stages that make a model train, by the options of their passes; what stands in braces is the pass's to read.
struct TrainingOptions : PassPipelineOptions<TrainingOptions> {
  Option<int64_t> batch{*this, "batch", llvm::cl::desc("The number of rows; 0: every size is stated in the model"),
                        llvm::cl::init(0)};
  Option<bool> pad{*this, "pad", llvm::cl::desc("Weigh rows, so that a batch may hold rows that only fill it up"),
                   llvm::cl::init(false)};
  Option<std::string> policy{*this, "policy", llvm::cl::desc("The policy of mp-autocast"),
                             llvm::cl::init("mixed_float16")};
  Option<bool> cancelTransposes{*this, "cancel-transposes",
                                llvm::cl::desc("Take the order of dimensions that leaves the fewest transposes"),
                                llvm::cl::init(true)};
  Option<bool> derivedWeights{*this, "derived-weights",
                              llvm::cl::desc("Keep weights in the low type, too, so that no step casts them"),
                              llvm::cl::init(true)};
  Option<std::string> autocast{*this, "autocast", llvm::cl::desc("Further options of mp-autocast, in braces")};
  Option<std::string> lossScaling{*this, "loss-scaling", llvm::cl::desc("Options of mp-loss-scaling, in braces")};
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::desc("Options of mp-optimizer, in braces")};
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
      if (Status status = applySetting(options, setting.name, *value); !status.ok())
        return error(status.message());
  if (Status checked = checkSettings(options); !checked.ok())
    return error(checked.message());
  buildPipeline(manager, options);
  return success();
}

static LogicalResult parseTraining(OpPassManager &manager, StringRef text,
                                   llvm::function_ref<LogicalResult(const Twine &)> error) {
  TrainingOptions parsed;
  if (failed(parsed.parseFromString(text)))
    return failure();
  CompileOptions options;
  options.specialize = {parsed.batch, parsed.pad, /*otherBatches=*/{}};
  options.autocast.policy = parsed.policy;
  options.cancelTransposes = parsed.cancelTransposes;
  options.derivedWeights = parsed.derivedWeights;
  options.compileTo = Stage::Optimizer;
  size_t before = manager.size();
  buildPipeline(manager, options);
  // The stage table says which passes run; each reads its own braces.
  const llvm::StringMap<StringRef> braces = {{"mp-autocast", parsed.autocast.getValue()},
                                             {"mp-loss-scaling", parsed.lossScaling.getValue()},
                                             {"mp-optimizer", parsed.optimizer.getValue()}};
  for (Pass &pass : llvm::drop_begin(manager.getPasses(), before))
    if (auto given = braces.find(pass.getArgument());
        given != braces.end() && failed(pass.initializeOptions(given->second, error)))
      return failure();
  return success();
}

template <typename Options> static void showOptions(llvm::function_ref<void(const mlir::detail::PassOptions &)> show) {
  show(Options());
}

void registerPipelines() {
  registerPassPipeline("mp-pipeline", "the stages of mp-run compile, as far as they are passes", parsePipeline,
                       showOptions<TableOptions>);
  registerPassPipeline("mp-training", "from a model to the programs that train, evaluate and run it", parseTraining,
                       showOptions<TrainingOptions>);
}

} // namespace mp
