// The elements of a kernel's values, on demand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An emitter walks the elements of a result and asks for the values there; what they depend on, through maps and
// movements back to memory, is built where it asks. Nothing is materialized that the emitter did not bind.

#ifndef MP_LIB_CODEGEN_ELEMENTS_ELEMENTS_H
#define MP_LIB_CODEGEN_ELEMENTS_ELEMENTS_H

#include "Codegen/Elements/Strides.h"
#include "Codegen/Forms/Scalars.h"

#include <functional>
#include <map>

namespace mp {

/// Elements of a tensor in row-major order: lane l is at `row * unit + (column + l) * stride`. A walk keeps `row` and
/// moves `column`; its `row * unit` is a multiple of the walk's run.
struct Lanes {
  mlir::Value row;
  int64_t unit;
  mlir::Value column;
  int64_t stride;
  int64_t width;
};

class Elements {
public:
  /// With `alignsLanes` whoever asks promises that several lanes side by side start at a column that is a multiple of
  /// their number, and that buffers are aligned to 64 bytes: accesses are as aligned as that and the rows make them.
  explicit Elements(LaneBuilder &b, bool alignsLanes = false);

  /// `tensor` lies in memory, row-major, as memory types.
  void bindMemory(mlir::Value tensor, mlir::Value pointer);
  /// The one element of `tensor`.
  void bindUniform(mlir::Value tensor, mlir::Value value);

  // Values that are known only where the emitter is now. Asked for elsewhere (a transpose of them, a broadcast along
  // another dimension) they give an error at the op that made them.

  /// Of `tensor`, the elements from `where.row * where.unit` lie in memory, as memory types.
  void bindRow(mlir::Value tensor, mlir::Value pointer, const Lanes &where);
  /// The one element of `tensor` at `where.row`, which has unit 1.
  void bindOfRow(mlir::Value tensor, mlir::Value value, const Lanes &where);
  /// The lanes of `tensor`, in registers, at `where`.
  void bindLanes(mlir::Value tensor, mlir::Value value, const Lanes &where);

  /// Says that `row`, where lanes are, is row `own` of matrix `matrix`, of `rows` rows each, so that no one divides.
  void splitRow(mlir::Value row, mlir::Value matrix, mlir::Value own, int64_t rows) {
    splitRows[row] = {matrix, own, rows};
  }

  /// The same of the pixel of images of this shape that is `steps` behind `first`, with what is known of windows there.
  void placePixel(mlir::Value pixel, llvm::ArrayRef<int64_t> images, mlir::Value line, mlir::Value column,
                  mlir::Value first, int64_t steps, WindowsKnown windows) {
    splitRow(pixel, line, column, images[images.size() - 2]);
    placedPixels[pixel] = {images, windows, first, steps};
  }
  /// Says that whoever asks for elements of one of these rows, of as many matrices, asks for those of the others, too.
  void joinRows(llvm::ArrayRef<mlir::Value> rows) { joinedRows.assign(rows.begin(), rows.end()); }

  /// Steps of a walk by `stride` in `value` after which some operand jumps; 0 for never, 1 for always.
  int64_t evenRun(mlir::Value value, int64_t stride);

  /// Whether `tensor`, seen as rows of `columns`, can be walked along a row; in a row of one there is nowhere to go.
  bool isEvenAlong(mlir::Value tensor, int64_t columns) {
    return columns != 1 && evenRun(tensor, 1) % std::max<int64_t>(columns, 1) == 0;
  }
  /// Element `column` of row `row` of rows of `columns`, `width` lanes from there: as a step of a walk along the row,
  /// or, for one lane and where the row is not even, by its position.
  Lanes inRow(mlir::Value row, int64_t columns, mlir::Value column, int64_t width, bool isEven);

  /// Has costly parts built by `how`, which calls `build` where one thread does it for others and gives every one what
  /// that built.
  using BuildParts =
      std::function<mlir::FailureOr<ScalarParts>(llvm::function_ref<mlir::FailureOr<ScalarParts>()> build)>;
  void shareParts(BuildParts how) { sharedParts = std::move(how); }

  /// Builds what `values` need once, not per element: values of one element and the scalar parts of ops. What they
  /// need must be bound, except values that the emitter will bind later.
  llvm::LogicalResult prepare(mlir::ValueRange values);

