// Which ops share a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/Groups.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Forming/Prepare.h"
#include "mp/IR/Program.h"
#include "mp/IR/Views.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

/// Arithmetic per element up to which an op is cheap enough to repeat.
static constexpr int64_t kCheapOperations = 4;
/// Repeated ops in a row: bounds what a kernel repeats.
static constexpr unsigned kLongestRepeat = 8;
/// Users up to which a narrower copy of an argument is made anew by each rather than once in memory.
static constexpr unsigned kMostRepeats = 4;

static bool isSmall(Value value) { return typeOf(value).getNumElements() <= kMostSerialElements; }
static int64_t bitsPerElement(Value value) { return typeOf(value).getElementTypeBitWidth(); }

/// Whether `value` is one row [C] that repeats along `rows` [R..., C]: read again and again, it stays at hand.
static bool isRowOf(Value value, Value rows) {
  ArrayRef<int64_t> own = typeOf(value).getShape(), shape = typeOf(rows).getShape();
  return own.size() == 1 && shape.size() > 1 && own.back() == shape.back();
}

/// The one tensor that an elementwise op reads element by element, beside scalars and rows, or null.
static Value getRepeatedSource(Operation *op) {
  Value result = op->getResult(0), source;
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    if (readsWhole(use))
      return {};
    if (isScalar(operand) || isRowOf(operand, result))
      continue;
    if (source || typeOf(operand).getShape() != typeOf(result).getShape())
      return {};
    source = operand;
  }
  return source;
}

/// Whether an op computes the next value of a state, which its kernel should write in place.
static bool writesState(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  for (OpResult result : op->getResults())
    for (OpOperand &use : result.getUses())
      if (isa<func::ReturnOp>(use.getOwner()) && getNextState(func, use.getOperandNumber()))
        return true;
  return false;
}

Grouping::Grouping(func::FuncOp func) {
  Block &block = func.getBody().front();
  for (auto [index, op] : llvm::enumerate(block))
    order[&op] = index;
  for (Operation &op : block.without_terminator()) {
    if (isView(&op))
      continue; // in no kernel
    if (shouldRepeat(&op)) {
      Repeated entry;
      for (Value operand : op.getOperands()) {
        appendLeaves(operand, entry.leaves);
        if (auto found = repeated.find(operand.getDefiningOp()); found != repeated.end())
          entry.length = std::max(entry.length, found->second.length + 1);
      }
      repeated[&op] = std::move(entry);
      continue;
    }
    if (roleOf(&op) != KernelRole::Constant)
      assign(&op);
  }
}

std::optional<unsigned> Grouping::getProducer(Value value) const {
  auto found = groupOf.find(getBase(value).getDefiningOp());
  return found == groupOf.end() ? std::nullopt : std::optional(found->second);
}

void Grouping::appendLeaves(Value value, llvm::SetVector<Value> &leaves) const {
  auto found = repeated.find(value.getDefiningOp());
  if (found == repeated.end())
    leaves.insert(value);
  else
    leaves.insert(found->second.leaves.begin(), found->second.leaves.end());
}

// Repeated ops

