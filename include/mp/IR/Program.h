// What a function's arguments and results are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_PROGRAM_H
#define MP_IR_PROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/Base/Names.h"
#include "mp/IR/MP.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

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
/// On a state that training adds to a model's own: the parameter or state that it is kept beside, or a unit.
inline constexpr llvm::StringLiteral training = "mp.training";
inline constexpr llvm::StringLiteral derived = "mp.derived";
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
/// On a training program: the loss scale's floor, an overflow at which ends training with an error.
inline constexpr llvm::StringLiteral raiseErrorAtMinScale = "mp.raise_error_at_min_scale";
/// On a training program: which loss scaling it has, `dynamic`, `static` or `none`; set by mp-loss-scaling.
inline constexpr llvm::StringLiteral lossScaling = "mp.loss_scaling";
/// On an argument: it holds values times the loss scale (the gradient sums of `accumulate` and `apply`).
inline constexpr llvm::StringLiteral scaled = "mp.scaled";
/// On `accumulate` and `apply`: how many micro-batches make one step.
inline constexpr llvm::StringLiteral microBatches = "mp.micro_batches";
inline constexpr llvm::StringLiteral batched = "mp.batched";
inline constexpr llvm::StringLiteral precision = "mp.precision";
/// On an op of floats: the number of the operand whose type it takes in autocast, whatever the others have.
inline constexpr llvm::StringLiteral follows = "mp.follows";
/// On ops of floats: those of one number take in autocast the widest type of what comes to them from in front of the
/// first.
inline constexpr llvm::StringLiteral promoteGroup = "mp.promote_group";
/// On an op of floats: the op whose entries in lists of autocast hold for it, too ("mp.pow" on the product of x ** 2).
inline constexpr llvm::StringLiteral listedAs = "mp.listed_as";
/// On a module: the type, f32 if none is low, that a policy chose which names none.
inline constexpr llvm::StringLiteral lowType = "mp.low_type";
inline constexpr llvm::StringLiteral combinesRows = "mp.combines_rows";
/// On an op that combines rows and has weights for another dimension than theirs.
inline constexpr llvm::StringLiteral rowsInside = "mp.rows_inside";
inline constexpr llvm::StringLiteral schedule = "mp.schedule";
/// On an input: no output needs it.
inline constexpr llvm::StringLiteral label = "mp.label";
/// On an input: it holds classes, from 0 to below this number.
inline constexpr llvm::StringLiteral classes = "mp.classes";
/// On an input of classes: it may hold this number, too, in rows that do not count.
inline constexpr llvm::StringLiteral ignoredLabel = "mp.ignored_label";
/// On a program: what its ops compute in, as they were before kernels were formed.
inline constexpr llvm::StringLiteral statistics = "mp.statistics";
} // namespace names

namespace states {
/// Whether this is state of the loss scaler, the only state that a skipped step writes.
bool isOfScaler(llvm::StringRef name);
} // namespace states

enum class ProgramKind { Model, TrainStep, Accumulate, Apply, Eval, Infer, Derive };
enum class ArgumentRole { Input, Parameter, State, Derived, RowWeights };
/// Derived state that is written is a next value, too.
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

/// Whether what an argument of this role holds stays between steps: parameters, state, and what is derived.
bool isState(ArgumentRole role);
/// The name of the state that result `index` is the next value of, or null; of any function.
mlir::StringAttr getNextState(mlir::func::FuncOp func, unsigned index);
/// The name of the parameter, state or derived state that argument `index` is, or null; of any function.
mlir::StringAttr getStateName(mlir::func::FuncOp func, unsigned index);
/// What argument or result `index` says of itself, or null where it is no derived state.
DerivedAttr getDerivedArgument(mlir::func::FuncOp func, unsigned index);
DerivedAttr getDerivedResult(mlir::func::FuncOp func, unsigned index);

/// The argument that is the parameter, state or derived state `name`, or null.
mlir::BlockArgument findState(mlir::func::FuncOp func, llvm::StringRef name);
/// All of these by name; for passes that look up many.
llvm::StringMap<mlir::BlockArgument> getStates(mlir::func::FuncOp func);
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

/// Changes to a program's signature, made together: linear, however many arguments and results change.
/// Arguments exist at once; the function's type, attributes and func.return follow at `commit`, until which the
/// function is not valid and the indices of results stay those of before.
class SignatureEdit {
public:
  explicit SignatureEdit(mlir::func::FuncOp func);
  SignatureEdit(const SignatureEdit &) = delete;
  SignatureEdit &operator=(const SignatureEdit &) = delete;
  ~SignatureEdit() { assert(committed && "an edit ends with commit"); }

  /// As `mp::addArgument`; `extra` holds further argument attributes.
  mlir::BlockArgument addArgument(mlir::Type type, ArgumentRole role, llvm::StringRef name, mlir::Attribute initializer,
                                  mlir::Location loc, llvm::ArrayRef<mlir::NamedAttribute> extra = {});
  /// A state of training's own that starts at `initializer`; `beside` is the parameter or state that it is kept for,
  /// empty for one of the whole job.
  mlir::BlockArgument addTrainingState(mlir::Type type, llvm::StringRef name, llvm::StringRef beside,
                                       mlir::Attribute initializer, mlir::Location loc,
                                       llvm::ArrayRef<mlir::NamedAttribute> extra = {});
  /// As `mp::addResult`.
  void addResult(mlir::Value value, ResultRole role, llvm::StringRef name,
                 llvm::ArrayRef<mlir::NamedAttribute> extra = {});
  /// The derived state that `parameter` is copied to, and its next value.
  mlir::BlockArgument addDerivedArgument(DerivedAttr derived, mlir::RankedTensorType parameter, mlir::Location loc);
  void addDerivedResult(mlir::Value value, DerivedAttr derived);
  mlir::Value getResult(unsigned index) const { return results[index]; }
  void setResult(unsigned index, mlir::Value value) { results[index] = value; }
  void eraseResult(unsigned index) { results[index] = {}; }
  /// Puts `to` in the place of `from` everywhere, results included.
  void replaceAllUses(mlir::Value from, mlir::Value to);
  /// Erases an argument that nothing uses.
  void eraseArgument(unsigned index) { erasedArguments.set(index); }
  void commit();

private:
  mlir::BlockArgument append(mlir::Type type, mlir::Location loc, llvm::ArrayRef<mlir::NamedAttribute> attributes);

  mlir::func::FuncOp func;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttributes, resultAttributes;
  llvm::SmallVector<mlir::Value> results;
  llvm::BitVector erasedArguments;
  bool committed = false;
};

/// Erases the ops that no result needs, last first.
void eraseDeadOps(mlir::func::FuncOp func);
/// Erases every argument that nothing uses, that has no next value, and of which `mayErase` holds.
void eraseUnusedArguments(mlir::func::FuncOp func, llvm::function_ref<bool(unsigned index)> mayErase);

} // namespace mp

#endif // MP_IR_PROGRAM_H