  /// The values of `tensor`, in registers, at `lanes`. Emits an error if an op on the way has no native code.
  mlir::FailureOr<mlir::Value> at(mlir::Value tensor, const Lanes &lanes);

  /// The one element of `tensor`.
  mlir::FailureOr<mlir::Value> only(mlir::Value tensor) { return at(tensor, {zero, 1, zero, 0, 1}); }

  /// Stores lanes of element type `element` at `lanes`, which have stride 1 or one lane.
  void store(mlir::Value value, mlir::Type element, mlir::Value pointer, const Lanes &lanes);
  /// Stores there pass the caches, where rows are whole vectors: `pointer` is that of something larger than those, is
  /// aligned to 64, and lanes side by side start at a multiple of their number.
  void storePastCaches(mlir::Value pointer) { pastCaches.insert(pointer); }
  /// The lanes of `element`, in registers, that lie at `lanes`, `steps` rows further.
  mlir::Value load(mlir::Type element, mlir::Value pointer, const Lanes &lanes, int64_t steps = 0);

  /// While it lives, values are remembered that were built inside of it, and forgotten with it: code inside of a loop.
  class Scope {
  public:
    explicit Scope(Elements &elements) : elements(elements) { elements.scopes.emplace_back(); }
    ~Scope() { elements.scopes.pop_back(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Elements &elements;
  };

  /// The i64 constant 0, from the start of the function.
  mlir::Value zero;

private:
  enum class Kind { Memory, Uniform, Row, OfRow, Lanes };
  struct Binding {
    Kind kind;
    mlir::Value value;
    Lanes where = {};
  };
  using Key = std::tuple<const void *, const void *, int64_t, const void *, int64_t, int64_t>;
  struct Remembered {
    std::map<Key, llvm::SmallVector<mlir::Value>> results;
    std::map<Key, mlir::Value> rows;
  };

  mlir::FailureOr<mlir::Value> atBound(mlir::Value tensor, const Binding &binding, const Lanes &lanes);
  mlir::FailureOr<mlir::Value> atMap(mlir::OpResult result, const Lanes &lanes);
  std::optional<WindowsKnown> windowsAt(mlir::Operation *op, mlir::Value row) const;
  int64_t countJoined(mlir::Operation *op, mlir::Value row) const;
  mlir::FailureOr<mlir::Value> oneByOne(mlir::OpResult result, const Lanes &lanes);
  mlir::FailureOr<ScalarParts> partsOf(mlir::Operation *op);
  bool isReady(mlir::Value tensor);
  Lanes operandLanes(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, const Lanes &lanes);
  mlir::Value rowOf(mlir::Value row, int64_t times, int64_t over, int64_t modulo);
  mlir::Value position(const Lanes &lanes);
  mlir::Value addressOf(mlir::Type inMemory, mlir::Value pointer, Lanes lanes, int64_t steps = 0);
  mlir::Value stepFrom(mlir::Type inMemory, mlir::Value address, int64_t elements);
  unsigned alignmentOf(mlir::Type inMemory, const Lanes &lanes) const;

  LaneBuilder &b;
  const bool alignsLanes;
  llvm::SmallDenseSet<mlir::Value, 2> pastCaches; ///< what is stored to past them
  llvm::DenseMap<mlir::Value, Binding> bindings;
  /// What is known of a row: its matrix, its number there, and the rows of a matrix.
  llvm::DenseMap<mlir::Value, std::tuple<mlir::Value, mlir::Value, int64_t>> splitRows;
  struct PlacedPixel {
    llvm::ArrayRef<int64_t> images;
    WindowsKnown windows;
    mlir::Value first;
    int64_t steps;
  };
  llvm::DenseMap<mlir::Value, PlacedPixel> placedPixels;
  llvm::SmallVector<mlir::Value> joinedRows;
  llvm::DenseMap<mlir::Value, mlir::Value> pointers; ///< of what lies in memory, whatever it is bound to since
  /// By op, attributes and operands: optimizers of several tensors have the same parts.
  using PartsKey = std::tuple<mlir::OperationName, mlir::DictionaryAttr, llvm::SmallVector<mlir::Value, 2>>;
  std::vector<std::pair<PartsKey, ScalarParts>> parts;
  BuildParts sharedParts;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, int64_t> runs;
  std::vector<Remembered> scopes;
  llvm::DenseSet<mlir::Value> prepared;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_ELEMENTS_ELEMENTS_H