bool Grouping::shouldRepeat(Operation *op) const {
  KernelRole role = roleOf(op);
  // A contraction packs its operands from memory: what has no tensor in memory behind it is put there.
  bool feedsContraction = llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<KernelOpInterface>(user) && roleOf(user) == KernelRole::Contraction;
  });
  bool needsBuffer = llvm::any_of(op->getUses(), [](OpOperand &use) {
    return isa<func::ReturnOp>(use.getOwner()) || isView(use.getOwner()) || readsWhole(use);
  });
  if (DenseElementsAttr data; matchPattern(op, m_Constant(&data)))
    return data.isSplat() && !needsBuffer && !feedsContraction;
  if (role != KernelRole::Map || op->getNumResults() != 1 || needsBuffer ||
      cast<KernelOpInterface>(op).getOperationsPerElement() > kCheapOperations)
    return false;

  Value result = op->getResult(0);
  if (!isScalar(result) && op->getNumOperands() > 0 && !getRepeatedSource(op))
    return false;
  llvm::SetVector<Value> leaves;
  for (Value operand : op->getOperands()) {
    appendLeaves(operand, leaves);
    if (auto found = repeated.find(operand.getDefiningOp());
        found != repeated.end() && found->second.length >= kLongestRepeat)
      return false;
  }
  Value tensor;
  bool hasRow = false;
  for (Value leaf : leaves) {
    // What only depends on scalars of other kernels is a scalar worth keeping.
    if (isScalar(leaf) && isScalar(result) && getProducer(leaf))
      return false;
    if (isScalar(leaf))
      continue;
    if (isRowOf(leaf, result)) {
      hasRow = true;
      continue;
    }
    if (tensor)
      return false;
    tensor = leaf;
  }
  if (isScalar(result))
    return !tensor;
  if (!tensor)
    return !feedsContraction;
  // Each tap of a filter would compute it anew.
  if (hasRow && feedsContraction)
    return false;
  // Integers that a kernel makes it converts, too: a contraction would at each of its reads.
  if (getProducer(tensor) && feedsContraction && !isa<FloatType>(elementOf(tensor)))
    return false;
  if (!getProducer(tensor))
    return bitsPerElement(result) >= bitsPerElement(tensor) || llvm::range_size(result.getUses()) <= kMostRepeats;
  return bitsPerElement(result) > bitsPerElement(tensor) ||
         (bitsPerElement(result) == bitsPerElement(tensor) && !tensor.hasOneUse());
}

// Groups

/// The group that `op` would make alone.
Group Grouping::describe(Operation *op) const {
  auto shapeOf = [](Value value) { return SmallVector<int64_t>(typeOf(value).getShape()); };
  switch (getKindAlone(op)) {
  case KernelKind::Contraction:
    return {KernelKind::Contraction, shapeOf(op->getResult(0))};
  case KernelKind::Map:
    return {KernelKind::Map, shapeOf(op->getResult(0)), writesState(op)};
  case KernelKind::Row:
    return {KernelKind::Row, shapeOf(op->getOperand(0))};
  case KernelKind::Column:
    return {KernelKind::Column, shapeOf(op->getResult(0))};
  case KernelKind::Partial:
    return {KernelKind::Partial};
  case KernelKind::Serial:
    return {KernelKind::Serial};
  case KernelKind::Pack:
    return {KernelKind::Pack};
  case KernelKind::Attention:
    return {KernelKind::Attention};
  }
  llvm_unreachable("unknown kind");
}

/// Whether every value that `op` reads or makes has the shape [R..., C], [R...] or [R..., 1] of rows [R..., C], or is a
/// scalar or one row [C]. Where R is C, too, a value that the kernel makes may be either, and one of each row is not at
/// hand where a whole row is read.
bool Grouping::rowsFit(Operation *op, ArrayRef<int64_t> shape) const {
  if (shape.empty())
    return false;
  ArrayRef<int64_t> rows = shape.drop_back();
  SmallVector<int64_t> column(rows);
  column.push_back(1);
  auto isRow = [&](Value value) {
    ArrayRef<int64_t> own = typeOf(value).getShape();
    return own.empty() || own == shape || own == rows || own == ArrayRef(column);
  };
  auto isMade = [&](Value value) {
    llvm::SetVector<Value> leaves;
    appendLeaves(value, leaves);
    return llvm::any_of(leaves, [&](Value leaf) { return getProducer(leaf).has_value(); });
  };
  if (!llvm::all_of(op->getResults(), isRow))
    return false;
  // What takes all elements from anywhere finds them by position, and where it has one row is not known from that.
  if (op->getNumOperands() > 0 && llvm::all_of(op->getOpOperands(), [](OpOperand &use) { return readsWhole(use); }))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &use) {
    Value operand = use.get();
    if (readsWhole(use))
      return true;
    ArrayRef<int64_t> own = typeOf(operand).getShape();
    bool isOneRow = own == shape.take_back() && typeOf(op->getResult(0)).getShape() == shape;
    if (isOneRow && own == rows && isMade(operand))
      return false;
    return isRow(operand) || isOneRow;
  });
}

