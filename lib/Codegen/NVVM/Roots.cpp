// What the blocks of a merged kernel compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Roots.h"

#include "Codegen/Emit/Reduce.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mp;

void mp::appendSources(Value value, llvm::SetVector<Value> &sources) {
  if (!sources.insert(value))
    return;
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      appendSources(operand, sources);
}

// Which roots are alike

namespace {

/// What a root computes, as a text that is that of another root where both differ in their buffers alone, or, if all
/// ops are elementwise, in buffers and sizes.
class RootText {
public:
  RootText(GPUFunction &f, const Root &root) : out(text) {
    for (unsigned index : root.results) {
      const unsigned number = visit(f.yields()[index]);
      out << "yield " << number << "\n";
    }
    for (unsigned index : root.results)
      buffers.push_back(f.kernel.getInputs().size() + index);
    out << root.kind;
    if (!isElementwise)
      out << types << root.size;
  }

  std::string text;
  SmallVector<unsigned> buffers; ///< of the kernel: those that it reads, as it meets them, then its results
  bool isElementwise = true;

private:
  unsigned visit(Value value);
  void visit(Operation *op);
  bool hasElementwiseForm(Operation *op) const;

  llvm::raw_string_ostream out;
  std::string types; ///< of all values, as they are met
  DenseMap<Value, unsigned> numbers;
};

/// Roots with one body.
struct AlikeRoots {
  SmallVector<unsigned> roots;
  SmallVector<SmallVector<unsigned>> buffers; ///< of each root, those with the same part at the same position
  unsigned largest = 0;                       ///< position of the root that is emitted
};

} // namespace

/// The one value of a constant, or null.
static Attribute splatOf(Operation *op) {
  DenseElementsAttr elements;
  return matchPattern(op, m_Constant(&elements)) && elements.isSplat() ? elements.getSplatValue<Attribute>() : nullptr;
}

/// Whether an op computes each element from the same element of operands of its shape, and from single ones.
bool RootText::hasElementwiseForm(Operation *op) const {
  if (isa<ReductionFormInterface>(op))
    return true; // the root itself, of which the emitter knows the sizes
  if (matchPattern(op, m_Constant()))
    return splatOf(op) != nullptr;
  // Movements have an element of their operand elsewhere.
  if (!isa<ScalarFormInterface>(op) || roleOf(op) == KernelRole::Movement)
    return false;
  ArrayRef<int64_t> shape = typeOf(op->getResult(0)).getShape();
  bool hasOne = false;
  for (OpOperand &operand : op->getOpOperands()) {
    // What is read whole is addressed by its sizes, even where its shape is that of the result.
    const bool isWhole = readsPerElement(operand) && typeOf(operand.get()).getShape() == shape;
    hasOne |= isWhole;
    if (!isWhole && typeOf(operand.get()).getNumElements() != 1)
      return false;
  }
  return hasOne;
}

unsigned RootText::visit(Value value) {
  if (auto known = numbers.find(value); known != numbers.end())
    return known->second;
  if (Operation *op = value.getDefiningOp()) {
    visit(op);
    return numbers.lookup(value);
  }
  out << "buffer " << typeOf(value).getElementType() << "\n";
  llvm::raw_string_ostream(types) << value.getType();
  buffers.push_back(cast<BlockArgument>(value).getArgNumber());
  return numbers[value] = numbers.size();
}

void RootText::visit(Operation *op) {
  SmallVector<unsigned> operands = llvm::map_to_vector(op->getOperands(), [&](Value v) { return visit(v); });
  isElementwise &= hasElementwiseForm(op);
  out << op->getName();
  if (Attribute value = splatOf(op))
    out << value;
  else
    out << op->getAttrDictionary();
  for (auto [operand, number] : llvm::zip_equal(op->getOpOperands(), operands)) {
    const bool isWhole = typeOf(operand.get()).getShape() == typeOf(op->getResult(0)).getShape();
    out << (readsPerElement(operand) && isWhole ? " each of " : " ") << number;
  }
  for (Value result : op->getResults()) {
    out << " " << typeOf(result).getElementType();
    llvm::raw_string_ostream(types) << result.getType();
    numbers[result] = numbers.size();
  }
  out << "\n";
}

/// Classes of roots, in the order of their first ones, without roots of no block. Where buffers are parameters no two
/// are in one class.
static SmallVector<AlikeRoots> groupRoots(GPUFunction &f, ArrayRef<Root> roots) {
  llvm::MapVector<StringRef, AlikeRoots> classes;
  std::vector<std::unique_ptr<RootText>> texts;
  SmallVector<AlikeRoots> alone;
  for (auto [index, root] : llvm::enumerate(roots)) {
    if (root.blocks == 0)
      continue;
    if (!f.buffersInMemory) {
      alone.push_back({{static_cast<unsigned>(index)}, {}, 0});
      continue;
    }
    texts.push_back(std::make_unique<RootText>(f, root));
    AlikeRoots &own = classes[texts.back()->text];
    own.roots.push_back(index);
    own.buffers.push_back(texts.back()->buffers);
    if (root.size > roots[own.roots[own.largest]].size)
      own.largest = own.roots.size() - 1;
  }
  for (auto &entry : classes)
    alone.push_back(std::move(entry.second));
  return alone;
}

// The table

/// Of the number of a row, those that are found at once, by comparison with so many rows.
static constexpr int64_t kMostBitsAtOnce = 4;

