// Rewrite eligible operations to a narrow float type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides, then rewrites: regions are inlined, the function becomes a graph of plain values, a decision procedure makes
// a plan of that, and the plan becomes types and casts.

#include "mp/Transforms/Explain.h"
#include "mp/Transforms/Options.h"

#include "Transforms/Autocast/ModelledTimes.h"
#include "Transforms/Autocast/ProgramGraph.h"
#include "Transforms/Autocast/Regions.h"
#include "Transforms/Autocast/ReportDecisions.h"
#include "Transforms/Autocast/Rewrite.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mp/Analysis/Place.h"
#include "mp/Analysis/PrecisionSummary.h"
#include "mp/Analysis/Tuning.h"
#include "mp/Base/NearestName.h"
#include "mp/Base/WholeFile.h"
#include "mp/IR/InputText.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

namespace mp {
#define GEN_PASS_DEF_AUTOCASTPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

static constexpr StringLiteral kRemarks = "mp-autocast";

static LogicalResult reportProblems(const ProgramGraph &program, const PrecisionPlan &plan) {
  for (const PrecisionProblem &problem : plan.problems) {
    InFlightDiagnostic error = program.nodes[problem.node]->emitOpError() << problem.message;
    auto precise = dyn_cast<PrecisionOpInterface>(program.nodes[problem.node]);
    if (StringRef safer = precise ? precise.getSaferOp() : ""; !safer.empty())
      error << "; use " << safer << ", which is safe there";
    if (problem.value) {
      Location location = program.values[*problem.value].getLoc();
      Diagnostic &note = error.attachNote(location) << "this is the constant";
      if (auto name = dyn_cast<NameLoc>(location))
        note << " \"" << name.getName().getValue() << "\"";
      note << "; clamp-constants would round it to the nearest number that fits";
    }
  }
  return failure(!plan.problems.empty());
}

/// What became of an op, before the rewriting changes its types: `Narrowed`, `Widened` or `Kept`.
static void remarkDecisions(const ProgramGraph &program, const PrecisionPlan &plan) {
  for (NodeId node = 0; node < program.nodes.size(); ++node) {
    const PrecisionNode &facts = program.graph.nodes[node];
    if (facts.category == PrecisionCategory::Fixed || (facts.operands.empty() && facts.results.empty()))
      continue;
    std::optional<Precision> precision = plan.decisions[node].precision;
    bool changes =
        precision && llvm::any_of(llvm::concat<const ValueId>(facts.operands, facts.results),
                                  [&](ValueId value) { return program.graph.values[value].type != *precision; });
    StringRef name = !changes ? "Kept" : *precision == Precision::F32 ? "Widened" : "Narrowed";
    auto emit = changes ? remark::passed : remark::analysis;
    if (auto remark = emit(program.nodes[node]->getLoc(), remark::RemarkOpts::name(name).category(kRemarks)))
      remark << explain(program.graph, plan, node);
  }
}

static void remarkSummary(FunctionOpInterface function) {
  auto remark = remark::analysis(function->getLoc(), remark::RemarkOpts::name("Summary").category(kRemarks));
  if (!remark)
    return;
  PrecisionSummary summary = summarizePrecision(function);
  remark << remark::metric("f16", summary.f16) << remark::metric("bf16", summary.bf16)
         << remark::metric("f32", summary.f32) << remark::metric("f64", summary.f64)
         << remark::metric("casts", summary.casts);
}

/// A region is gone after this pass; what it said stays on its ops, so that another run decides the same.
static void keepSettings(const ProgramGraph &program, const PrecisionPlan &plan, const RegionSettings &settings) {
  for (NodeId node = 0; node < program.nodes.size(); ++node) {
    Operation *op = program.nodes[node];
    const PrecisionNode &facts = program.graph.nodes[node];
    if (!settings.contains(op) || facts.category == PrecisionCategory::Fixed ||
        (facts.operands.empty() && facts.results.empty()))
      continue;
    ValueId first = facts.operands.empty() ? facts.results.front() : facts.operands.front();
    Precision precision = plan.decisions[node].precision.value_or(program.graph.values[first].type);
    op->setAttr(names::precision, TypeAttr::get(toType(precision, op->getContext())));
  }
}

/// Products of f16 keep their sums in f16; those whose result is the accumulator's f32 stay as their author wants them.
static void narrowAccumulators(FunctionOpInterface function) {
  function->walk([](ContractionOpInterface op) {
    Type result = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    if (!result.isF16() || op.getAcc().isF16())
      return;
    op.setAcc(result);
    remark::passed(op.getLoc(), remark::RemarkOpts::name("NarrowSums").category(kRemarks))
        << "sums are kept in f16, as allow-fp16-accumulation says";
  });
}

/// The low type that ops have because it is faster, else one that they were asked to have; f32 if none has one.
static Precision lowTypeOf(const PrecisionPlan &plan) {
  Precision low = Precision::F32;
  for (const PrecisionDecision &decision : plan.decisions) {
    const Precision own = decision.precision.value_or(Precision::F32);
    if (own != Precision::F32 && decision.rule == PrecisionRule::Cost)
      return own;
    if (low == Precision::F32)
      low = own;
  }
  return low;
}

namespace {
struct AutocastPass : mp::impl::AutocastPassBase<AutocastPass> {
  using Base::Base;

