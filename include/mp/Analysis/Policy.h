// Which category an op has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op's definition gives its category. A policy file and a user's lists are differences from that, strongest first:
// an attribute on the op (mp.precision, not seen here), a location pattern, a user list, a policy file, the definition.
//
// An entry of a list, in a file or from a user:
//   mp.softmax                 every mp.softmax (`mp.` may be left out)
//   mp.compare[predicate=gt]   those whose attribute has this value: a word, a number, or a list as [0, 1]
//   mp.matmul[bias_add]        those that have it
//   loc:encoder/*              users only: ops whose location is named so, or is at such a file:line; `*` and `?` as in
//                              a shell
//   loc:"conv:0"               ops whose location is named so

#ifndef MP_ANALYSIS_POLICY_H
#define MP_ANALYSIS_POLICY_H

#include "mp/Analysis/AttributeValues.h"
#include "mp/Analysis/PrecisionPlan.h"
#include "mp/Base/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"

#include <memory>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace mp {

/// What a list may say of an op: the category of its definition, and the attributes that this names.
struct KnownOp {
  PrecisionCategory category = {};
  std::vector<KnownAttribute> attributes = {};
};

/// Every op that has a category, by name.
using KnownOps = llvm::StringMap<KnownOp>;

/// The ops that `context` has loaded and that declare a category.
KnownOps collectKnownOps(mlir::MLIRContext &context);

/// What is between commas, but for those in brackets: `mp.add, mp.reduce_sum[dimensions=[0, 1]]` are two entries.
llvm::SmallVector<llvm::StringRef> splitEntries(llvm::StringRef list);

/// One thing that a location says: a name, or a place as FILE:LINE, LINE:COLUMN or FILE:LINE:COLUMN.
struct LocationText {
  std::string text;
  bool isName = false;
};

/// What a policy may ask about an op.
struct OpFacts {
  llvm::StringRef name;
  /// The category of its definition.
  PrecisionCategory category;
  /// The text of an attribute, that of textOfValue for one of the op's definition, empty for one without a value;
  /// nothing if the op lacks it.
  llvm::function_ref<std::optional<std::string>(llvm::StringRef)> attribute;
  /// The names of its location, and its places.
  llvm::function_ref<llvm::SmallVector<LocationText>()> locations;
  /// The op whose entries by name hold for it, too, and before its own; empty where there is none.
  llvm::StringRef listedAs = {};
};

struct OpCategory {
  PrecisionCategory category;
  /// What decided, `deny=mp.add` or `policy pytorch`; empty for the op's definition.
  std::string source;
};

/// One layer of differences: the entries of a file, or of a user's lists.
class PolicyLayer {
public:
  /// `origin` prefixes the source of each category; a user's entries are named by themselves.
  explicit PolicyLayer(std::string origin = {}) : origin(std::move(origin)) {}

  /// Puts what `entry` names into a category. An error if it names no known op, a fixed op, or something that is in
  /// another list of this layer already.
  Status add(PrecisionCategory category, llvm::StringRef entry, const KnownOps &ops, bool allowLocations);

  /// Whether `op` is named, by itself.
  bool names(llvm::StringRef op) const { return byName.contains(op); }

  /// The category this layer gives an op, if any; an error if two patterns disagree about it.
  ErrorOr<std::optional<OpCategory>> find(const OpFacts &op) const;
  /// The category this layer gives an op by its name alone.
  std::optional<PrecisionCategory> findByName(llvm::StringRef op) const;

  /// The location patterns that match none of `places`, as they were given.
  std::vector<std::string> findUnmatched(llvm::ArrayRef<LocationText> places) const;

  /// Puts an op into `category` because of `source`.
  void set(llvm::StringRef op, PrecisionCategory category, std::string source) {
    byName[op] = {category, std::move(source)};
  }

private:
  struct AttributeEntry {
    std::string op, attribute;
    std::optional<std::string> value;
    OpCategory category;
    std::string text;
  };
  struct LocationEntry {
    // A pattern refers to its text, which copies of the policy therefore share.
    std::shared_ptr<const std::string> owned;
    llvm::GlobPattern pattern;
    bool isOfNames;
    OpCategory category;
    std::string text;

    bool matches(const LocationText &location) const;
  };

  std::string origin;
  llvm::StringMap<OpCategory> byName;
  std::vector<AttributeEntry> byAttribute;
  std::vector<LocationEntry> byLocation;
};

/// Changes that a user makes to a policy: entries to add to each list, and names of ops to take out of each.
struct PolicyEdits {
  struct List {
    PrecisionCategory category;
    llvm::ArrayRef<std::string> add, remove;
  };
  llvm::ArrayRef<List> lists;
};

/// Which category each op has, the low type, and how each op's type is decided.
class PrecisionPolicy {
public:
  /// `auto`, `mixed_float16`, `mixed_bfloat16`, `float32`, one that ships or the path of a policy file (it
  /// holds a `/` or a `.`). A file is untrusted: at most 1 MiB, known ops, disjoint lists; errors name file and line.
  static ErrorOr<PrecisionPolicy> load(llvm::StringRef name, const KnownOps &ops);

  /// The policy that `text` holds; see docs/autocast.md for the format. `name` is used in errors.
  static ErrorOr<PrecisionPolicy> parse(llvm::StringRef name, llvm::StringRef text, const KnownOps &ops);

  /// Applies a user's lists. Taking an op out of a list in which it is not is an error. An op that is then in no list
  /// takes the widest type of its operands (promote), as PyTorch runs an op that it does not list.
  Status edit(const PolicyEdits &edits, const KnownOps &ops);

  /// The low type; none where nothing is to be cast, and where the fastest is to be chosen.
  std::optional<Precision> lowType() const { return low; }
  /// `precision` f32 leaves nothing to choose: all is f32.
  void setLowType(Precision precision);

  /// Whether ops are low only where the modelled step is then faster: `auto`, and by the rule what has a low type.
  bool decidesByCost(DecisionRule rule = DecisionRule::PerOp) const {
    return byCost || (rule == DecisionRule::Cost && low);
  }

  /// Whether values of rank 0 have no say in the widest type among values that have dimensions.
  bool scalarsFollow() const { return zeroDimensionalFollow; }

  /// Whether squares that are summed are f32 whatever the type that they follow; the lists of others know no such rule.
  bool widensSummedSquares() const { return summedSquaresWide; }

  /// Whether sums of parts of k may be rounded to the type of the operands, unless the user says otherwise.
  bool allowsReducedPrecisionReduction() const { return reducedPrecisionReduction; }

  /// The category of an op; an error if two patterns disagree about it.
  ErrorOr<OpCategory> categorize(const OpFacts &op) const;

  /// The user's location patterns that match none of `places`, as they were given.
  std::vector<std::string> findUnmatched(llvm::ArrayRef<LocationText> places) const {
    return user.findUnmatched(places);
  }

private:
  std::optional<Precision> low;
  bool zeroDimensionalFollow = false;
  bool summedSquaresWide = true;
  bool reducedPrecisionReduction = false;
  bool byCost = false;
  PolicyLayer file, user;
};

} // namespace mp

#endif // MP_ANALYSIS_POLICY_H
