#include "mp/IR/MP.h"
using namespace mlir;
using namespace mp;
LogicalResult MatmulOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult AddOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult SubOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult MulOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult DivOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult MaxOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ExpOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult LogOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult SqrtOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ReluOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult SelectOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult CastOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult DropoutOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ReduceSumOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ReduceMeanOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ReduceMaxOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult SoftmaxOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult SoftmaxCrossEntropyOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult ReshapeOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult TransposeOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
LogicalResult BroadcastOp::differentiate(OpBuilder &, ArrayRef<Value>, SmallVectorImpl<Value> &) { return emitOpError("has no derivative yet"); }
