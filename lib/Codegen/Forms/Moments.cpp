// Moments of blocks of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/Indices.h"

using namespace mlir;
using namespace mp;

namespace {

struct MomentForms : ScalarForms {
  // Neighbours are of one block.
  static int64_t run(RecenterSquaresOp op) { return std::max<int64_t>(shapeOf(op.getShifts()).back(), 1); }

  FormResult form(RecenterSquaresOp op) {
    const Indices index{b};
    const auto rows = static_cast<int64_t>(op.getRows()), block = static_cast<int64_t>(op.getBlock());
    Value before = index.mul(in.inRowsOf(run(op)).first, block);
    Value here = b.createOrFold<arith::MinSIOp>(index.sub(index.i64(rows), before), index.i64(block));
    Value count = splat(b, arith::SIToFPOp::create(b, b.getF32Type(), here), in.width);
    Value moved = arith::SubFOp::create(b, operand(0), operand(3));
    Value apart = arith::AddFOp::create(b, moved, arith::DivFOp::create(b, operand(1), count));
    Value between = arith::MulFOp::create(b, count, arith::MulFOp::create(b, apart, apart));
    return exact(arith::AddFOp::create(b, operand(2), between));
  }
};

} // namespace

void mp::attachMomentForms(MLIRContext *context) { attachForms<MomentForms>(context); }
