//===- Settings.cpp - compile options by name ---------------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/StringExtras.h"

#include "mp/Analysis/ChipTable.h"
#include "mp/Codegen/TargetInfo.h"

#include <cmath>
#include <limits>

using llvm::StringRef;

namespace mp {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Status readInteger(StringRef text, int64_t least, int64_t &value) {
  if (text.getAsInteger(10, value) || value < least)
    return makeError("expected an integer of at least ", least, ", found '", text.str(), "'");
  return Status::success();
}

/// A number, or a power of two as 2^24.
static Status readNumber(StringRef text, double &value) {
  int64_t exponent;
  if (text.starts_with("2^") && !text.drop_front(2).getAsInteger(10, exponent) && std::abs(exponent) < 1000)
    value = std::ldexp(1.0, static_cast<int>(exponent));
  else if (text.getAsDouble(value) || std::isnan(value))
    return makeError("expected a number, found '", text.str(), "'");
  return Status::success();
}

template <auto member, typename Part> static Status setNumber(Part &part, StringRef text) {
  double value;
  if (Status status = readNumber(text, value); !status.ok())
    return status;
  part.*member = static_cast<std::remove_reference_t<decltype(part.*member)>>(value);
  return Status::success();
}

template <auto member, int64_t least, typename Part> static Status setInteger(Part &part, StringRef text) {
  int64_t value;
  if (Status status = readInteger(text, least, value); !status.ok())
    return status;
  if (value > std::numeric_limits<std::remove_reference_t<decltype(part.*member)>>::max())
    return makeError("'", text.str(), "' is too large");
  part.*member = value;
  return Status::success();
}

template <typename Value> struct Choice {
  llvm::StringLiteral name;
  Value value;
};

template <typename Value, size_t count>
static Status choose(StringRef text, const Choice<Value> (&choices)[count], Value &value) {
  for (const Choice<Value> &choice : choices)
    if (choice.name == text) {
      value = choice.value;
      return Status::success();
    }
  auto names = llvm::map_range(choices, [](const Choice<Value> &choice) { return choice.name.str(); });
  return makeError("expected one of ", llvm::join(names, ", "), ", found '", text.str(), "'");
}

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

//===----------------------------------------------------------------------===//
// Settings that are more than one value
//===----------------------------------------------------------------------===//

static constexpr Choice<LossScalingMode> kModes[] = {
    {"auto", LossScalingMode::Auto},
    {"dynamic", LossScalingMode::Dynamic},
    {"none", LossScalingMode::None},
};

/// A mode or a number for a static scale, then settings of the scaler: `dynamic:init=2^24,interval=200`.
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
    return makeError(status.message(), "; a number is a static scale");
  }
  rest.split(parts, ',', -1, /*KeepEmpty=*/false);
  return applyList(options, parts);
}

static constexpr Choice<OptimizerKind> kOptimizers[] = {
    {"sgd", OptimizerKind::SGD},
    {"adam", OptimizerKind::Adam},
    {"adamw", OptimizerKind::AdamW},
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
static constexpr Choice<bool> kBooleans[] = {{"true", true}, {"false", false}};

/// Reads one target, with the level of CPU features where it says one.
static Status setTarget(CompileOptions &options, StringRef text, StringRef &name) {
  auto [target, cpu] = text.split(':');
  static constexpr Choice<StringRef> kTargets[] = {
      {"cpu", "cpu"}, {"nvptx", "nvptx"}, {"simt", "simt"}, {"reference", "reference"}};
  if (Status status = choose(target, kTargets, name); !status.ok())
    return status;
  if (!cpu.empty() && !findTarget(cpu))
    return makeError(
        "no level of CPU features is called '", cpu.str(), "'; expected one of ",
        llvm::join(llvm::map_range(allTargets(), [](const TargetInfo &info) { return info.name.str(); }), ", "));
  if (!cpu.empty())
    options.cpu = cpu.str();
  return Status::success();
}

static Status setTargets(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  std::vector<std::string> targets;
  options.cpu.clear();
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
        return makeError(other, " and ", part.str(), " run the same code, that for ", chip->name.str(),
                         ", which an executable holds once: name one of them");
    chips.push_back(part.str());
  }
  options.chips = std::move(chips);
  return Status::success();
}

template <auto member> static Status appendNames(CompileOptions &options, StringRef text) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    (options.autocast.*member).push_back(part.str());
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

using Options = CompileOptions;
using Scaling = LossScalingPassOptions;
using Optimizer = OptimizerPassOptions;

