// Which ops share a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_GROUPS_H
#define MP_LIB_KERNELS_FORMING_GROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace mp {

/// Ops that will share a kernel.
struct Group {
  KernelKind kind;
  /// Contraction, Map: of the results. Row: [R..., C]. Column: of the results, [C...]. Else empty.
  llvm::SmallVector<int64_t> shape = {};
  /// A map that computes next states: it stays apart so that all of them become one kernel, in place.
  bool updates = false;
  llvm::SmallVector<mlir::Operation *> ops = {};
  /// Longest way from an argument, counted in groups: greater than that of every group that this one reads.
  unsigned depth = 0;
  /// Another group reads a value of this one.
  bool isRead = false;
  /// Every operand fits the rows of `shape`, so that a map may become rows.
  bool fitsRows = true;

  /// Whether both become kernels of one kind.
  bool isLike(const Group &other) const { return kind == other.kind && updates == other.updates; }
};

/// Assigns the ops of a program to groups, so that groups never depend on each other in a circle.
///
/// An op is either in one group or *repeated*: cheap, and computed again in each group that reads it. Ops are taken in
/// program order. An op joins the group of one of its producers if it fits that group's kind and every other group that
/// it reads is less deep (then none of those can depend on the group) or nothing reads the group yet.
class Grouping {
public:
  explicit Grouping(mlir::func::FuncOp func);

  /// All groups; a group without ops was merged into another.
  std::vector<Group> &getGroups() { return groups; }
  const std::vector<Group> &getGroups() const { return groups; }

  bool isRepeated(mlir::Operation *op) const { return repeated.contains(op); }
  /// The group that computes `value` or of which it is a view; nothing for arguments and constants.
  std::optional<unsigned> getProducer(mlir::Value value) const;
  /// The values in memory that `group` reads: of arguments, constants, views and other groups.
  llvm::SetVector<mlir::Value> getInputs(unsigned group) const;
  /// The position of an op in the program.
  unsigned getOrder(mlir::Operation *op) const { return order.lookup(op); }

  /// Moves all ops of `from` into `into`.
  void merge(unsigned into, unsigned from);

private:
  /// The values in memory that `value` is computed from by repeated ops; itself if it is in memory.
  void appendLeaves(mlir::Value value, llvm::SetVector<mlir::Value> &leaves) const;
  bool shouldRepeat(mlir::Operation *op) const;
  void assign(mlir::Operation *op);
  Group describe(mlir::Operation *op) const;
  bool fits(mlir::Operation *op, const Group &wanted, const Group &host) const;
  bool rowsFit(mlir::Operation *op, llvm::ArrayRef<int64_t> shape) const;
  bool isOfColumnAlone(mlir::Operation *op) const;
  bool isPrologueOf(const Group &group, mlir::Operation *op) const;
  void absorbProducers(unsigned host, llvm::SmallVectorImpl<unsigned> &producers,
                       llvm::function_ref<bool(unsigned producer)> isViewed);
  bool canJoin(unsigned host, llvm::ArrayRef<unsigned> producers) const;
  void join(mlir::Operation *op, const Group &wanted, unsigned host, llvm::ArrayRef<unsigned> producers);

  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf, order;
  /// Repeated ops with their leaves and the length of their longest chain.
  struct Repeated {
    llvm::SetVector<mlir::Value> leaves;
    unsigned length = 1;
  };
  llvm::DenseMap<mlir::Operation *, Repeated> repeated;
};

/// For each group the groups that it reads.
std::vector<llvm::SmallVector<unsigned>> getReads(const Grouping &grouping);

/// The place of a group among those that are ready with it: the first number decides, then the second.
using GroupRank = std::pair<bool, unsigned>;

/// Groups such that each comes after those that it reads: of those that are ready the one of least rank first, of one
/// rank the one of least number.
std::vector<unsigned> sortByReads(llvm::ArrayRef<llvm::SmallVector<unsigned>> reads,
                                  llvm::function_ref<GroupRank(unsigned group)> rankOf);

/// Merges groups of one kind that do not depend on each other: rows of one tensor, columns, partial results, scalars,
/// updates, and maps of equal depth. Linear in what groups read, and sorts them.
void mergeIndependentGroups(Grouping &grouping);

/// Puts each group into an `mp.kernel` and leaves views, constants and the return outside.
void emitKernels(mlir::func::FuncOp func, Grouping &grouping);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_GROUPS_H
