// mp-run compare.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFlags.h"
#include "StopSignals.h"
#include "Version.h"
#include "mp-run/Advice.h"
#include "mp-run/Commands.h"
#include "mp-run/CompareOps.h"
#include "mp-run/RunFlags.h"

#include "mp/Analysis/Place.h"
#include "mp/Base/Names.h"
#include "mp/Base/WholeFile.h"
#include "mp/Report/Comparison.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Training/Benchmark.h"
#include "mp/Training/Statistics.h"
#include "mp/Training/Trainer.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <iostream>
#include <limits>

namespace mp {

namespace {
struct CompareCommand {
  std::string model, variants, json;
  unsigned seeds = 1;
  std::optional<double> ops; ///< the tolerance of --ops
  TrainOptions options;
  CompileFlags flags;
};
} // namespace

/// The first accuracy of the test data; NaN where there are no such data, or the model has none.
static double accuracyOf(const TrainResult &result) {
  for (const Score &score : result.testScores)
    if (isAccuracy(score.name))
      return score.value;
  return std::numeric_limits<double>::quiet_NaN();
}

/// Adds one run's part of the means.
static void addRun(const TrainResult &result, unsigned seeds, VariantReport &report) {
  report.accuracies.push_back(accuracyOf(result));
  report.testAccuracy += report.accuracies.back() / seeds;
  report.finalLoss += TrainResult::find(result.trainScores, results::loss).value_or(0) / seeds;
  report.secondsPerStep += result.secondsPerStep / seeds;
  report.fastSeconds = std::fmin(report.fastSeconds, result.fastSeconds); // of NaN and a number the number
  report.slowSeconds = std::fmax(report.slowSeconds, result.slowSeconds);
  report.timedSteps += result.timedSteps;
  report.skippedSteps += static_cast<double>(result.skipped) / seeds;
  report.lossScale = result.lossScale.value_or(1);
  report.peakBytes = std::max(report.peakBytes, result.residentBytes);
  if (!report.losses.empty())
    return;
  for (const StepRecord &step : result.history) {
    report.losses.push_back(static_cast<float>(step.loss));
    report.lossScales.push_back(static_cast<float>(step.lossScale.value_or(1)));
    if (step.bad >= 0)
      report.skips.push_back({step.step, step.gradient});
  }
}

/// Which program a step's data go through.
static const char *dataProgram(const Session &session) {
  return session.hasProgram(programs::trainStep) ? programs::trainStep : programs::accumulate;
}

/// What the compiler says of the code that the session runs.
static void noteStatistics(Session &session, VariantReport &report) {
  ErrorOr<const executable::VariantT *> variant = session.select(dataProgram(session));
  check(variant.status());
  const auto &statistics = (*variant)->statistics;
  if (!statistics)
    return;
  report.casts = statistics->casts;
  for (const auto &row : statistics->ops_by_type)
    report.opsByType[row->type] = row->count;
}

/// What the device's memory holds, and the time of each kernel, of a session that has trained.
static void measureCosts(Session &session, VariantReport &report) {
  const char *program = dataProgram(session);
  ErrorOr<const executable::VariantT *> variant = session.select(program);
  check(variant.status());
  for (auto &[kind, bytes] : memoryByKind(session.table(), **variant, report.peakBytes))
    report.memory.push_back({kind, bytes});
  if (session.device().description().target == targets::reference) // which runs a program as a whole
    return;
  constexpr unsigned kWarmup = 1, kRepeat = 3;
  ErrorOr<std::unique_ptr<Benchmark>> benchmark = Benchmark::create(session, program, /*seed=*/0);
  check(benchmark.status());
  ErrorOr<std::vector<KernelTime>> kernels = timeKernels(**benchmark, kWarmup, kRepeat);
  if (!kernels) { // no step of random inputs updates
    std::cerr << "mp-run: " << report.policy << ": no times by kernel: " << kernels.message() << std::endl;
    return;
  }
  for (const KernelTime &kernel : *kernels)
    report.kernels.push_back({kernel.name, kernel.seconds});
}

/// What the compiler makes of the model: the type of each op, and the text behind each stage.
static void describeModel(const std::string &model, CompileOptions options, VariantReport &report) {
  withModel(model, "", [&](mlir::ModuleOp module) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
    mlir::FailureOr<PrecisionReport> explained = explainPrecision(*copy, options);
    if (failed(explained))
      return false;
    for (const ExplainedFunction &function : *explained)
      for (const ExplainedOp &op : function.ops)
        report.ops.push_back(
            {function.name, Place(op.location).text(), op.name, op.type, op.sums, op.category, op.reason});
    // The evaluator runs programs as the optimizer leaves them.
    options.compileTo = options.target == targets::reference ? Stage::Optimizer : Stage::Kernels;
    options.onStage = [&](llvm::StringRef stage, llvm::StringRef text) {
      report.stages.push_back({stage.str(), text.str()});
    };
    return succeeded(compile(module, options));
  });
}

