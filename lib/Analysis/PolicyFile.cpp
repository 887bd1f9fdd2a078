// The policies that ship, and those of users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Policy.h"

#include "mp/Base/NearestName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mp;
using llvm::StringRef;

namespace {
struct ShippedPolicy {
  StringRef name, text;
};
} // namespace

static constexpr ShippedPolicy kShipped[] = {
#include "ShippedPolicies.inc"
};

static constexpr uint64_t kMaxBytes = 1 << 20;

static std::optional<PrecisionCategory> symbolizeList(StringRef name) {
  std::optional<PrecisionCategory> category = symbolizePrecisionCategory(name);
  bool isList = category && *category != PrecisionCategory::Fixed && *category != PrecisionCategory::Error;
  return isList ? category : std::nullopt;
}

ErrorOr<PrecisionPolicy> PrecisionPolicy::parse(StringRef name, StringRef text, const KnownOps &ops) {
  PrecisionPolicy policy;
  policy.file = PolicyLayer(("policy " + name).str());
  unsigned number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    std::string where = (name + ":" + llvm::Twine(++number)).str();
    line = line.split('#').first.trim();
    if (line.empty())
      continue;
    auto [key, value] = line.split(':');
    key = key.trim();
    if (key == "type") {
      std::optional<Precision> low = symbolizePrecision(value.trim());
      if (!low || low == Precision::F32 || policy.low)
        return makeError(where, ": type is f16 or bf16, once; found '", value.trim().str(), "'");
      policy.low = low;
      continue;
    }
    if (key == "zero-dimensional") {
      if (value.trim() != "follow")
        return makeError(where, ": zero-dimensional is follow, found '", value.trim().str(), "'");
      policy.zeroDimensionalFollow = true;
      continue;
    }
    if (key == "summed-squares") {
      if (value.trim() != "follow")
        return makeError(where, ": summed-squares is follow, found '", value.trim().str(), "'");
      policy.summedSquaresWide = false;
      continue;
    }
    if (key == "reduced-precision-reduction") {
      if (value.trim() != "allow")
        return makeError(where, ": reduced-precision-reduction is allow, found '", value.trim().str(), "'");
      policy.reducedPrecisionReduction = true;
      continue;
    }
    std::optional<PrecisionCategory> category = symbolizeList(key);
    if (!category || !line.contains(':'))
      return makeError(where,
                       ": expected type, zero-dimensional, summed-squares, reduced-precision-reduction, allow, infer, "
                       "clear, deny or promote and a colon, found '",
                       line.str(), "'");
    for (StringRef entry : splitEntries(value))
      if (Status added = policy.file.add(*category, entry.trim(), ops, /*allowLocations=*/false); !added.ok())
        return added.in(where);
  }
  if (!policy.low)
    return makeError(name.str(), ": has no line 'type: f16' or 'type: bf16'");
  return policy;
}

static std::vector<std::string> listShipped() {
  std::vector<std::string> names = {"auto", "mixed_float16", "mixed_bfloat16", "float32"};
  for (const ShippedPolicy &shipped : kShipped)
    names.push_back(shipped.name.str());
  return names;
}

/// What was meant by a policy that is none: what its type or its system is called elsewhere, or what is spelled nearly
/// so.
static std::string suggestPolicy(StringRef name, const std::vector<std::string> &names) {
  const StringRef meant =
      llvm::StringSwitch<StringRef>(name.lower())
          .Cases({"amp", "mixed", "mixed_precision", "autocast"}, "'mixed_float16' or 'mixed_bfloat16'")
          .Cases({"fp16", "f16", "half", "16", "16-mixed", "mixed_fp16", "mixed_f16", "mixed_half"}, "'mixed_float16'")
          .Cases({"bf16", "bf16-mixed", "mixed_bf16"}, "'mixed_bfloat16'")
          .Cases({"fp32", "f32", "32", "float", "single", "full", "none", "no", "off", "o0"}, "'float32'")
          .Cases({"o1", "apex"}, "'apex_o1'")
          .Case("tf32", "'float32' with allow-tf32")
          .Case("torch", "'pytorch'")
          .Cases({"tf", "keras"}, "'tensorflow'")
          .Default("");
  return meant.empty() ? suggestName(name.str(), names) : ("; did you mean " + meant + "?").str();
}

ErrorOr<PrecisionPolicy> PrecisionPolicy::load(StringRef name, const KnownOps &ops) {
  PrecisionPolicy policy;
  policy.byCost = name == "auto";
  if (name == "float32" || policy.byCost)
    return policy;
  if (name == "mixed_float16" || name == "mixed_bfloat16") {
    policy.low = name == "mixed_float16" ? Precision::F16 : Precision::BF16;
    return policy;
  }
  for (const ShippedPolicy &shipped : kShipped)
    if (name == shipped.name)
      return parse(name, shipped.text, ops);
  // What Keras and Apex call so keeps the parameters themselves in the low type.
  if (llvm::is_contained({"float16", "apex_o2", "apex_o3", "O2", "O3"}, name) || name == "bfloat16") {
    const StringRef low = name == "bfloat16" ? "bfloat16" : "float16";
    return makeError("policy '", name.str(), "' would store parameters in ", low.str(),
                     ", which loses small updates; mixed_", low.str(), " computes in it and stores them in float32");
  }
  if (name.contains(':') && !name.contains('/') && !name.contains('.'))
    return makeError("unknown policy '", name.str(),
                     "'; what a variant says behind a colon is a flag of its own, as in ", "--policy=auto --type=bf16");
  const std::vector<std::string> names = listShipped();
  if (!name.contains('/') && !name.contains('.'))
    return makeError("unknown policy '", name.str(), "', expected ", llvm::join(names, ", "),
                     " or the path of a policy file", suggestPolicy(name, names));
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(name, status))
    return makeError("policy file ", name.str(), ": ", error.message());
  if (!llvm::sys::fs::is_regular_file(status) || status.getSize() > kMaxBytes)
    return makeError("policy file ", name.str(), ": expected a file of at most ", kMaxBytes, " bytes");
  auto buffer = llvm::MemoryBuffer::getFile(name);
  if (!buffer)
    return makeError("policy file ", name.str(), ": ", buffer.getError().message());
  return parse(name, (*buffer)->getBuffer(), ops);
}