namespace {

/// The table of one class, as constants in memory: the first blocks, as many as a power of two, then a column each for
/// sizes and for buffers that are not the same in all rows.
class RootTable {
public:
  RootTable(GPUFunction &f, ArrayRef<Root> roots, const AlikeRoots &alike);

  /// emit(size, block of the root) on the buffers of the root that `block`, of the class, belongs to.
  LogicalResult emit(Value block, function_ref<LogicalResult(Value, Value)> emit);

private:
  /// Adds a column, unless all its values are the same. Gives where it begins.
  std::optional<int64_t> addColumn(ArrayRef<int64_t> column);
  Value load(Value index);
  Value findRow(Value block);

  GPUFunction &f;
  const AlikeRoots &alike;
  SmallVector<int64_t> values;
  int64_t padded = 1, fanOut = 1; ///< first blocks with those that are none, and how many are looked at at once
  std::optional<int64_t> sizes;
  SmallVector<std::optional<int64_t>> buffers;
  Value table;
};

} // namespace

RootTable::RootTable(GPUFunction &f, ArrayRef<Root> roots, const AlikeRoots &alike) : f(f), alike(alike) {
  // As few rounds as may be, of as few rows each.
  const int64_t bits = llvm::Log2_64_Ceil(alike.roots.size());
  const int64_t rounds = llvm::divideCeil(bits, kMostBitsAtOnce), bitsAtOnce = llvm::divideCeil(bits, rounds);
  fanOut = int64_t(1) << bitsAtOnce;
  padded = int64_t(1) << bitsAtOnce * rounds;
  int64_t first = 0;
  for (unsigned root : alike.roots) {
    values.push_back(first);
    first += roots[root].blocks;
  }
  values.resize(padded, std::numeric_limits<int64_t>::max());
  sizes = addColumn(llvm::map_to_vector(alike.roots, [&](unsigned root) { return roots[root].size; }));
  for (size_t part = 0; part < alike.buffers.front().size(); ++part)
    buffers.push_back(addColumn(
        llvm::map_to_vector(alike.buffers, [&](const auto &own) { return static_cast<int64_t>(own[part]); })));
  table = f.allocateConstants(values);
}

std::optional<int64_t> RootTable::addColumn(ArrayRef<int64_t> column) {
  if (llvm::all_equal(column))
    return std::nullopt;
  const auto begin = static_cast<int64_t>(values.size());
  values.append(column.begin(), column.end());
  return begin;
}

Value RootTable::load(Value index) {
  Type type = f.b.getI64Type();
  auto loaded = LLVM::LoadOp::create(f.b, type, f.offset(table, type, index), /*alignment=*/8);
  loaded.setInvariant(true);
  return loaded;
}

/// The last row whose first block is not behind `block`. Each round looks at some rows that are equally far apart,
/// whose loads wait together; those of the first round LLVM makes constants of.
Value RootTable::findRow(Value block) {
  Value row = f.i64(0), one = f.i64(1), zero = f.i64(0);
  for (int64_t apart = padded / fanOut; apart >= 1; apart /= fanOut) {
    Value behind = zero;
    for (int64_t number = 1; number < fanOut; ++number) {
      Value first = load(f.add(row, f.i64(number * apart)));
      Value isBehind = arith::CmpIOp::create(f.b, arith::CmpIPredicate::sle, first, block);
      behind = f.add(behind, arith::SelectOp::create(f.b, isBehind, one, zero));
    }
    row = f.add(row, f.mul(behind, apart));
  }
  return row;
}

LogicalResult RootTable::emit(Value block, function_ref<LogicalResult(Value, Value)> emit) {
  Value row = findRow(block);
  Value ownBlock = f.sub(block, load(row));
  Value size = sizes ? load(f.add(row, f.i64(*sizes))) : Value();
  ArrayRef<unsigned> largest = alike.buffers[alike.largest];
  SmallVector<Value> pointers;
  for (auto [buffer, column] : llvm::zip_equal(largest, buffers))
    pointers.push_back(f.loadPointer(column ? load(f.add(row, f.i64(*column))) : f.i64(buffer)));
  return f.withBuffers(largest, pointers, [&] { return emit(size, ownBlock); });
}

FailureOr<int64_t> mp::forRoots(GPUFunction &f, ArrayRef<Root> roots,
                                function_ref<LogicalResult(unsigned, Value, Value)> emit) {
  SmallVector<AlikeRoots> classes = groupRoots(f, roots);
  int64_t grid = 0;
  for (const AlikeRoots &alike : classes) {
    int64_t blocks = 0;
    for (unsigned root : alike.roots)
      blocks += roots[root].blocks;
    const unsigned root = alike.roots[alike.largest];
    auto emitBlock = [&](Value block) {
      return f.releasingShared([&] {
        auto emitAlone = [&] { return emit(root, Value(), block); };
        if (!f.buffersInMemory)
          return emitAlone();
        if (alike.roots.size() == 1) {
          // Loaded at the start of the kernel, the pointers of all such roots would stay in registers through all
          // bodies.
          ArrayRef<unsigned> own = alike.buffers.front();
          return f.withBuffers(
              own, llvm::map_to_vector(own, [&](unsigned buffer) { return f.loadPointer(f.i64(buffer)); }), emitAlone);
        }
        return RootTable(f, roots, alike).emit(block, [&](Value size, Value own) { return emit(root, size, own); });
      });
    };
    if (failed(f.forBlocks(grid, blocks, classes.size() == 1, emitBlock)))
      return failure();
    grid += blocks;
  }
  return grid;
}
