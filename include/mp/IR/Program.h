//===- Program.h - what a function's arguments and results are ------------------------------------------*- C++ -*-===//

#ifndef MP_IR_PROGRAM_H
#define MP_IR_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

#include <optional>

namespace mp {

/// The attributes of a program's function, arguments and results (docs/IR.md, 1).
namespace names {
inline constexpr llvm::StringLiteral program = "mp.program";
inline constexpr llvm::StringLiteral batch = "mp.batch";
inline constexpr llvm::StringLiteral input = "mp.input";
inline constexpr llvm::StringLiteral parameter = "mp.parameter";
inline constexpr llvm::StringLiteral state = "mp.state";
inline constexpr llvm::StringLiteral initializer = "mp.initializer";
inline constexpr llvm::StringLiteral rowWeights = "mp.row_weights";
inline constexpr llvm::StringLiteral loss = "mp.loss";
inline constexpr llvm::StringLiteral output = "mp.output";
inline constexpr llvm::StringLiteral metric = "mp.metric";
inline constexpr llvm::StringLiteral next = "mp.next";
inline constexpr llvm::StringLiteral gradient = "mp.gradient";
inline constexpr llvm::StringLiteral log = "mp.log";
/// On the log result "bad": the names that its index refers to.
inline constexpr llvm::StringLiteral logNames = "mp.log_names";
/// On a training program: consecutive skipped steps after which training ends with an error.
inline constexpr llvm::StringLiteral skipLimit = "mp.skip_limit";
inline constexpr llvm::StringLiteral batched = "mp.batched";
inline constexpr llvm::StringLiteral precision = "mp.precision";
inline constexpr llvm::StringLiteral combinesRows = "mp.combines_rows";
} // namespace names

enum class ProgramKind { Model, TrainStep, Accumulate, Apply, Eval, Infer, Derive };
enum class ArgumentRole { Input, Parameter, State, RowWeights };
enum class ResultRole { Loss, Output, Metric, Next, Gradient, Log };

/// `train_step`, `eval`, ... as mp.program spells it.
llvm::StringRef stringifyProgramKind(ProgramKind kind);
std::optional<ProgramKind> symbolizeProgramKind(llvm::StringRef name);

/// The program a function holds, or nothing if the function carries no mp.program.
std::optional<ProgramKind> getProgramKind(mlir::func::FuncOp func);
/// Makes `func` the program `kind`: sets mp.program.
void setProgramKind(mlir::func::FuncOp func, ProgramKind kind);
/// The functions of `module` that hold a program of this kind, in order.
llvm::SmallVector<mlir::func::FuncOp> getPrograms(mlir::ModuleOp module, ProgramKind kind);

/// Role and name of argument `index`. The function is verified: every argument has exactly one role.
ArgumentRole getArgumentRole(mlir::func::FuncOp func, unsigned index);
llvm::StringRef getArgumentName(mlir::func::FuncOp func, unsigned index);
/// Role and name of result `index`; the loss is named "loss".
ResultRole getResultRole(mlir::func::FuncOp func, unsigned index);
llvm::StringRef getResultName(mlir::func::FuncOp func, unsigned index);

/// The argument that is the parameter or state `name`, or null.
mlir::BlockArgument findState(mlir::func::FuncOp func, llvm::StringRef name);
/// The argument that is the row weights, or null.
mlir::BlockArgument findRowWeights(mlir::func::FuncOp func);
/// The index of the result with this role (and name, if not empty), or nothing.
std::optional<unsigned> findResult(mlir::func::FuncOp func, ResultRole role, llvm::StringRef name = {});
/// The func.return of a program.
mlir::func::ReturnOp getReturn(mlir::func::FuncOp func);

/// Appends an argument of this role and name at `loc`, with an initializer if it is state.
mlir::BlockArgument addArgument(mlir::func::FuncOp func, mlir::Type type, ArgumentRole role, llvm::StringRef name,
                                mlir::Attribute initializer, mlir::Location loc);
/// Appends `value` as a result of this role and name; `extra` holds further result attributes.
void addResult(mlir::func::FuncOp func, mlir::Value value, ResultRole role, llvm::StringRef name,
               llvm::ArrayRef<mlir::NamedAttribute> extra = {});
/// Erases result `index` together with its operand of func.return.
void eraseResult(mlir::func::FuncOp func, unsigned index);

} // namespace mp

#endif // MP_IR_PROGRAM_H