  /// Where what is decided goes, too, or null.
  PrecisionReport *report = nullptr;

  void runOnOperation() override {
    ErrorOr<PrecisionPolicy> policy = loadPolicy(getOptions(), collectKnownOps(getContext()));
    if (!policy) {
      emitOptionError() << policy.message();
      return signalPassFailure();
    }
    if (failed(readPlans()))
      return signalPassFailure();
    // What a pass before this one chose no longer holds where ops get their types anew.
    if (llvm::any_of(getOperation().getOps<func::FuncOp>(), isTyped))
      getOperation()->removeAttr(names::lowType);
    warnOfUnmatched(*policy);
    std::string plans;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(autocast(function, *policy, plans)))
        return signalPassFailure();
    if (!planOut.empty() && failed(writePlans(plans)))
      signalPassFailure();
  }

private:
  AutocastPassOptions getOptions() {
    auto list = [](const auto &option) { return SmallVector<std::string>(option.begin(), option.end()); };
    return {policy,         lowType,        rule,          features,         tuning,         training,
            list(allow),    list(infer),    list(clear),   list(deny),       list(promote),  list(notAllow),
            list(notInfer), list(notClear), list(notDeny), list(notPromote), clampConstants, allowFP16Accumulation,
            planOut,        planIn};
  }

  /// What is wrong with an option is at no location of the program.
  InFlightDiagnostic emitOptionError() { return emitError(UnknownLoc::get(&getContext()), "mp-autocast: "); }

  /// A pattern that matches nothing changes nothing, as one with a slip does.
  void warnOfUnmatched(const PrecisionPolicy &policy) {
    std::vector<LocationText> names;
    if (policy.findUnmatched(names).empty()) // there are no patterns
      return;
    llvm::StringSet<> seen;
    std::vector<std::string> places;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isTyped(function))
        function.walk([&](PrecisionOpInterface op) {
          llvm::append_range(names, namesOf(op->getLoc()));
          const Place place(op->getLoc());
          const std::string text = place.name.empty() ? place.text() : place.name;
          if (!text.empty() && seen.insert(text).second)
            places.push_back(text);
        });
    for (const std::string &pattern : policy.findUnmatched(names))
      getOperation().emitWarning("mp-autocast: '")
          << pattern << "' matches the location of no op" << tellPlaces(pattern, places);
  }

  /// What such a pattern could have been: some of the places of ops, those first whose names are near.
  static std::string tellPlaces(StringRef pattern, std::vector<std::string> places) {
    constexpr size_t kTold = 5;
    if (places.empty())
      return "; no op has one";
    const StringRef text = pattern.drop_front(StringRef("loc:").size()).trim('"');
    const std::string meant = nearestName(text, places);
    SmallVector<std::string> told;
    while (told.size() < kTold && !places.empty()) {
      std::string nearest = nearestName(text, places);
      auto found = nearest.empty() ? places.begin() : llvm::find(places, nearest);
      told.push_back("loc:" + *found);
      places.erase(found);
    }
    std::string said = meant.empty() ? "; " : "; did you mean 'loc:" + meant + "'? ";
    said += "ops are at " + llvm::join(told, ", ");
    if (!places.empty())
      said += " and " + std::to_string(places.size()) + (places.size() == 1 ? " other place" : " other places");
    return said;
  }

  /// Whether the pass gives the ops of a function their types: models and functions that are no programs.
  static bool isTyped(func::FuncOp function) {
    std::optional<ProgramKind> kind = getProgramKind(function);
    return !function.isExternal() && (!kind || *kind == ProgramKind::Model);
  }

  LogicalResult autocast(func::FuncOp function, const PrecisionPolicy &policy, std::string &plans) {
    if (!isTyped(function))
      return success();
    if (getProgramKind(function) && !function->hasAttr(names::batch))
      return function.emitError("mp-autocast works on specialized models; run mp-specialize first");
    const bool byCost = policy.decidesByCost(rule);
    RegionSettings settings = inlineRegions(function, policy, byCost);
    FailureOr<Decided> decided =
        byCost ? decideFastest(function, policy, settings) : decideTypesWith(function, policy, settings);
    if (failed(decided))
      return failure();
    auto &[program, plan] = *decided;
    if (failed(reportProblems(program, plan)))
      return failure();
    remarkDecisions(program, plan);
    keepSettings(program, plan, settings);
    if (!planOut.empty()) {
      llvm::raw_string_ostream os(plans);
      print(os, function.getSymName(), program.graph, plan);
    }
    rewrite(program, plan);
    // Also where it is said that the choice was f32.
    if (byCost || this->policy == "auto" || rule == DecisionRule::Cost)
      noteLowType(byCost ? lowTypeOf(plan) : Precision::F32);
    if (allowFP16Accumulation)
      narrowAccumulators(function);
    remarkSummary(function);
    if (report)
      report->push_back(reportDecisions(function, program, plan));
    return success();
  }