/// The options of a variant: those of the flags, then its own.
static CompileOptions optionsOf(const CompareCommand &command, llvm::StringRef variant) {
  CompileOptions options = compileOptionsFor(command.model, command.flags, command.options);
  check(applyVariant(options, variant).in("--variants"));
  checkCompileOptions(options, "--variants: " + variant.str() + ": ");
  return options;
}

static void sayNotBegun(llvm::StringRef variant) {
  std::cerr << "mp-run: " << StopSignals::describe() << " before the first step of " << variant.str() << std::endl;
}

/// Compiles and trains a variant, and notes what all have in common; nothing where a signal stops it.
static std::optional<VariantReport> runVariant(const CompareCommand &command, llvm::StringRef variant,
                                               const CompileOptions &options, Comparison &comparison) {
  std::shared_ptr<const LoadedExecutable> file = loadOrCompile(command.model, options);
  if (StopSignals::isCaught()) {
    sayNotBegun(variant);
    return std::nullopt;
  }
  VariantReport report;
  report.testAccuracy = report.finalLoss = report.secondsPerStep = report.casts = 0; // means begin
  report.policy = variant.str();
  report.compiledPolicy = file->table.policy;
  comparison.model = file->table.model;
  report.isByCost = options.autocast.policy == "auto" || options.autocast.rule == DecisionRule::Cost;
  TrainOptions training = command.options;
  training.batchSize = options.specialize.batch;
  training.accumulate = options.optimizer.accumulate;
  training.learningRate = options.optimizer.learningRate; // the command's would go over the variant's
  for (unsigned seed = 0; seed < command.seeds; ++seed) {
    training.seed = command.options.seed + seed;
    if (!training.quiet)
      std::cerr << variant.str() << (command.seeds > 1 ? ", seed " + std::to_string(training.seed) : "") << '\n';
    std::unique_ptr<Session> session = createSession(file, training.device, deviceOptionsOf(training));
    training.shouldStop = StopSignals::isCaught;
    ErrorOr<TrainResult> result = train(*session, training);
    check(result.status().in(variant.str()));
    if (result->stopped) {
      std::cerr << "mp-run: " << StopSignals::describe(*result) << " of " << variant.str() << std::endl;
      return std::nullopt;
    }
    addRun(*result, command.seeds, report);
    comparison.rows = result->rows;
    comparison.testRows = result->testRows;
    if (seed == 0)
      noteStatistics(*session, report);
    if (!command.json.empty() && seed == 0)
      measureCosts(*session, report);
  }
  if (!command.json.empty() && command.model != "-") // which is read once
    describeModel(command.model, options, report);
  return report;
}

/// Those of the variants that were finished before a signal.
static Comparison runVariants(const CompareCommand &command, llvm::ArrayRef<llvm::StringRef> variants,
                              llvm::ArrayRef<CompileOptions> options) {
  StopSignals signals; // while a variant is compiled, too: it would take those before along
  Comparison comparison;
  comparison.device = command.options.device;
  comparison.commit = kCommit;
  comparison.data = command.options.data;
  comparison.seed = command.options.seed;
  std::vector<VariantReport> &reports = comparison.variants;
  for (auto [variant, own] : llvm::zip_equal(variants, options)) {
    if (StopSignals::isCaught()) { // at the very end of the one before
      sayNotBegun(variant);
      break;
    }
    std::optional<VariantReport> report = runVariant(command, variant, own, comparison);
    if (!report)
      break;
    reports.push_back(std::move(*report));
  }
  compareSpeed(reports);
  nameVariants(reports);
  return comparison;
}

static constexpr llvm::StringLiteral kVariants = "float32,mixed_float16,mixed_bfloat16";

/// What is compared where nothing is named: what ops take is modelled of one level of a CPU.
static std::string defaultVariants(const CompareCommand &command) {
  const bool isModelled = command.options.device == "cpu" &&
                          compileOptionsFor(command.model, command.flags, command.options).cpus.size() <= 1;
  return kVariants.str() + (isModelled ? ",auto" : "");
}

