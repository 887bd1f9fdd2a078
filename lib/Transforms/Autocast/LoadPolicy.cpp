// The policy that a user asks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"
#include "mp/Transforms/Options.h"

using namespace mp;

ErrorOr<PrecisionPolicy> mp::loadPolicy(const AutocastPassOptions &options, const KnownOps &ops) {
  ErrorOr<PrecisionPolicy> policy = PrecisionPolicy::load(options.policy, ops);
  if (!policy)
    return policy.status().in("policy=" + options.policy);
  if (!options.lowType.empty()) {
    std::optional<Precision> low = symbolizePrecision(options.lowType);
    // What is decided by cost may turn out to be f32 everywhere, and is then called so.
    const bool mayBeWide = policy->decidesByCost() || options.rule == DecisionRule::Cost;
    if (!low || (*low == Precision::F32 && !mayBeWide))
      return makeError("type=", options.lowType, mayBeWide ? ": expected f16, bf16 or f32" : ": expected f16 or bf16");
    if (options.policy == "float32" && *low != Precision::F32)
      return makeError("type=", options.lowType, ": policy float32 casts nothing; expected another policy, such as ",
                       *low == Precision::F16 ? "mixed_float16" : "mixed_bfloat16");
    policy->setLowType(*low);
  }
  const PolicyEdits::List lists[] = {{PrecisionCategory::Allow, options.allow, options.notAllow},
                                     {PrecisionCategory::Infer, options.infer, options.notInfer},
                                     {PrecisionCategory::Clear, options.clear, options.notClear},
                                     {PrecisionCategory::Deny, options.deny, options.notDeny},
                                     {PrecisionCategory::Promote, options.promote, options.notPromote}};
  if (Status edited = policy->edit({lists}, ops); !edited.ok())
    return edited;
  return policy;
}

ErrorOr<PrecisionPolicy> mp::loadPolicy(const AutocastPassOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<MPDialect>();
  return loadPolicy(options, collectKnownOps(context));
}