  /// What was chosen is part of the policy: a checkpoint of a run in bf16 is not one of a run in f32. Of several
  /// functions the first that has a low type speaks.
  void noteLowType(Precision chosen) {
    ModuleOp module = getOperation();
    auto noted = module->getAttrOfType<TypeAttr>(names::lowType);
    if (!noted || noted.getValue().isF32())
      module->setAttr(names::lowType, TypeAttr::get(toType(chosen, &getContext())));
  }

  struct Decided {
    ProgramGraph program;
    PrecisionPlan plan;
  };

  /// With the policy's low type; of a policy that names none, with the one that is fastest.
  FailureOr<Decided> decideFastest(func::FuncOp function, const PrecisionPolicy &policy,
                                   const RegionSettings &settings) {
    const CPULevel *level = findCPULevel(features);
    if (!level)
      return emitOptionError() << "features=" << features
                               << ": what ops take is modelled of levels of CPU features alone: " << cpuLevelNames();
    std::optional<Tuning> tuned;
    if (!tuning.empty()) {
      ErrorOr<Tuning> read = readTuning(tuning, level->name);
      if (!read)
        return emitOptionError() << read.message();
      tuned = std::move(*read);
      level = &tuned->level;
    }
    // Of types that are alike the first: bf16 needs no loss scale.
    SmallVector<Precision> candidates = {Precision::BF16, Precision::F16};
    if (policy.lowType())
      candidates = {*policy.lowType()};
    FailureOr<Decided> fastest = failure();
    SmallVector<std::string> modelled;
    for (Precision low : candidates) {
      PrecisionPolicy own = policy;
      own.setLowType(low);
      FailureOr<Decided> decided = decideTypesWith(function, own, settings, level);
      if (failed(decided))
        return failure();
      // What one type cannot hold, another may.
      const bool isRefused = !decided->plan.problems.empty();
      if (!isRefused)
        modelled.push_back((stringify(low) + " " + formatModelled(decided->plan.lowSeconds)).str());
      if (failed(fastest) || !fastest->plan.problems.empty() ||
          (!isRefused && decided->plan.lowSeconds < fastest->plan.lowSeconds))
        fastest = std::move(decided);
    }
    modelled.push_back("f32 " + formatModelled(fastest->plan.wideSeconds));
    remark::analysis(function.getLoc(), remark::RemarkOpts::name("Modelled").category(kRemarks))
        << "a step on " + std::string(level->name) + (tuned ? ", tuning " + tuned->hash : "") +
               ", low where faster: " + llvm::join(modelled, ", ") +
               (fastest->plan.gainsTooLittle
                    ? "; f32, for low types save less than " + llvm::formatv("{0:f0} %", 100 * kLeastGain).str()
                    : "");
    return fastest;
  }

  /// By cost where there is a level to model it on.
  FailureOr<Decided> decideTypesWith(func::FuncOp function, const PrecisionPolicy &policy,
                                     const RegionSettings &settings, const CPULevel *level = nullptr) {
    FailureOr<ProgramGraph> program = readProgram(function, policy, settings);
    if (failed(program))
      return failure();
    program->graph.clampConstants = clampConstants;
    program->graph.scalarsFollow = policy.scalarsFollow();
    if (!planIn.empty())
      if (Status replayed = replay(replayedPlans, function.getSymName(), program->graph); !replayed.ok())
        return emitOptionError() << "plan-in=" << planIn << ": " << replayed.message();
    if (level && !llvm::all_of(program->values,
                               [](Value value) { return cast<RankedTensorType>(value.getType()).hasStaticShape(); }))
      return function.emitError("mp-autocast by cost needs static shapes: what an op takes follows from its size");
    if (level)
      setModelledTimes(*program, policy.lowType().value_or(Precision::F32), *level, training);
    PrecisionPlan plan = decide(program->graph, level ? DecisionRule::Cost : DecisionRule::PerOp);
    return Decided{std::move(*program), std::move(plan)};
  }

  LogicalResult readPlans() {
    if (planIn.empty())
      return success();
    std::string error;
    std::unique_ptr<llvm::MemoryBuffer> file = openInputText(planIn, &error);
    if (!file)
      return emitOptionError() << "plan-in=" << planIn << ": " << error;
    replayedPlans = file->getBuffer();
    return success();
  }

  LogicalResult writePlans(StringRef plans) {
    if (planOut == "-") {
      // What was printed by other means comes before it. Whether it arrives is known where the program ends.
      std::cout.flush();
      llvm::outs() << plans;
      llvm::outs().flush();
      return success();
    }
    if (Status written = writeWholeFile(planOut, plans); !written.ok())
      return emitOptionError() << "plan-out: " << written.message();
    return success();
  }

  std::string replayedPlans;
};
} // namespace

std::unique_ptr<Pass> mp::createAutocastPass(AutocastPassOptions options, PrecisionReport &report) {
  auto pass = std::make_unique<AutocastPass>(std::move(options));
  pass->report = &report;
  return pass;
}
