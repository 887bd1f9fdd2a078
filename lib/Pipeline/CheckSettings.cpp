// Settings that cannot be had.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include "mp/Analysis/Tuning.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/IR/InputText.h"
#include "mp/Transforms/Options.h"

#include "Pipeline/Targets.h"

using llvm::StringRef;

namespace mp {

// Settings without effect

static bool isDynamic(const CompileOptions &options) {
  return options.lossScaling.mode == LossScalingMode::Dynamic || options.lossScaling.mode == LossScalingMode::Auto;
}

/// The first target of `options` that `is` holds for, or null; of known targets.
static const Target *firstTarget(const CompileOptions &options, llvm::function_ref<bool(const Target &)> is) {
  for (StringRef name : llvm::concat<const std::string>(llvm::ArrayRef(options.target), options.otherTargets))
    if (const Target *target = findTarget(name); target && is(*target))
      return target;
  return nullptr;
}

static bool isForGPU(const CompileOptions &options) {
  return firstTarget(options, [](const Target &target) { return target.isGPU(); });
}

static bool isForNoGPU(const CompileOptions &options) { return !isForGPU(options); }

static bool reportsAccesses(const CompileOptions &options) {
  return firstTarget(options, [](const Target &target) { return target.reportsAccesses(); });
}

static bool hasTiles(const CompileOptions &options) {
  return options.cpus.size() == 1 && findCPULevel(options.cpus.front())->tilesBF16 && hostLevel().vectorBits >= 256;
}

static bool multipliesParts(const CompileOptions &options) {
  return llvm::any_of(options.cpus, [](const std::string &name) { return findCPULevel(name)->tilesBF16; });
}

template <OptimizerKind... kinds> static bool isOneOf(const CompileOptions &options) {
  return ((options.optimizer.kind == kinds) || ...);
}
template <OptimizerKind... kinds> static bool isNoneOf(const CompileOptions &options) {
  return !isOneOf<kinds...>(options);
}
static bool isChecked(const CompileOptions &options) { return !options.lossScaling.noFiniteCheck; }

namespace {
/// A setting that does nothing but where others say so.
struct Dependence {
  llvm::StringLiteral name;
  bool (*hasEffect)(const CompileOptions &options);
  llvm::StringLiteral needs;
};
} // namespace

/// What has no effect where no program trains.
static constexpr llvm::StringLiteral kOfTraining[] = {"optimizer",
                                                      "learning-rate",
                                                      "momentum",
                                                      "nesterov",
                                                      "beta1",
                                                      "beta2",
                                                      "epsilon",
                                                      "alpha",
                                                      "centered",
                                                      "learning-rate-decay",
                                                      "initial-accumulator-value",
                                                      "momentum-decay",
                                                      "weight-decay",
                                                      "clip-norm",
                                                      "clip-parameter-norm",
                                                      "clip-value",
                                                      "log-gradient-norm",
                                                      "accumulate",
                                                      "loss-scale",
                                                      "init-scale",
                                                      "growth-interval",
                                                      "growth-factor",
                                                      "backoff-factor",
                                                      "hysteresis",
                                                      "hysteresis-kind",
                                                      "floor",
                                                      "ceiling",
                                                      "raise-error-at-min-scale",
                                                      "no-finite-check",
                                                      "skip-limit"};

static constexpr llvm::StringLiteral kDynamic =
    "needs loss-scale=dynamic or auto; a scale that stays has only its number";
static constexpr llvm::StringLiteral kGPU = "needs target nvptx or simt (device cuda or simt)";
static constexpr llvm::StringLiteral kTiles =
    "needs a target whose level has tiles of bf16: cpu:amx-bf16 or cpu:amx-fp16";
using Kind = OptimizerKind;
static constexpr Dependence kDependences[] = {
    {"init-scale", isDynamic, kDynamic},
    {"growth-interval", isDynamic, kDynamic},
    {"growth-factor", isDynamic, kDynamic},
    {"backoff-factor", isDynamic, kDynamic},
    {"hysteresis", isDynamic, kDynamic},
    {"hysteresis-kind", isDynamic, kDynamic},
    {"floor", isDynamic, kDynamic},
    {"ceiling", isDynamic, kDynamic},
    {"raise-error-at-min-scale", isDynamic, kDynamic},
    {"skip-limit", isChecked, "needs the finite check, which no-finite-check leaves out"},
    {"momentum", isOneOf<Kind::SGD, Kind::RMSprop>, "is of sgd and rmsprop; Adam has beta1"},
    {"nesterov", isOneOf<Kind::SGD>, "is of sgd; its like of Adam is nadam"},
    {"beta1", isNoneOf<Kind::SGD, Kind::RMSprop, Kind::Adagrad>,
     "is of adam, adamw, nadam, lamb and lion; sgd and rmsprop have momentum"},
    {"beta2", isNoneOf<Kind::SGD, Kind::RMSprop, Kind::Adagrad>,
     "is of adam, adamw, nadam, lamb and lion; rmsprop has alpha"},
    {"epsilon", isNoneOf<Kind::SGD, Kind::Lion>, "is of optimizers that divide by a root: not sgd, not lion"},
    {"alpha", isOneOf<Kind::RMSprop>, "is of rmsprop; Adam has beta2"},
    {"centered", isOneOf<Kind::RMSprop>, "is of rmsprop"},
    {"learning-rate-decay", isOneOf<Kind::Adagrad>, "is of adagrad"},
    {"initial-accumulator-value", isOneOf<Kind::Adagrad>, "is of adagrad"},
    {"momentum-decay", isOneOf<Kind::NAdam>, "is of nadam"},
    {"chip", isForGPU, kGPU},
    {"allow-tf32", isForGPU, kGPU},
    {"allow-fp16-reduced-precision-reduction", isForGPU, kGPU},
    {"allow-bf16-reduced-precision-reduction", isForGPU, kGPU},
    {"allow-bf16x3", multipliesParts, kTiles},
    {"allow-bf16x6", multipliesParts, kTiles},
    {"allow-bf16x9", multipliesParts, kTiles},
    {"fallback", isForGPU, kGPU},
    {"emulate-tiles", hasTiles,
     "needs a target of one level, which has tiles: cpu:amx-bf16 or cpu:amx-fp16; and a machine with AVX2"},
    {"report-accesses", reportsAccesses, "needs target simt"},
    {"tuning", isForNoGPU, "is of CPUs; what ops take on a GPU is not modelled"},
};

/// Refuses what was given and would be ignored. What says that something is not so is true anyway.
static Status checkEffects(const CompileOptions &options) {
  for (const std::string &given : options.given) {
    auto [name, value] = StringRef(given).split('=');
    if (!options.training && llvm::is_contained(kOfTraining, name))
      return settingError(name.str(), value.str(), "needs training=true; without it there is no program that trains");
    const Dependence *known = llvm::find_if(kDependences, [&](const Dependence &row) { return row.name == name; });
    if (known != std::end(kDependences) && value != "false" && !known->hasEffect(options))
      return settingError(name.str(), value.str(), known->needs.str());
  }
  return Status::success();
}

// Values that do not go together

/// "target=nvptx: needs a chip", or of several "target=cpu,nvptx: nvptx needs a chip", as they were given.
static Status needsChip(const Target &target, const CompileOptions &options) {
  const std::string name = target.getName().str();
  const auto given = llvm::find_if(options.given, [](StringRef setting) { return setting.starts_with("target="); });
  const std::string needs = "needs a chip: chip=" + chipNames("|");
  if (options.otherTargets.empty() || given == options.given.end())
    return settingError("target", name, needs);
  return settingError("target", StringRef(*given).split('=').second.str(), name, " ", needs);
}

Status checkTargets(const CompileOptions &options) {
  for (const std::string &name : llvm::concat<const std::string>(llvm::ArrayRef(options.target), options.otherTargets))
    if (!findTarget(name))
      return settingError("target", name, "unknown target; expected ", targetNames([](auto &) { return true; }));
  auto makesText = [](const Target &target) { return target.makesText(); };
  auto lacksStage = [&](const Target &target) {
    return options.compileTo != Stage::Executable && options.compileTo > target.getLastPasses() && !makesText(target);
  };
  if (const Target *target = firstTarget(options, lacksStage))
    return settingError("target", target->getName().str(),
                        "the evaluator runs programs as the optimizer leaves them "
                        "and has no stage '",
                        stageName(options.compileTo).str(), "'; expected ", targetNames(makesText));
  const Target *forChip = firstTarget(options, [](const Target &target) { return target.isGPU(); });
  if (forChip && options.chips.empty())
    return needsChip(*forChip, options);
  return Status::success();
}

/// Figures that nothing would ask, and a file that the pass would refuse.
static Status checkTuning(const CompileOptions &options, bool byCost) {
  const std::string &path = options.autocast.tuning;
  if (path.empty())
    return Status::success();
  if (!byCost)
    return settingError("tuning", path, "needs policy=auto or rule=cost; other types do not depend on rates");
  return readTuning(path, machineOfTypes(options)).status();
}

/// The policy is read as the pass will read it.
static Status checkPolicy(const CompileOptions &all) {
  const AutocastPassOptions &options = all.autocast;
  ErrorOr<PrecisionPolicy> policy = loadPolicy(options);
  if (!policy)
    return policy.status();
  const bool byCost = policy->decidesByCost(options.rule);
  const auto [name, value] = policy->decidesByCost() ? std::pair("policy", "auto") : std::pair("rule", "cost");
  if (byCost && isForGPU(all))
    return settingError(name, value, "what ops take on a GPU is not modelled; name a policy, such as mixed_float16");
  if (byCost && all.cpus.size() > 1)
    return settingError(name, value, "other types may be the fastest on each of ", llvm::join(all.cpus, ", "),
                        "; name one level, or a policy, such as mixed_bfloat16");
  if (byCost && !all.specialize.otherBatches.empty())
    return settingError(name, value,
                        "other types may be the fastest for each batch; give one batch size, or a policy, such as "
                        "mixed_bfloat16");
  if (Status tuned = checkTuning(all, byCost && (policy->decidesByCost() || policy->lowType())); !tuned.ok())
    return tuned;
  if (options.planIn.empty())
    return Status::success();
  std::string error;
  return openInputText(options.planIn, &error) ? Status::success() : settingError("plan-in", options.planIn, error);
}

/// A product of f32 has one number of products of parts.
static Status checkParts(const CompileOptions &options) {
  const std::pair<const char *, bool> all[] = {{"allow-bf16x3", options.allowBF16x3},
                                               {"allow-bf16x6", options.allowBF16x6},
                                               {"allow-bf16x9", options.allowBF16x9}};
  const char *before = nullptr;
  for (auto [name, isAllowed] : all) {
    if (isAllowed && before)
      return settingError(name, "true", SettingName{before}, "=true is given, too; expected one of the two");
    if (isAllowed)
      before = name;
  }
  return Status::success();
}

Status checkSettings(const CompileOptions &options) {
  // The policy before the targets: of one that no GPU runs a chip is not asked for.
  for (const Status &status : {checkEffects(options), checkParts(options), checkPolicy(options), checkTargets(options),
                               checkOptions(options.lossScaling), checkOptions(options.optimizer)})
    if (!status.ok())
      return status;
  return Status::success();
}

} // namespace mp