static constexpr Setting kSettings[] = {
    {"training", "BOOL", "whether the programs that train are made, beside those that evaluate and infer",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.training); }},
    {"batch-size", "N", "rows of one step",
     [](Options &o, StringRef v) { return setInteger<&SpecializePassOptions::batch, 1>(o.specialize, v); }},
    {"pad", "BOOL", "whether a batch may hold rows that only fill it up, as --last-batch=pad needs",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.specialize.pad); }},
    {"policy", "NAME", "mixed_float16 (the default), mixed_bfloat16, float32, pytorch, tensorflow, or a policy file",
     [](Options &o, StringRef v) {
       o.autocast.policy = v.str();
       return Status::success();
     }},
    {"type", "TYPE", "f16 or bf16: the low type, instead of the policy's",
     [](Options &o, StringRef v) {
       o.autocast.lowType = v.str();
       return Status::success();
     }},
    {"allow", "OPS", "ops that run in the low type; each mp.op, mp.op[attribute=value] or loc:pattern",
     appendNames<&AutocastPassOptions::allow>},
    {"infer", "OPS", "ops in the widest type among their operands", appendNames<&AutocastPassOptions::infer>},
    {"clear", "OPS", "ops that follow their neighbours", appendNames<&AutocastPassOptions::clear>},
    {"deny", "OPS", "ops in f32", appendNames<&AutocastPassOptions::deny>},
    {"promote", "OPS", "ops in f32 if an operand is", appendNames<&AutocastPassOptions::promote>},
    {"not-allow", "OPS", "ops to take out of allow", appendNames<&AutocastPassOptions::notAllow>},
    {"not-infer", "OPS", "ops to take out of infer", appendNames<&AutocastPassOptions::notInfer>},
    {"not-clear", "OPS", "ops to take out of clear", appendNames<&AutocastPassOptions::notClear>},
    {"not-deny", "OPS", "ops to take out of deny", appendNames<&AutocastPassOptions::notDeny>},
    {"not-promote", "OPS", "ops to take out of promote", appendNames<&AutocastPassOptions::notPromote>},
    {"optimizer", "KIND", "sgd, adam or adamw, with hyperparameters as in sgd:momentum=0.9", setOptimizer},
    {"learning-rate", "RATE", "what the optimizer multiplies an update by",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::learningRate>(o.optimizer, v); }},
    {"momentum", "M", "of sgd",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::momentum>(o.optimizer, v); }},
    {"nesterov", "BOOL", "of sgd", [](Options &o, StringRef v) { return choose(v, kBooleans, o.optimizer.nesterov); }},
    {"beta1", "B", "of adam and adamw",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::beta1>(o.optimizer, v); }},
    {"beta2", "B", "of adam and adamw",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::beta2>(o.optimizer, v); }},
    {"epsilon", "E", "of adam and adamw",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::epsilon>(o.optimizer, v); }},
    {"weight-decay", "D", "of every optimizer",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::weightDecay>(o.optimizer, v); }},
    {"clip-norm", "N", "the greatest global norm of the gradients, 0 for none",
     [](Options &o, StringRef v) { return setNumber<&Optimizer::clipNorm>(o.optimizer, v); }},
    {"log-gradient-norm", "BOOL", "whether each step reports the global norm of the gradients; clip-norm does it, too",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.optimizer.logGradientNorm); }},
    {"derived-weights", "BOOL", "whether weights are kept in the low type, too, so that no step casts them",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.derivedWeights); }},
    {"accumulate", "N", "micro-batches whose gradients one update uses",
     [](Options &o, StringRef v) { return setInteger<&Optimizer::accumulate, 1>(o.optimizer, v); }},
    {"loss-scale", "SCALE",
     "auto, dynamic, none, or a number; settings may follow as in dynamic:init=2^24,interval=200", setLossScale},
    {"init", "SCALE", "the loss scale of the first step",
     [](Options &o, StringRef v) { return setNumber<&Scaling::initialScale>(o.lossScaling, v); }},
    {"interval", "N", "clean steps in a row before the loss scale grows",
     [](Options &o, StringRef v) { return setInteger<&Scaling::growthInterval, 1>(o.lossScaling, v); }},
    {"growth-factor", "F", "what the loss scale is multiplied by when it grows",
     [](Options &o, StringRef v) { return setNumber<&Scaling::growthFactor>(o.lossScaling, v); }},
    {"backoff-factor", "F", "what the loss scale is multiplied by when it backs off",
     [](Options &o, StringRef v) { return setNumber<&Scaling::backoffFactor>(o.lossScaling, v); }},
    {"hysteresis", "N", "overflows before the loss scale backs off",
     [](Options &o, StringRef v) { return setInteger<&Scaling::hysteresis, 1>(o.lossScaling, v); }},
    {"hysteresis-kind", "KIND", "consecutive or cumulative",
     [](Options &o, StringRef v) { return choose(v, kHysteresisKinds, o.lossScaling.hysteresisKind); }},
    {"floor", "SCALE", "the least loss scale",
     [](Options &o, StringRef v) { return setNumber<&Scaling::floor>(o.lossScaling, v); }},
    {"ceiling", "SCALE", "the greatest loss scale",
     [](Options &o, StringRef v) { return setNumber<&Scaling::ceiling>(o.lossScaling, v); }},
    {"raise-error-at-min-scale", "BOOL", "whether an overflow at the floor ends training with an error",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.lossScaling.raiseErrorAtMinScale); }},
    {"no-finite-check", "BOOL", "whether gradients are not checked and no step is skipped; not with dynamic",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.lossScaling.noFiniteCheck); }},
    {"skip-limit", "N", "skipped steps in a row after which training ends with an error",
     [](Options &o, StringRef v) { return setInteger<&Scaling::skipLimit, 1>(o.lossScaling, v); }},
    {"target", "TARGETS",
     "cpu, cpu:LEVEL (sse2, avx2, avx512), nvptx, simt (nvptx simulated), or reference; several make variants of each",
     setTargets},
    {"chip", "CHIPS", "of nvptx and simt: sm_70, sm_75, sm_80, ..., or a GPU, A40; several make a variant each",
     setChips},
    {"allow-tf32", "BOOL", "of nvptx and simt: whether matrix products of f32 round their operands to tf32",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.allowTF32); }},
    {"allow-fp16-accumulation", "BOOL", "whether matrix products of f16 keep their sums in f16",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.autocast.allowFP16Accumulation); }},
    {"allow-fp16-reduced-precision-reduction", "BOOL",
     "of nvptx and simt: whether sums of parts of k are stored in f16, of f16; the default of policy pytorch",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.allowFP16ReducedPrecisionReduction.emplace()); }},
    {"allow-bf16-reduced-precision-reduction", "BOOL",
     "of nvptx and simt: the same of bf16; the default of policy pytorch",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.allowBF16ReducedPrecisionReduction.emplace()); }},
    {"report-accesses", "BOOL", "of simt: whether code reports every access, for the device to check",
     [](Options &o, StringRef v) { return choose(v, kBooleans, o.reportAccesses); }},
    {"fallback", "POLICY", "float32: the policy for chips that lack the units that the policy is for",
     [](Options &o, StringRef v) {
       o.fallback = v.str();
       return v == "float32" ? Status::success() : makeError("expected float32, found '", v.str(), "'");
     }},
};