/// Whether `group` is a prologue: elementwise, and nothing but `op` reads its values.
bool Grouping::isPrologueOf(const Group &group, Operation *op) const {
  // Long chains are left alone, so that asking costs no more than a constant per op.
  static constexpr size_t kLongestPrologue = 64;
  if (group.ops.size() > kLongestPrologue)
    return false;
  return llvm::all_of(group.ops, [&](Operation *own) {
    return roleOf(own) == KernelRole::Map && own->getNumResults() == 1 &&
           llvm::all_of(own->getUsers(),
                        [&](Operation *user) { return user == op || llvm::is_contained(group.ops, user); });
  });
}

/// Whether `op`, which alone would make the group `wanted`, fits the kind of kernel that `host` is.
bool Grouping::fits(Operation *op, const Group &wanted, const Group &host) const {
  bool isMap = roleOf(op) == KernelRole::Map;
  bool single = isMap && op->getNumResults() == 1 && !writesState(op);
  switch (host.kind) {
  case KernelKind::Contraction:
    if (roleOf(op) == KernelRole::Tile)
      return typeOf(op->getOperand(0)).getShape() == ArrayRef(host.shape);
    [[fallthrough]];
  case KernelKind::Column:
    return single && wanted.shape == host.shape && !isScalar(op->getResult(0));
  case KernelKind::Map:
    if (isMap || host.updates)
      return isMap && wanted.shape == host.shape && !isScalar(op->getResult(0));
    // A reduction takes the map that feeds it.
    if (wanted.kind == KernelKind::Row)
      return host.fitsRows && wanted.shape == host.shape && rowsFit(op, host.shape);
    return wanted.kind == KernelKind::Column && typeOf(op->getOperand(0)).getShape() == ArrayRef(host.shape) &&
           isPrologueOf(host, op);
  case KernelKind::Row:
    return (single || wanted.kind == KernelKind::Row) && (isMap || wanted.shape == host.shape) &&
           rowsFit(op, host.shape);
  case KernelKind::Serial:
    return wanted.kind == KernelKind::Serial && llvm::all_of(op->getOperands(), isSmall);
  case KernelKind::Partial:
  case KernelKind::Pack:
  case KernelKind::Attention:
    return false;
  }
  llvm_unreachable("unknown kind");
}

bool Grouping::canJoin(unsigned host, ArrayRef<unsigned> producers) const {
  return !groups[host].isRead || llvm::all_of(producers, [&](unsigned producer) {
    return producer == host || groups[producer].depth < groups[host].depth;
  });
}

void Grouping::join(Operation *op, const Group &wanted, unsigned host, ArrayRef<unsigned> producers) {
  Group &group = groups[host];
  for (unsigned producer : producers) {
    if (producer == host)
      continue;
    groups[producer].isRead = true;
    group.depth = std::max(group.depth, groups[producer].depth + 1);
  }
  const bool becomesOther = wanted.kind != KernelKind::Map || wanted.updates;
  if (group.kind == KernelKind::Map && becomesOther && wanted.kind != KernelKind::Serial) {
    group.kind = wanted.kind; // the map is the prologue of a reduction now, or updates state
    group.updates = wanted.updates;
    group.shape = wanted.shape;
  }
  group.fitsRows &= roleOf(op) != KernelRole::Movement && !writesState(op) && rowsFit(op, group.shape);
  group.ops.push_back(op);
  groupOf[op] = host;
}

