// Compile options by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/SettingRows.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include "mp/Base/NearestName.h"
#include "mp/Base/Text.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/Pipeline/Target.h"

#include <cmath>
#include <sstream>

using llvm::StringRef;

namespace mp {

// Values

Status readInteger(StringRef text, int64_t least, int64_t &value) {
  if (text.getAsInteger(10, value) || value < least)
    return makeError("expected an integer of at least ", least, ", found '", text.str(), "'");
  return Status::success();
}

Status readNumber(StringRef text, double &value) {
  int64_t exponent;
  if (text.starts_with("2^") && !text.drop_front(2).getAsInteger(10, exponent) && std::abs(exponent) < 1000)
    value = std::ldexp(1.0, static_cast<int>(exponent));
  else if (text.getAsDouble(value) || std::isnan(value))
    return makeError("expected a number, found '", text.str(), "'");
  return Status::success();
}

std::string showNumber(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string showList(llvm::ArrayRef<std::string> list) { return list.empty() ? "none" : llvm::join(list, ","); }

/// Applies `key=value` settings.
static Status applyList(CompileOptions &options, llvm::ArrayRef<StringRef> list) {
  for (StringRef item : list) {
    auto [name, value] = item.split('=');
    if (name.size() == item.size())
      return makeError("expected a setting as name=value, found '", item.str(), "'");
    if (Status status = applySetting(options, name, value); !status.ok())
      return status;
  }
  return Status::success();
}

// Settings that are more than one value

static constexpr Choice<LossScalingMode> kModes[] = {
    {"auto", LossScalingMode::Auto},
    {"dynamic", LossScalingMode::Dynamic},
    {"none", LossScalingMode::None},
};

/// A mode or a number for a static scale, then settings of the scaler: `dynamic:init-scale=2^24,growth-interval=200`.
static Status setLossScale(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  auto [mode, rest] = text.split(':');
  double scale;
  if (readNumber(mode, scale).ok()) {
    if (!(scale > 0))
      return makeError("expected a loss scale greater than 0, found '", mode.str(), "'");
    options.lossScaling.mode = LossScalingMode::Static;
    options.lossScaling.initialScale = static_cast<float>(scale);
  } else if (Status status = choose(mode, kModes, options.lossScaling.mode); !status.ok()) {
    return makeError(status.message(), ", or a number for a static scale");
  }
  rest.split(parts, ',', -1, /*KeepEmpty=*/false);
  return applyList(options, parts);
}

static std::string showLossScale(const CompileOptions &options) {
  return options.lossScaling.mode == LossScalingMode::Static ? showNumber(options.lossScaling.initialScale)
                                                             : nameOf(options.lossScaling.mode, kModes);
}

static constexpr Choice<OptimizerKind> kOptimizers[] = {
    {"sgd", OptimizerKind::SGD},   {"rmsprop", OptimizerKind::RMSprop}, {"adagrad", OptimizerKind::Adagrad},
    {"adam", OptimizerKind::Adam}, {"adamw", OptimizerKind::AdamW},     {"nadam", OptimizerKind::NAdam},
    {"lamb", OptimizerKind::LAMB}, {"lion", OptimizerKind::Lion},
};

/// A kind, then its hyperparameters: `sgd:momentum=0.9,nesterov=true`.
static Status setOptimizer(CompileOptions &options, StringRef text) {
  auto [kind, rest] = text.split(':');
  if (Status status = choose(kind, kOptimizers, options.optimizer.kind); !status.ok())
    return status;
  llvm::SmallVector<StringRef> parts;
  rest.split(parts, ',', -1, /*KeepEmpty=*/false);
  return applyList(options, parts);
}

static constexpr Choice<HysteresisKind> kHysteresisKinds[] = {
    {"consecutive", HysteresisKind::consecutive},
    {"cumulative", HysteresisKind::cumulative},
};

/// The level of this machine, where levels are named.
static constexpr StringRef kNative = "native";

/// Reads one target, with the levels of CPU features where it says some: `cpu:avx2+avx512`.
static Status setTarget(CompileOptions &options, StringRef text, StringRef &name) {
  auto [target, levels] = text.split(':');
  if (!findTarget(target)) {
    auto names = llvm::map_range(allTargets(), [](const Target *known) { return known->getName(); });
    return makeError("expected one of ", llvm::join(names, ", "), ", found '", target.str(), "'");
  }
  name = target;
  if (target.size() == text.size())
    return Status::success();
  if (target != targets::cpu)
    return makeError("target ", target.str(), " has no levels; only cpu has, as in cpu:avx2");
  llvm::SmallVector<StringRef> parts;
  levels.split(parts, '+');
  const StringRef own = hostLevel().name;
  for (StringRef part : parts) {
    const StringRef level = part == kNative ? own : part;
    if (!findCPULevel(level))
      return makeError("unknown level of CPU features '", level.str(), "'; expected one of ", cpuLevelNames(), ", ",
                       kNative.str(), ", or several with '+' between them");
    // This machine's may be one of the others that are named.
    const bool isNamedTwice = llvm::count(parts, part) > 1;
    if (level == own && !isNamedTwice && llvm::is_contained(options.cpus, level))
      continue;
    if (llvm::is_contained(options.cpus, level))
      return makeError("level ", level.str(), " is given twice");
    options.cpus.push_back(level.str());
  }
  return Status::success();
}

static Status setTargets(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  std::vector<std::string> targets;
  options.cpus.clear();
  for (StringRef part : parts) {
    StringRef name;
    if (Status status = setTarget(options, part, name); !status.ok())
      return status;
    if (llvm::is_contained(targets, name))
      return makeError("target ", name.str(), " is given twice");
    targets.push_back(name.str());
  }
  options.target = targets.front();
  options.otherTargets.assign(targets.begin() + 1, targets.end());
  return Status::success();
}

static std::string showTargets(const CompileOptions &options) {
  auto show = [&](const std::string &target) {
    const bool hasLevels = target == targets::cpu && !options.cpus.empty();
    return hasLevels ? target + ":" + llvm::join(options.cpus, "+") : target;
  };
  std::string targets = show(options.target);
  for (const std::string &target : options.otherTargets)
    targets += "," + show(target);
  return targets;
}

static Status setChips(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  if (parts.empty())
    return makeError("expected chips, as in sm_80,sm_90");
  std::vector<std::string> chips;
  for (StringRef part : parts) {
    const Chip *chip = findChip(part);
    if (!chip)
      return makeError(explainUnknownChip(part));
    if (llvm::is_contained(chips, part.str()))
      continue;
    for (const std::string &other : chips)
      if (findChip(other)->name == chip->name)
        return makeError(other, " and ", part.str(), " run the same code, that for ", chip->name,
                         ", which an executable has once; name one of them");
    chips.push_back(part.str());
  }
  options.chips = std::move(chips);
  return Status::success();
}

static Status setBatches(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  llvm::SmallVector<int64_t> batches;
  for (StringRef part : parts) {
    int64_t batch;
    if (Status status = readInteger(part, 1, batch); !status.ok())
      return status;
    if (llvm::is_contained(batches, batch))
      return makeError("batch ", batch, " is given twice");
    batches.push_back(batch);
  }
  options.specialize.batch = batches.front();
  options.specialize.otherBatches.assign(batches.begin() + 1, batches.end());
  return Status::success();
}

static std::string showBatches(const CompileOptions &options) {
  std::string text = std::to_string(options.specialize.batch);
  for (int64_t batch : options.specialize.otherBatches)
    text += "," + std::to_string(batch);
  return text;
}

static constexpr Choice<DecisionRule> kRules[] = {{"per-op", DecisionRule::PerOp}, {"cost", DecisionRule::Cost}};

// The table

using Options = CompileOptions;
using Autocast = AutocastPassOptions;
using LossScaling = LossScalingPassOptions;
using Optimizer = OptimizerPassOptions;

static constexpr auto kAutocast = &Options::autocast;
static constexpr auto kScaling = &Options::lossScaling;
static constexpr auto kOptimizer = &Options::optimizer;
static constexpr auto kSpecialize = &Options::specialize;

static constexpr Setting kSettings[] = {
    boolean<&Options::training>("training",
                                "whether the programs that train are made, beside those that evaluate and infer"),
    {"batch-size", "N", "rows of one step; several, as in 1,32, make programs for each, which share their state",
     setBatches, showBatches},
    boolean<kSpecialize, &SpecializePassOptions::pad>(
        "pad", "whether a batch may hold rows that only fill it up, as --last-batch=pad needs"),
    boolean<&Options::cancelTransposes>(
        "cancel-transposes", "whether ops come in the order of dimensions that leaves the fewest transposes"),
    text<&Autocast::policy>("policy", "NAME",
                            "auto, mixed_float16, mixed_bfloat16, float32, pytorch, pytorch_cpu, apex_o1, tensorflow, "
                            "tensorflow_bf16, mxnet, paddle_o1, or a policy file"),
    text<&Autocast::lowType>("type", "TYPE", "f16 or bf16: the low type, instead of the policy's; by cost f32, too"),
    {"rule", "RULE",
     "how the precision of each op is decided: per-op, by its own category; cost, low only where that is faster",
     [](Options &o, StringRef v) { return choose(v, kRules, o.autocast.rule); },
     [](const Options &o) { return nameOf(o.autocast.rule, kRules); }},
    text<&Autocast::tuning>("tuning", "FILE",
                            "by cost: a machine's rates, as mp-run tune measured them, in the place of the level's"),
    ops<&Autocast::allow>("allow", "ops that run in the low type; each mp.op, mp.op[attribute=value] or loc:pattern"),
    ops<&Autocast::infer>("infer", "ops in the widest type among their operands"),
    ops<&Autocast::clear>("clear", "ops that follow their neighbours"),
    ops<&Autocast::deny>("deny", "ops in f32"),
    ops<&Autocast::promote>("promote", "ops in f32 if an operand is"),
    ops<&Autocast::notAllow>("not-allow", "ops to take out of allow"),
    ops<&Autocast::notInfer>("not-infer", "ops to take out of infer"),
    ops<&Autocast::notClear>("not-clear", "ops to take out of clear"),
    ops<&Autocast::notDeny>("not-deny", "ops to take out of deny"),
    ops<&Autocast::notPromote>("not-promote", "ops to take out of promote"),
    boolean<kAutocast, &Autocast::clampConstants>(
        "clamp-constants", "whether constants are clamped to the low type's range, above and towards 0, not refused"),
    text<&Autocast::planOut>("plan-out", "FILE", "where the plan goes: one line per op, its type and why"),
    text<&Autocast::planIn>("plan-in", "FILE", "a plan of plan-out, perhaps edited: each op gets the type it says"),
    {"optimizer", "KIND",
     "sgd, rmsprop, adagrad, adam, adamw, nadam, lamb or lion, with hyperparameters as in sgd:momentum=0.9",
     setOptimizer, [](const Options &o) { return nameOf(o.optimizer.kind, kOptimizers); }},
    number<kOptimizer, &Optimizer::learningRate>("learning-rate", "RATE", "what the optimizer multiplies an update by"),
    number<kOptimizer, &Optimizer::momentum>("momentum", "M", "of sgd and rmsprop"),
    boolean<kOptimizer, &Optimizer::nesterov>("nesterov", "of sgd"),
    number<kOptimizer, &Optimizer::beta1>("beta1", "B", "of adam, adamw, nadam, lamb and lion"),
    numberOfKind<kOptimizer, &Optimizer::beta2>("beta2", "B", "of adam, adamw, nadam and lamb, 0.999; of lion, 0.99"),
    numberOfKind<kOptimizer, &Optimizer::epsilon>(
        "epsilon", "E", "what is added to a root, 1e-8; of adagrad 1e-10, of lamb 1e-6; not of sgd and lion"),
    number<kOptimizer, &Optimizer::alpha>("alpha", "A", "of rmsprop: how much of the mean square stays"),
    boolean<kOptimizer, &Optimizer::centered>("centered", "of rmsprop: whether the mean is taken off the mean square"),
    number<kOptimizer, &Optimizer::learningRateDecay>("learning-rate-decay", "D",
                                                      "of adagrad: the learning rate of step t is divided by 1 + D t"),
    number<kOptimizer, &Optimizer::initialAccumulatorValue>("initial-accumulator-value", "V",
                                                            "of adagrad: what sums of squares start with"),
    number<kOptimizer, &Optimizer::momentumDecay>("momentum-decay", "D", "of nadam: how fast momentum reaches beta1"),
    number<kOptimizer, &Optimizer::weightDecay>("weight-decay", "D", "of every optimizer"),
    number<kOptimizer, &Optimizer::clipNorm>("clip-norm", "N", "the greatest global norm of the gradients, 0 for none"),
    number<kOptimizer, &Optimizer::clipParameterNorm>("clip-parameter-norm", "N",
                                                      "the greatest norm of each parameter's gradient, 0 for none"),
    number<kOptimizer, &Optimizer::clipValue>("clip-value", "V",
                                              "the greatest magnitude of an element of a gradient, 0 for none"),
    boolean<kOptimizer, &Optimizer::logGradientNorm>(
        "log-gradient-norm", "whether each step reports the global norm of the gradients; clip-norm does it, too"),
    boolean<&Options::derivedWeights>("derived-weights",
                                      "whether weights are kept in the low type, too, so that no step casts them"),
    integer<kOptimizer, &Optimizer::accumulate, 1>("accumulate", "micro-batches whose gradients one update uses"),
    {"loss-scale", "SCALE",
     "auto, dynamic, none, or a number; settings may follow as in dynamic:init-scale=2^24,growth-interval=200",
     setLossScale, showLossScale},
    number<kScaling, &LossScaling::initialScale>("init-scale", "SCALE",
                                                 "the dynamic loss scale of the first step, from floor to ceiling"),
    integer<kScaling, &LossScaling::growthInterval, 1>("growth-interval",
                                                       "clean steps in a row before the loss scale grows"),
    number<kScaling, &LossScaling::growthFactor>("growth-factor", "F",
                                                 "what the loss scale is multiplied by when it grows, greater than 1"),
    number<kScaling, &LossScaling::backoffFactor>(
        "backoff-factor", "F", "what the loss scale is multiplied by when it backs off, less than 1"),
    integer<kScaling, &LossScaling::hysteresis, 1>("hysteresis", "overflows before the loss scale backs off"),
    {"hysteresis-kind", "KIND", "consecutive or cumulative",
     [](Options &o, StringRef v) { return choose(v, kHysteresisKinds, o.lossScaling.hysteresisKind); },
     [](const Options &o) { return nameOf(o.lossScaling.hysteresisKind, kHysteresisKinds); }},
    number<kScaling, &LossScaling::floor>("floor", "SCALE", "the least dynamic loss scale"),
    number<kScaling, &LossScaling::ceiling>("ceiling", "SCALE", "the greatest dynamic loss scale"),
    boolean<kScaling, &LossScaling::raiseErrorAtMinScale>(
        "raise-error-at-min-scale", "whether an overflow at the floor ends training with an error"),
    boolean<kScaling, &LossScaling::noFiniteCheck>(
        "no-finite-check", "whether gradients are not checked and no step is skipped; not with dynamic"),
    integer<kScaling, &LossScaling::skipLimit, 0>(
        "skip-limit", "skipped steps in a row after which training ends with an error, 0 for no limit"),
    {"target", "TARGETS",
     "cpu, cpu:LEVEL ({levels}, or native, this machine's; several as in cpu:avx2+avx512), nvptx, simt (nvptx "
     "simulated), or reference; several "
     "make variants of each",
     setTargets, showTargets},
    {"chip", "CHIPS", "of nvptx and simt: sm_70, sm_75, sm_80, ..., or a GPU, A40; several make a variant each",
     setChips, [](const Options &o) { return showList(o.chips); }},
    boolean<&Options::allowTF32>("allow-tf32",
                                 "of nvptx and simt: whether matrix products of f32 round their operands to tf32"),
    boolean<kAutocast, &Autocast::allowFP16Accumulation>("allow-fp16-accumulation",
                                                         "whether matrix products of f16 keep their sums in f16"),
    optionalBoolean<&Options::allowFP16ReducedPrecisionReduction>(
        "allow-fp16-reduced-precision-reduction",
        "of nvptx and simt: whether sums of parts of k are stored in f16, of f16"),
    optionalBoolean<&Options::allowBF16ReducedPrecisionReduction>("allow-bf16-reduced-precision-reduction",
                                                                  "of nvptx and simt: the same of bf16"),
    boolean<&Options::allowBF16x3>("allow-bf16x3",
                                   "of cpu, levels with tiles of bf16 (AMX): whether matrix products of f32 are sums "
                                   "of 3 products of bf16 parts"),
    boolean<&Options::allowBF16x6>("allow-bf16x6", "the same of 6 products, of three parts: nearly those of f32"),
    boolean<&Options::allowBF16x9>("allow-bf16x9", "the same of all 9 products, of three parts"),
    boolean<&Options::emulateTiles>("emulate-tiles",
                                    "whether this machine's vectors compute what the level's tiles (AMX) would: to "
                                    "test a level where there are none"),
    boolean<&Options::reportAccesses>("report-accesses",
                                      "of simt: whether code reports every access, for the device to check"),
    {"fallback", "POLICY", "float32: the policy for chips that lack the units that the policy is for",
     [](Options &o, StringRef v) {
       o.fallback = v.str();
       return v == "float32" ? Status::success() : makeError("expected float32, found '", v.str(), "'");
     },
     [](const Options &o) { return o.fallback.empty() ? "none" : o.fallback; }},
};

llvm::ArrayRef<Setting> settings() { return kSettings; }

std::string helpOf(const Setting &setting, const CompileOptions &defaults) {
  std::string help = setting.help.str();
  constexpr StringRef kLevels = "{levels}";
  if (const size_t at = help.find(kLevels); at != std::string::npos)
    help.replace(at, kLevels.size(), cpuLevelNames());
  return help + " (default: " + setting.get(defaults) + ")";
}

/// The setting that is called so; null where none is.
static const Setting *findSetting(StringRef name) {
  const Setting *found = llvm::find_if(kSettings, [&](const Setting &setting) { return setting.name == name; });
  return found == std::end(kSettings) ? nullptr : found;
}

Status applySetting(CompileOptions &options, StringRef name, StringRef value) {
  const std::string given = (name + "=" + value).str();
  if (const Setting *setting = findSetting(name)) {
    options.given.push_back(given);
    Status status = setting->set(options, value);
    return status.ok() ? status : settingError(name.str(), value.str(), status.markedMessage());
  }
  std::vector<std::string> names;
  for (const Setting &setting : kSettings)
    names.push_back(setting.name.str());
  Fault fault;
  fault.code = FaultCode::UnknownSetting;
  fault.name = name.str();
  fault.known = names;
  return makeError("unknown setting '", name.str(), "'; expected one of ", llvm::join(names, ", "),
                   suggestName(name, names))
      .about(std::move(fault));
}

llvm::SmallVector<StringRef> splitVariant(StringRef variant) {
  llvm::SmallVector<StringRef> parts, list;
  variant.split(parts, ':');
  for (StringRef part : llvm::drop_begin(parts)) {
    auto [name, value] = part.split('=');
    if (list.empty() || (name.size() != part.size() && findSetting(name)))
      list.push_back(part);
    else // both lie in `variant`, a colon between them
      list.back() = StringRef(list.back().begin(), part.end() - list.back().begin());
  }
  return list;
}

Status applyVariant(CompileOptions &options, StringRef variant) {
  if (Status status = applySetting(options, "policy", variant.split(':').first); !status.ok())
    return status;
  return applyList(options, splitVariant(variant));
}

/// What may differ from a policy.
static constexpr llvm::StringLiteral kOfPolicy[] = {
    "type",     "rule",        "allow",     "infer",           "clear",
    "deny",     "promote",     "not-allow", "not-infer",       "not-clear",
    "not-deny", "not-promote", "plan-in",   "clamp-constants", "allow-fp16-accumulation"};

/// What stands before the hash of a description that cannot be read back.
static constexpr llvm::StringLiteral kCut = "...#";

std::string describePolicy(const AutocastPassOptions &autocast) {
  CompileOptions options;
  const CompileOptions defaults;
  options.autocast = autocast;
  std::string text = autocast.policy;
  size_t count = 0;
  for (StringRef name : kOfPolicy) {
    const Setting &setting = *findSetting(name);
    std::string value = setting.get(options);
    if (value == setting.get(defaults))
      continue;
    text += ":" + name.str() + "=" + value;
    ++count;
  }
  // Names of files and locations may hold any byte, and what looks like a setting.
  if (printable(text, kLongestLabel) == text && splitVariant(text).size() == count)
    return text;
  std::string end = kCut.str() + llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
  return printable(text, kLongestLabel - end.size()) + end;
}

Status applyPolicy(CompileOptions &options, StringRef description) {
  if (description.contains(kCut))
    return makeError("'", description.str(), "' is cut short and does not say the whole policy");
  for (StringRef item : splitVariant(description)) {
    StringRef name = item.split('=').first;
    if (!llvm::is_contained(kOfPolicy, name))
      return makeError("'", name.str(), "' is not part of a policy");
  }
  return applyVariant(options, description);
}

} // namespace mp