llvm::ArrayRef<Setting> settings() { return kSettings; }

Status applySetting(CompileOptions &options, StringRef name, StringRef value) {
  for (const Setting &setting : kSettings)
    if (setting.name == name)
      return setting.set(options, value).in(name.str());
  auto names = llvm::map_range(kSettings, [](const Setting &setting) { return setting.name.str(); });
  return makeError("no setting is called '", name.str(), "'; there are ", llvm::join(names, ", "));
}

Status applyVariant(CompileOptions &options, StringRef variant) {
  llvm::SmallVector<StringRef> parts;
  variant.split(parts, ':');
  if (Status status = applySetting(options, "policy", parts.front()); !status.ok())
    return status;
  llvm::SmallVector<StringRef> list;
  for (StringRef part : llvm::drop_begin(parts)) {
    if (list.empty() || part.contains('='))
      list.push_back(part);
    else // both lie in `variant`, a colon between them
      list.back() = StringRef(list.back().begin(), part.end() - list.back().begin());
  }
  return applyList(options, list);
}

std::string describePolicy(const AutocastPassOptions &autocast) {
  std::string text = autocast.policy;
  if (!autocast.lowType.empty())
    text += ":type=" + autocast.lowType;
  for (const auto &[name, ops] : {std::pair("allow", &autocast.allow),
                                  {"infer", &autocast.infer},
                                  {"clear", &autocast.clear},
                                  {"deny", &autocast.deny},
                                  {"promote", &autocast.promote},
                                  {"not-allow", &autocast.notAllow},
                                  {"not-infer", &autocast.notInfer},
                                  {"not-clear", &autocast.notClear},
                                  {"not-deny", &autocast.notDeny},
                                  {"not-promote", &autocast.notPromote}})
    if (!ops->empty())
      text += std::string(":") + name + "=" + llvm::join(*ops, ",");
  return text;
}

} // namespace mp
