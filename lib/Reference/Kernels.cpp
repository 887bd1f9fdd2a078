// Rules of MPKernelOps.td and MPScheduledOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Rules.h"
#include "mp/Numerics/Float.h"

#include <algorithm>
#include <cmath>
#include <span>

using namespace mp;

Tensor rules::evaluate(CopyOp op, const Frame &frame) { return frame[op.getInput()]; }

/// Calls `function(index, elements)` for each block of `block` elements; the last may be shorter.
template <typename Function>
static void forEachBlock(const std::vector<double> &values, uint64_t block, Function function) {
  for (uint64_t start = 0, index = 0; start < values.size(); start += block, ++index)
    function(index, std::span(values).subspan(start, std::min<uint64_t>(block, values.size() - start)));
}

Tensor rules::evaluate(NonfiniteBlocksOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<int64_t> flags(*elementCount(type), 0);
  forEachBlock(frame[op.getInput()].reals(), op.getBlock(), [&](uint64_t index, std::span<const double> block) {
    flags[index] = std::any_of(block.begin(), block.end(), [](double value) { return !std::isfinite(value); });
  });
  return Tensor::ofIntegers(std::move(type), flags);
}

Tensor rules::evaluate(SumSquaresBlocksOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<double> sums(*elementCount(type), 0.0);
  forEachBlock(frame[op.getInput()].reals(), op.getBlock(), [&](uint64_t index, std::span<const double> block) {
    SumOfSquares sum(frame.options);
    for (double value : block)
      sum.add(value);
    sums[index] = sum.get();
  });
  return Tensor::ofReals(std::move(type), sums);
}

Tensor rules::evaluate(SumRowBlocksOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const std::vector<double> values = frame[op.getInput()].reals();
  const int64_t columns = type.shape[1], block = op.getBlock();
  std::vector<Accumulator> accumulators(*elementCount(type), Accumulator(ElementType::F32, frame.options));
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i)
    accumulators[i / columns / block * columns + i % columns].add(values[i]);
  std::vector<double> sums;
  for (const Accumulator &accumulator : accumulators)
    sums.push_back(accumulator.get());
  return Tensor::ofReals(std::move(type), sums);
}

/// How many of `rows` are in block `number` of so many.
static double rowsOfBlock(int64_t rows, int64_t block, int64_t number) {
  return static_cast<double>(std::min(block, rows - number * block));
}

rules::Tensors rules::evaluate(RowBlockMomentsOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getSums());
  const std::vector<double> values = frame[op.getInput()].reals();
  const int64_t columns = type.shape[1], block = op.getBlock(), size = values.size();
  std::vector<double> sums(*elementCount(type), 0.0), shifts(sums), differences(sums), squares(sums);
  auto forElements = [&](auto see) {
    for (int64_t i = 0; i < size; ++i)
      see(i, i / columns / block * columns + i % columns);
  };
  forElements([&](int64_t i, int64_t place) {
    if (i / columns % block == 0 && std::isfinite(values[i]))
      shifts[place] = values[i];
    sums[place] += values[i];
    differences[place] += values[i] - shifts[place];
  });
  forElements([&](int64_t i, int64_t place) {
    const double mean = sums[place] / rowsOfBlock(size / columns, block, place / columns);
    squares[place] += (values[i] - mean) * (values[i] - mean);
  });
  return {Tensor::ofReals(type, sums), Tensor::ofReals(type, shifts), Tensor::ofReals(type, differences),
          Tensor::ofReals(type, squares)};
}

Tensor rules::evaluate(RecenterSquaresOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const std::vector<double> shifts = frame[op.getShifts()].reals(), differences = frame[op.getDifferences()].reals();
  const std::vector<double> center = frame[op.getCenter()].reals();
  std::vector<double> squares = frame[op.getSquares()].reals();
  for (size_t i = 0; i < squares.size(); ++i) {
    const double rows = rowsOfBlock(op.getRows(), op.getBlock(), i / center.size());
    const double apart = shifts[i] - center[i % center.size()] + differences[i] / rows;
    squares[i] += rows * apart * apart;
  }
  return Tensor::ofReals(std::move(type), squares);
}

Tensor rules::evaluate(NonfiniteTilesOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const Tensor &input = frame[op.getInput()];
  const std::vector<double> values = input.reals();
  const int64_t rows = input.type.shape.end()[-2], columns = input.type.shape.back();
  const int64_t tileRows = op.getRows(), tileColumns = op.getColumns();
  const int64_t down = (rows + tileRows - 1) / tileRows, across = (columns + tileColumns - 1) / tileColumns;
  std::vector<int64_t> flags(*elementCount(type), 0);
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    const int64_t matrix = i / columns / rows, row = i / columns % rows, column = i % columns;
    if (!std::isfinite(values[i]))
      flags[(matrix * down + row / tileRows) * across + column / tileColumns] = 1;
  }
  return Tensor::ofIntegers(std::move(type), flags);
}

Tensor rules::evaluate(FirstBadOp op, const Frame &frame) {
  int64_t bad = -1;
  for (auto [index, flags] : llvm::enumerate(op.getFlags()))
    for (int64_t flag : frame[flags].integers())
      if (flag != 0 && bad < 0)
        bad = index;
  return Tensor::ofIntegers(runtimeTypeOf(op.getBad()), {bad});
}

/// For each element of `op`'s matrices, as they lie, where a part of it lies packed.
template <typename Op> static std::vector<int64_t> findPacked(Op op, int64_t part) {
  const PackedMatrix matrix = op.getMatrix();
  const IndexMap map = op.getMap();
  std::vector<int64_t> places(matrix.batch * matrix.rows * matrix.k);
  for (int64_t number = 0; number < matrix.batch; ++number)
    for (int64_t row = 0; row < matrix.rows; ++row)
      for (int64_t k = 0; k < matrix.k; ++k)
        places[*map.find(number, row, k)] = matrix.indexOf(number, row, k, part);
  return places;
}

/// The bf16 nearest to `value`, which is not infinite where that is finite.
static double leadingBF16(double value) {
  constexpr double kLargest = 0x1.fep127;
  return std::isfinite(value) ? decodeBF16(encodeBF16(std::clamp(value, -kLargest, kLargest))) : value;
}

Tensor rules::evaluate(PackOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  std::vector<double> rest = frame[op.getInput()].reals();
  std::vector<double> packed(*elementCount(type), 0.0);
  const int64_t parts = op.getPanels().getParts();
  for (int64_t part = 0; part < parts; ++part)
    for (auto [place, value] : llvm::zip_equal(findPacked(op, part), rest)) {
      packed[place] = parts == 1 ? value : leadingBF16(value);
      value = std::isfinite(value) ? value - packed[place] : 0.0;
    }
  return Tensor::ofReals(std::move(type), packed);
}

Tensor rules::evaluate(UnpackOp op, const Frame &frame) {
  const std::vector<double> packed = frame[op.getInput()].reals();
  std::vector<double> values(*elementCount(runtimeTypeOf(op.getResult())), 0.0);
  // The smallest first, so that every sum is exact.
  for (int64_t part = op.getPanels().getParts(); part-- > 0;)
    for (auto [place, value] : llvm::zip_equal(findPacked(op, part), values))
      value += packed[place];
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}
