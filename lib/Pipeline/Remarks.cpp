// Remarks of a compilation, by their categories.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Pipeline/Remarks.h"

#include "mp/Base/NearestName.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <mutex>
#include <set>
#include <vector>

using namespace mlir;
using namespace mp;
using llvm::StringRef;

/// What was asked for, and what there was. Kernels are compiled by several threads.
struct Remarks::Seen {
  std::string asked;
  llvm::Regex pattern;
  std::mutex mutex;
  std::set<std::string> categories;
  bool matched = false;

  explicit Seen(StringRef asked) : asked(asked), pattern(asked) {}

  bool see(StringRef category) {
    std::lock_guard lock(mutex);
    categories.insert(category.str());
    const bool matches = pattern.match(category);
    matched |= matches;
    return matches;
  }

  /// Makes diagnostics of remarks, as MLIR's engine does by its own filter, which keeps what it leaves out to itself.
  class Streamer : public remark::detail::MLIRRemarkStreamerBase {
  public:
    explicit Streamer(std::shared_ptr<Seen> seen) : seen(std::move(seen)) {}

    void streamOptimizationRemark(const remark::detail::Remark &remark) override {
      if (seen->see(remark.getCombinedCategoryName()))
        emitRemark(remark.getLocation(), remark.getMsg());
    }

  private:
    std::shared_ptr<Seen> seen;
  };
};

ErrorOr<Remarks> Remarks::enable(MLIRContext &context, StringRef categories) {
  Remarks remarks;
  if (categories.empty())
    return remarks;
  if (std::string error; !llvm::Regex(categories).isValid(error))
    return makeError(error);
  remarks.seen = std::make_shared<Seen>(categories);
  remark::RemarkCategories all;
  // `all` of it only joins kinds that have a filter of their own.
  all.passed = all.missed = all.analysis = all.failed = ".*";
  if (failed(remark::enableOptimizationRemarks(context, std::make_unique<Seen::Streamer>(remarks.seen),
                                               std::make_unique<remark::RemarkEmittingPolicyAll>(), all)))
    return makeError("remarks cannot be told");
  return remarks;
}

std::string Remarks::warning() const {
  if (!seen || seen->matched)
    return "";
  const std::vector<std::string> there(seen->categories.begin(), seen->categories.end());
  return "no remark has a category that matches '" + seen->asked + "'; there are " +
         (there.empty() ? "none" : "those of " + llvm::join(there, ", ")) + suggestName(seen->asked, there);
}