/// Whether `op` is better computed by the sum over rows that alone reads it than by who makes its operands: these are
/// stored anyway, so that the sum reads them instead of what `op` would store.
bool Grouping::isOfColumnAlone(Operation *op) const {
  if (roleOf(op) != KernelRole::Map || op->getNumResults() != 1 || !op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  if (!isa<KernelOpInterface>(user) || getKindAlone(user) != KernelKind::Column)
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    while (operand && operand.hasOneUse() && repeated.contains(operand.getDefiningOp()))
      operand = getRepeatedSource(operand.getDefiningOp());
    return !operand || isScalar(operand) || isRowOf(operand, op->getResult(0)) || !operand.hasOneUse() ||
           !getProducer(operand);
  });
}

void Grouping::assign(Operation *op) {
  llvm::SetVector<Value> leaves;
  for (Value operand : op->getOperands())
    appendLeaves(operand, leaves);
  SmallVector<unsigned> producers;
  for (Value leaf : leaves)
    if (std::optional<unsigned> producer = getProducer(leaf); producer && !llvm::is_contained(producers, *producer))
      producers.push_back(*producer);
  // The deepest producer first: joining it waits for none of the others.
  llvm::sort(producers,
             [&](unsigned a, unsigned b) { return std::pair(groups[b].depth, a) < std::pair(groups[a].depth, b); });

  // A view lies in memory, and so does what is read whole: its reader is another kernel than its writer.
  llvm::SmallDenseSet<unsigned> written;
  for (Value leaf : leaves)
    if (std::optional<unsigned> producer = getProducer(leaf); producer && getBase(leaf) != leaf)
      written.insert(*producer);
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<unsigned> producer = getProducer(operand.get()); producer && readsWhole(operand))
      written.insert(*producer);
  auto isViewed = [&](unsigned producer) { return written.contains(producer); };

  Group wanted = describe(op);
  std::optional<unsigned> host;
  const bool staysApart = isOfColumnAlone(op);
  for (unsigned producer : producers)
    if (!staysApart && fits(op, wanted, groups[producer]) && !isViewed(producer) && canJoin(producer, producers)) {
      host = producer;
      break;
    }
  if (!host) {
    host = groups.size();
    groups.push_back({wanted.kind, wanted.shape, wanted.updates});
  }
  if (wanted.isLike(groups[*host]))
    absorbProducers(*host, producers, isViewed);
  join(op, wanted, *host, producers);
}

/// exp(x) + exp(y): both maps become one with their sum, as scalars do. A group that nothing read yet has no way to
/// `host`, and `host`, which is at least as deep, none to it. What is read as a view stays where it is.
void Grouping::absorbProducers(unsigned host, SmallVectorImpl<unsigned> &producers,
                               function_ref<bool(unsigned)> isViewed) {
  const Group &own = groups[host];
  if (own.updates || (own.kind != KernelKind::Map && own.kind != KernelKind::Serial))
    return;
  llvm::erase_if(producers, [&](unsigned producer) {
    Group &other = groups[producer];
    if (producer == host || !other.isLike(groups[host]) || other.isRead || other.shape != groups[host].shape ||
        other.depth > groups[host].depth || isViewed(producer))
      return false;
    groups[host].fitsRows &= other.fitsRows;
    merge(host, producer);
    return true;
  });
}

void Grouping::merge(unsigned into, unsigned from) {
  for (Operation *op : groups[from].ops)
    groupOf[op] = into;
  llvm::append_range(groups[into].ops, groups[from].ops);
  groups[from].ops.clear();
}

llvm::SetVector<Value> Grouping::getInputs(unsigned group) const {
  llvm::SetVector<Value> leaves, inputs;
  for (Operation *op : groups[group].ops)
    for (Value operand : op->getOperands())
      appendLeaves(operand, leaves);
  for (Value leaf : leaves) {
    auto found = groupOf.find(leaf.getDefiningOp());
    if (found == groupOf.end() || found->second != group)
      inputs.insert(leaf);
  }
  return inputs;
}
