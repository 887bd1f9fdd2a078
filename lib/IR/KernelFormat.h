// The text form of mp.kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_KERNELFORMAT_H
#define MP_LIB_IR_KERNELFORMAT_H

#include "mp/IR/MP.h"

namespace mp {

/// `(%a = %x, ...) [schedule(...)] [buffers([...])] [guard(%a)] : (types) -> types { body }`; block arguments are named
/// in the list.
mlir::ParseResult parseKernel(mlir::OpAsmParser &parser,
                              llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &inputs,
                              llvm::SmallVectorImpl<mlir::Type> &inputTypes, ScheduleInterface &schedule,
                              mlir::ArrayAttr &buffers, mlir::IntegerAttr &guard,
                              llvm::SmallVectorImpl<mlir::Type> &resultTypes, mlir::Region &body);
void printKernel(mlir::OpAsmPrinter &printer, KernelOp op, mlir::OperandRange inputs, mlir::TypeRange inputTypes,
                 ScheduleInterface schedule, mlir::ArrayAttr buffers, mlir::IntegerAttr guard,
                 mlir::TypeRange resultTypes, mlir::Region &body);

} // namespace mp

#endif // MP_LIB_IR_KERNELFORMAT_H