/// The variants of a command, once its flags are found to make sense.
static llvm::SmallVector<llvm::StringRef> checkCommand(const CompareCommand &command) {
  check(checkTrainOptions(command.options));
  if (isExecutable(command.model))
    fail("compare compiles a model for each variant, but " + command.model + " is compiled already");
  llvm::SmallVector<llvm::StringRef> variants;
  llvm::StringRef(command.variants).split(variants, ',', -1, /*KeepEmpty=*/false);
  if (variants.empty())
    fail("--variants: expected policies separated by commas, such as float32,mixed_float16");
  if (command.seeds == 0)
    fail("--seeds: expected at least 1");
  if (!command.options.checkpoint.empty() || command.options.resume)
    fail("compare does not keep checkpoints; use train with --checkpoint");
  if (!command.options.log.empty() && variants.size() * command.seeds > 1)
    fail("--log=" + command.options.log + ": one run's log would replace another's; train one variant for a log of it");
  if (!command.json.empty())
    check(checkFolderOf(command.json).in("--json"));
  if (command.ops && variants.size() < 2)
    fail("--ops compares variants with the first, and --variants names one");
  if (command.ops && command.model == "-")
    fail("--ops reads the model again; give a file instead of -");
  for (const auto &[name, value] : command.flags.given)
    if (name == "policy")
      fail("--policy=" + value + ": compare takes policies by --variants=" + value);
  for (const auto &[name, value] : command.flags.given)
    if (name == "plan-out" && variants.size() > 1)
      fail("--plan-out=" + value + ": one variant's plan would replace another's; give it to a variant, as in " +
           variants.front().str() + ":plan-out=F");
  return variants;
}

/// Refuses what a policy refuses of the model.
static void checkPolicies(const CompareCommand &command, llvm::ArrayRef<llvm::StringRef> variants,
                          llvm::ArrayRef<CompileOptions> options) {
  if (variants.size() < 2 || command.model == "-") // which is read once
    return;
  withModel(command.model, "", [&](mlir::ModuleOp module) {
    for (auto [variant, own] : llvm::zip_equal(variants, options)) {
      mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
      CompileOptions typed = own;
      typed.compileTo = Stage::Autocast;
      if (succeeded(compile(*copy, typed)))
        continue;
      std::cerr << "mp-run: error: --variants: " << variant.str() << " does not compile" << std::endl;
      return false;
    }
    return true;
  });
}

static void run(CompareCommand command) {
  if (command.variants.empty())
    command.variants = defaultVariants(command);
  llvm::SmallVector<llvm::StringRef> variants = checkCommand(command);
  // What is wrong with a variant is said before another has trained.
  std::vector<CompileOptions> options;
  for (llvm::StringRef variant : variants)
    options.push_back(optionsOf(command, variant));
  checkPolicies(command, variants, options);
  if (command.ops) {
    std::vector<NamedOptions> named;
    for (auto [variant, own] : llvm::zip_equal(variants, options))
      named.push_back({variant.str(), own});
    compareOpsOf(command.model, named, command.options, *command.ops, command.json);
    return;
  }
  const Comparison comparison = runVariants(command, variants, options);
  const std::vector<VariantReport> &reports = comparison.variants;
  bool isStopped = reports.size() < variants.size();
  const bool isJson = command.json == "-"; // and nothing else
  if (!isJson)
    printReport(std::cout, reports);
  if (isStopped) {
    std::cerr << "mp-run: " << reports.size() << " of " << variants.size() << " variants are compared"
              << (command.json.empty() ? "" : "; " + command.json + " is not written") << std::endl;
    throw CLI::RuntimeError(StopSignals::exitStatus());
  }
  const std::string json = writeJson(comparison);
  if (isJson) {
    std::cout << json;
    return;
  }
  printSummary(std::cout, comparison);
  printAdvice(std::cout, command.model, chooseVariant(comparison.variants), command.flags, command.options);
  if (!command.json.empty())
    check(writeWholeFile(command.json, json));
}

void addCompareCommand(CLI::App &app) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App *verb = app.add_subcommand("compare", "train a model under several policies and compare them");
  verb->add_option("model", command->model, "the model's .mlir file")->required();
  verb->add_option("--variants", command->variants,
                   "policies separated by commas, each with settings as in mixed_float16:batch-size=256; speed is "
                   "compared with the first (default " +
                       kVariants.str() + ", on a CPU auto, too)")
      ->type_name("LIST");
  verb->add_option("--seeds", command->seeds,
                   "runs of each variant, with seeds from --seed on; means are shown (default 1)")
      ->type_name("N");
  verb->add_option_function<std::string>(
          "--ops",
          [command](const std::string &text) {
            double tolerance = kDefaultOpTolerance;
            if (!text.empty() && (!llvm::to_float(text, tolerance) || !(tolerance >= 0)))
              throw CLI::ValidationError("--ops=" + text + ": expected a number of at least 0");
            command->ops = tolerance;
          },
          "instead of training say which op of the first step is the first whose result is farther from the first "
          "variant's than TOLERANCE times that one's largest value (default 0.05), and which differ most")
      ->expected(0, 1)
      ->type_name("[TOLERANCE]");
  verb->add_option("--json", command->json,
                   "where all of it goes as JSON, for mp-run report; - for standard output (default: nowhere)")
      ->type_name("FILE");
  addTrainFlags(*verb, command->options);
  addCompileFlags(*verb, command->flags);
  verb->callback([command] { run(*command); });
}

} // namespace mp
