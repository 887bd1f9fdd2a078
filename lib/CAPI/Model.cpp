// Making models from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/CompileRequest.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"

#include "mp-c/Compiler.h"
#include "mp/IR/BuildOp.h"
#include "mp/IR/Faults.h"
#include "mp/IR/Program.h"
#include "mp/Pipeline/Model.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <cstring>
#include <memory>
#include <mutex>

using namespace mlir;

namespace mp {
/// What a model and its copies share. Models are used by one thread at a time, their context by all of them.
struct ModelContext {
  explicit ModelContext(const DialectRegistry &registry) : context(registry, MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
  }

  MLIRContext context;
  std::mutex mutex; // never held while a caller's function is called
};
} // namespace mp

struct MpModel {
  explicit MpModel(std::shared_ptr<mp::ModelContext> context) : shared(std::move(context)) {}

  std::shared_ptr<mp::ModelContext> shared;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SmallVector<Value> values;
  struct Open {
    mp::AutocastOp op;
    size_t first; // of the values made in it
  };
  SmallVector<Open> open; // regions, the innermost last

  MLIRContext &context() const { return shared->context; }

  int64_t add(Value value) {
    values.push_back(value);
    return static_cast<int64_t>(values.size()) - 1;
  }

  bool has(int64_t value) const { return value >= 0 && value < static_cast<int64_t>(values.size()); }

  /// Where ops are added.
  OpBuilder builder() {
    return open.empty() ? OpBuilder(getReturn()) : OpBuilder::atBlockEnd(&open.back().op.getBody().front());
  }

  func::ReturnOp getReturn() { return cast<func::ReturnOp>(function.getBody().front().getTerminator()); }
};

namespace mp {

/// Runs `action`, of which what it says is the error, and what the first error is about; `op` is the op that is added.
static Status diagnosed(const MpModel &model, llvm::function_ref<LogicalResult()> action, const char *op = "") {
  const std::lock_guard lock(model.shared->mutex);
  std::string text;
  Fault fault;
  ScopedDiagnosticHandler handler(&model.context(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    if (text.empty()) {
      fault = getFault(diagnostic);
      if (fault.op.empty())
        fault.op = op;
    }
    text += (text.empty() ? "" : "\n") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      text += "\n" + note.str();
  });
  return succeeded(action()) ? Status::success() : Status::error(text, std::move(fault));
}

static InFlightDiagnostic refuse(const MpModel &model) { return emitError(UnknownLoc::get(&model.context())); }

static FailureOr<Type> readElement(const MpModel &model, MpElementType element) {
  const std::array<Type, 8> types = elementTypes(&model.context());
  if (static_cast<size_t>(element) >= types.size())
    return LogicalResult(refuse(model) << "there is no element type " << static_cast<int>(element));
  return types[element];
}

static MpElementType elementToC(Type type) {
  const std::array<Type, 8> types = elementTypes(type.getContext());
  return static_cast<MpElementType>(llvm::find(types, type) - types.begin());
}

/// No tensor has more dimensions, so that a rank that nobody set is none.
static constexpr int64_t kMostDimensions = 4096;

static FailureOr<RankedTensorType> readTensorType(const MpModel &model, MpElementType element, int64_t rank,
                                                  const int64_t *shape) {
  FailureOr<Type> type = readElement(model, element);
  if (failed(type))
    return failure();
  if (rank < 0 || rank > kMostDimensions || (rank > 0 && !shape))
    return LogicalResult(refuse(model) << "a type has rank " << rank << ", expected 0 to " << kMostDimensions
                                       << " and its sizes");
  SmallVector<int64_t> sizes;
  for (int64_t size : ArrayRef<int64_t>(shape, rank)) {
    if (size < -1)
      return LogicalResult(refuse(model) << "a size is " << size << ", expected at least 0, or -1 for an open one");
    sizes.push_back(size == -1 ? ShapedType::kDynamic : size);
  }
  return RankedTensorType::get(sizes, *type);
}

/// Bytes as the elements of a constant: those of its own type, or f64 that are rounded to it.
static FailureOr<ElementsAttr> readTensor(const MpModel &model, const MpTensor &tensor, MpElementType data) {
  FailureOr<RankedTensorType> type = readTensorType(model, tensor.element, tensor.rank, tensor.shape);
  FailureOr<Type> given = readElement(model, data);
  if (failed(type) || failed(given))
    return failure();
  Type element = type->getElementType();
  if (!type->hasStaticShape())
    return LogicalResult(refuse(model) << "a constant of type " << *type << " has an open size");
  if (*given != element && !(given->isF64() && isa<FloatType>(element)))
    return LogicalResult(refuse(model) << "elements of " << *given << " for a constant of " << *type);
  const size_t width = given->isInteger(1) ? 1 : given->getIntOrFloatBitWidth() / 8;
  const int64_t count = type->getNumElements();
  if (count < 0 || tensor.bytes / width != static_cast<size_t>(count) || tensor.bytes % width != 0 ||
      (count > 0 && !tensor.data))
    return LogicalResult(refuse(model) << tensor.bytes << " bytes for a constant of " << *type);
  const auto *bytes = static_cast<const char *>(tensor.data);
  if (element.isInteger(1)) {
    SmallVector<bool> truths(llvm::map_range(ArrayRef<char>(bytes, count), [](char byte) { return byte != 0; }));
    return ElementsAttr(DenseElementsAttr::get(*type, ArrayRef<bool>(truths)));
  }
  if (*given == element)
    return ElementsAttr(DenseElementsAttr::getFromRawBuffer(*type, ArrayRef<char>(bytes, tensor.bytes)));
  SmallVector<APFloat> rounded;
  for (int64_t i = 0; i < count; ++i) {
    double number = 0;
    std::memcpy(&number, bytes + i * sizeof(number), sizeof(number));
    bool isInexact = false;
    rounded.emplace_back(number).convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven,
                                         &isInexact);
  }
  return ElementsAttr(DenseElementsAttr::get(*type, rounded));
}

static Location locate(const MpModel &model, const char *name, const char *file, unsigned line) {
  Location location = UnknownLoc::get(&model.context());
  if (file)
    location = FileLineColLoc::get(&model.context(), file, line, 1);
  if (name && *name)
    location = NameLoc::get(StringAttr::get(&model.context(), name), location);
  return location;
}

static Attribute readInitializer(MLIRContext *context, const MpInitializer &given) {
  Builder b(context);
  const FloatAttr first = b.getF64FloatAttr(given.first), second = b.getF64FloatAttr(given.second);
  switch (given.kind) {
  case MP_ZEROS:
    return ZerosAttr::get(context);
  case MP_ONES:
    return OnesAttr::get(context);
  case MP_CONSTANT:
    return ConstantInitializerAttr::get(context, first);
  case MP_NORMAL:
    return NormalAttr::get(context, first, second, given.seed);
  case MP_UNIFORM:
    return UniformAttr::get(context, first, second, given.seed);
  case MP_GLOROT_UNIFORM:
    return GlorotUniformAttr::get(context, given.seed);
  case MP_GLOROT_NORMAL:
    return GlorotNormalAttr::get(context, given.seed);
  case MP_HE_UNIFORM:
    return HeUniformAttr::get(context, given.seed);
  case MP_HE_NORMAL:
    return HeNormalAttr::get(context, given.seed);
  }
  return {};
}

static LogicalResult addArgument(MpModel &model, const MpModelArgument &given, int64_t *value) {
  MLIRContext *context = &model.context();
  StringRef role;
  switch (given.role) {
  case MP_ROLE_INPUT:
    role = names::input;
    break;
  case MP_ROLE_PARAMETER:
    role = names::parameter;
    break;
  case MP_ROLE_STATE:
    role = names::state;
    break;
  default:
    return refuse(model) << "argument '" << given.name << "' has role " << static_cast<int>(given.role)
                         << ", expected input, parameter or state";
  }
  NamedAttrList attributes;
  attributes.set(role, StringAttr::get(context, given.name));
  if (given.initializer) {
    Attribute initializer = readInitializer(context, *given.initializer);
    if (!initializer)
      return refuse(model) << "there is no initializer " << static_cast<int>(given.initializer->kind);
    attributes.set(names::initializer, initializer);
  }
  FailureOr<RankedTensorType> type = readTensorType(model, given.type.element, given.type.rank, given.type.shape);
  if (failed(type))
    return failure();
  const unsigned index = model.function.getNumArguments();
  if (failed(model.function.insertArgument(index, *type, attributes.getDictionary(context),
                                           locate(model, given.name, nullptr, 0))))
    return failure();
  *value = model.add(model.function.getArgument(index));
  return success();
}

static LogicalResult readAttribute(const MpModel &model, const MpAttribute &given, NamedValue &value) {
  if (!given.name)
    return refuse(model) << "the name of an attribute is null";
  value.name = given.name;
  switch (given.kind) {
  case MP_ATTRIBUTE_NONE:
    return success(); // the op says what it expects
  case MP_ATTRIBUTE_TRUTH:
    value.value = given.integer != 0;
    return success();
  case MP_ATTRIBUTE_INTEGER:
    value.value = given.integer;
    return success();
  case MP_ATTRIBUTE_NUMBER:
    value.value = given.number;
    return success();
  case MP_ATTRIBUTE_INTEGERS:
    if (given.count && !given.integers)
      return refuse(model) << "the integers of attribute '" << given.name << "' are null";
    value.value = SmallVector<int64_t>(ArrayRef<int64_t>(given.integers, given.count));
    return success();
  case MP_ATTRIBUTE_WORD:
    if (!given.word)
      return refuse(model) << "the word of attribute '" << given.name << "' is null";
    value.value = StringRef(given.word);
    return success();
  case MP_ATTRIBUTE_ELEMENT: {
    FailureOr<Type> type = readElement(model, given.element);
    if (failed(type))
      return failure();
    value.value = *type;
    return success();
  }
  case MP_ATTRIBUTE_TENSOR: {
    FailureOr<ElementsAttr> tensor = readTensor(model, given.tensor, given.element);
    if (failed(tensor))
      return failure();
    value.value = *tensor;
    return success();
  }
  }
  return refuse(model) << "attribute '" << given.name << "' is of kind " << static_cast<int>(given.kind);
}

static LogicalResult addOp(MpModel &model, const MpModelOp &op, int64_t *results, size_t capacity, size_t *count) {
  SmallVector<Value> operands;
  Location location = locate(model, op.name, op.file, op.line);
  for (size_t i = 0; i < op.operandCount; ++i) {
    if (op.operands[i] != -1 && !model.has(op.operands[i]))
      return emitError(location) << "operand " << i << " is value " << op.operands[i] << " of " << model.values.size();
    operands.push_back(op.operands[i] == -1 ? Value() : model.values[op.operands[i]]);
  }
  SmallVector<NamedValue> attributes(op.attributeCount);
  for (size_t i = 0; i < op.attributeCount; ++i)
    if (failed(readAttribute(model, known(&op.attributes[i]), attributes[i])))
      return failure();
  Type stated;
  if (op.result && op.result->rank == -1) {
    FailureOr<Type> element = readElement(model, op.result->element);
    if (failed(element))
      return failure();
    stated = *element;
  } else if (op.result) {
    FailureOr<RankedTensorType> type = readTensorType(model, op.result->element, op.result->rank, op.result->shape);
    if (failed(type))
      return failure();
    stated = *type;
  }
  OpBuilder builder = model.builder();
  FailureOr<Operation *> made = buildOp(builder, location, op.op, operands, attributes, stated);
  if (failed(made))
    return failure();
  *count = (*made)->getNumResults();
  if (*count > capacity) {
    (*made)->erase();
    return emitError(location) << "'" << op.op << "' has " << *count << " results, there is room for " << capacity;
  }
  for (auto [i, result] : llvm::enumerate((*made)->getResults()))
    results[i] = model.add(result);
  return success();
}

static LogicalResult openAutocast(MpModel &model, bool enabled, const MpElementType *element) {
  OpBuilder builder = model.builder();
  Type type;
  if (element) {
    FailureOr<Type> read = readElement(model, *element);
    if (failed(read))
      return failure();
    type = *read;
  }
  const Location location = UnknownLoc::get(&model.context());
  if (type && !isa<Float16Type, BFloat16Type, Float32Type>(type))
    return emitError(location) << "autocast to " << type << ", expected f16, bf16 or f32";
  auto region = AutocastOp::create(builder, location, TypeRange(), enabled, type ? TypeAttr::get(type) : TypeAttr());
  region.getBody().emplaceBlock();
  model.open.push_back({region, model.values.size()});
  return success();
}

/// A region with the results `kept` of those that it yields, in the place of `region`.
static AutocastOp replaceRegion(AutocastOp region, ValueRange kept) {
  OpBuilder builder(region);
  auto made = AutocastOp::create(builder, region.getLoc(), kept.getTypes(), region.getEnabled(), region.getTypeAttr());
  made.getBody().takeBody(region.getBody());
  Block &body = made.getBody().front();
  if (body.mightHaveTerminator())
    body.getTerminator()->erase();
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, region.getLoc(), kept);
  return made;
}

/// All that was made in the region is a result of it, until the text is written.
static void closeAutocast(MpModel &model) {
  const MpModel::Open closed = model.open.pop_back_val();
  Block *body = &closed.op->getRegion(0).front();
  SmallVector<size_t> inside;
  SmallVector<Value> yielded;
  for (size_t i = closed.first; i < model.values.size(); ++i)
    if (model.values[i].getParentBlock() == body) { // others are arguments of the function
      inside.push_back(i);
      yielded.push_back(model.values[i]);
    }
  AutocastOp made = replaceRegion(closed.op, yielded);
  for (auto [i, result] : llvm::zip_equal(inside, made.getResults()))
    model.values[i] = result;
  closed.op->erase();
}

/// Leaves regions the results that are used.
static void dropUnusedResults(ModuleOp module) {
  SmallVector<AutocastOp> regions;
  module.walk<WalkOrder::PreOrder>([&](AutocastOp region) { regions.push_back(region); });
  for (AutocastOp region : regions) { // an inner one after what uses it
    SmallVector<Value> used, yielded;
    for (auto [result, value] :
         llvm::zip_equal(region.getResults(), region.getBody().front().getTerminator()->getOperands()))
      if (!result.use_empty()) {
        used.push_back(result);
        yielded.push_back(value);
      }
    AutocastOp made = replaceRegion(region, yielded);
    for (auto [before, after] : llvm::zip_equal(used, made.getResults()))
      before.replaceAllUsesWith(after);
    region->erase();
  }
}

static LogicalResult setBatch(MpModel &model, int64_t batch, ArrayRef<int64_t> inputs) {
  if (batch < 1)
    return refuse(model) << "a batch has " << batch << " rows, expected at least 1";
  auto hasRows = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getRank() > 0 && tensor.getDimSize(0) == batch;
  };
  Builder b(&model.context());
  for (int64_t input : inputs) {
    auto argument = model.has(input) ? dyn_cast<BlockArgument>(model.values[input]) : BlockArgument();
    if (!argument || !model.function.getArgAttr(argument.getArgNumber(), names::input))
      return refuse(model) << "value " << input << " is no input, which has the rows of a batch";
    if (!hasRows(argument.getType()))
      return refuse(model) << "an input of type " << argument.getType() << " does not have the " << batch
                           << " rows of a batch";
    model.function.setArgAttr(argument.getArgNumber(), names::batched, b.getUnitAttr());
  }
  for (unsigned i = 0; i < model.function.getNumResults(); ++i)
    if (model.function.getResultAttr(i, names::metric) && hasRows(model.function.getResultTypes()[i]))
      model.function.setResultAttr(i, names::batched, b.getUnitAttr());
  model.function->setAttr(names::batch, b.getI64IntegerAttr(batch));
  model.function->setAttr(names::combinesRows, b.getUnitAttr());
  return success();
}

static LogicalResult addResult(MpModel &model, int64_t value, MpRole role, const char *name) {
  Builder b(&model.context());
  NamedAttrList attributes;
  switch (role) {
  case MP_ROLE_LOSS:
    attributes.set(names::loss, b.getUnitAttr());
    break;
  case MP_ROLE_OUTPUT:
    attributes.set(names::output, b.getStringAttr(name));
    break;
  case MP_ROLE_METRIC:
    attributes.set(names::metric, b.getStringAttr(name));
    break;
  case MP_ROLE_NEXT:
    attributes.set(names::next, b.getStringAttr(name));
    break;
  default:
    return refuse(model) << "a result has role " << static_cast<int>(role) << ", expected loss, output, metric or next";
  }
  if (!model.has(value))
    return refuse(model) << "result is value " << value << " of " << model.values.size();
  Value result = model.values[value];
  if (failed(model.function.insertResult(model.function.getNumResults(), result.getType(),
                                         attributes.getDictionary(&model.context()))))
    return failure();
  model.getReturn().getOperandsMutable().append(result);
  return success();
}

static void createFunction(MpModel &model, const char *name) {
  OpBuilder builder(&model.context());
  // What a file is called, its model is.
  Location location = FileLineColLoc::get(&model.context(), name, 0, 0);
  model.module = ModuleOp::create(builder, location);
  builder.setInsertionPointToStart(model.module->getBody());
  model.function = func::FuncOp::create(builder, location, name, builder.getFunctionType({}, {}));
  setProgramKind(model.function, ProgramKind::Model);
  builder.setInsertionPointToStart(model.function.addEntryBlock());
  func::ReturnOp::create(builder, location);
}

static std::unique_ptr<MpModel> copyModel(const MpModel &model) {
  const std::lock_guard lock(model.shared->mutex);
  auto copy = std::make_unique<MpModel>(model.shared);
  IRMapping mapping;
  ModuleOp module = *const_cast<MpModel &>(model).module;
  copy->module = cast<ModuleOp>(module->clone(mapping));
  copy->function = *copy->module->getOps<func::FuncOp>().begin();
  for (Value value : model.values)
    copy->values.push_back(mapping.lookup(value));
  return copy;
}

/// The model as a whole, verified, as `action` wants it.
static Status withWhole(const MpModel &model, llvm::function_ref<void(ModuleOp)> action) {
  if (!model.open.empty())
    return Status::error("an autocast region is open");
  return diagnosed(model, [&] {
    OwningOpRef<ModuleOp> owned = cast<ModuleOp>((*const_cast<MpModel &>(model).module)->clone());
    dropUnusedResults(*owned);
    if (failed(verify(*owned)))
      return failure();
    action(*owned);
    return success();
  });
}

} // namespace mp

using namespace mp;

MpStatus *mpModelCreate(const char *name, MpModel **model) {
  return guarded([&]() -> Status {
    for (Status given : {needs(name, "name"), needs(model, "model")})
      if (!given.ok())
        return given;
    DialectRegistry registry;
    registry.insert<MPDialect, func::FuncDialect>();
    auto made = std::make_unique<MpModel>(std::make_shared<ModelContext>(registry));
    createFunction(*made, name);
    *model = made.release();
    return Status::success();
  });
}

MpStatus *mpModelCopy(const MpModel *model, MpModel **copy) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(copy, "copy")})
      if (!given.ok())
        return given;
    if (!model->open.empty())
      return Status::error("an autocast region is open");
    *copy = copyModel(*model).release();
    return Status::success();
  });
}

void mpModelDestroy(MpModel *model) {
  if (!model)
    return;
  const std::shared_ptr<ModelContext> shared = model->shared; // which the lock lies in
  const std::lock_guard lock(shared->mutex);
  delete model;
}

MpStatus *mpModelAddArgument(MpModel *model, const MpModelArgument *argument, int64_t *value) {
  return guarded([&]() -> Status {
    const MpModelArgument given = known(argument);
    for (Status status :
         {needs(model, "model"), needs(argument, "argument"), needs(given.name, "name"), needs(value, "value")})
      if (!status.ok())
        return status;
    return diagnosed(*model, [&] { return addArgument(*model, given, value); });
  });
}

MpStatus *mpModelAddOp(MpModel *model, const MpModelOp *op, int64_t *results, size_t capacity, size_t *count) {
  return guarded([&]() -> Status {
    const MpModelOp given = known(op);
    for (Status status : {needs(model, "model"), needs(op, "op"), needs(given.op, "the op's name"),
                          needs(given.operandCount && !given.operands ? nullptr : model, "operands"),
                          needs(given.attributeCount && !given.attributes ? nullptr : model, "attributes"),
                          needs(capacity && !results ? nullptr : model, "results"), needs(count, "count")})
      if (!status.ok())
        return status;
    return diagnosed(*model, [&] { return addOp(*model, given, results, capacity, count); }, given.op);
  });
}

MpStatus *mpModelOpenAutocast(MpModel *model, int enabled, const MpElementType *element) {
  return guarded([&]() -> Status {
    if (Status given = needs(model, "model"); !given.ok())
      return given;
    return diagnosed(*model, [&] { return openAutocast(*model, enabled != 0, element); });
  });
}

MpStatus *mpModelCloseAutocast(MpModel *model) {
  return guarded([&]() -> Status {
    if (Status given = needs(model, "model"); !given.ok())
      return given;
    if (model->open.empty())
      return Status::error("no autocast region is open");
    const std::lock_guard lock(model->shared->mutex);
    closeAutocast(*model);
    return Status::success();
  });
}

MpStatus *mpModelType(const MpModel *model, int64_t value, MpTensorType *type) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(type, "type")})
      if (!given.ok())
        return given;
    if (!model->has(value))
      return makeError("there is no value ", value, " of ", model->values.size());
    auto tensor = cast<RankedTensorType>(model->values[value].getType());
    *type = {elementToC(tensor.getElementType()), tensor.getRank(), tensor.getShape().data()};
    return Status::success();
  });
}

MpStatus *mpModelAddResult(MpModel *model, int64_t value, MpRole role, const char *name) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(role == MP_ROLE_LOSS ? "" : name, "name")})
      if (!given.ok())
        return given;
    return diagnosed(*model, [&] { return addResult(*model, value, role, name); });
  });
}

MpStatus *mpModelSetBatch(MpModel *model, int64_t batch, const int64_t *inputs, size_t count) {
  return guarded([&]() -> Status {
    for (Status given :
         {needs(model, "model"), needs(count == 0 ? model : static_cast<const void *>(inputs), "inputs")})
      if (!given.ok())
        return given;
    return diagnosed(*model, [&] { return setBatch(*model, batch, ArrayRef<int64_t>(inputs, count)); });
  });
}

MpStatus *mpModelText(const MpModel *model, int locations, MpBytes **text) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(text, "text")})
      if (!given.ok())
        return given;
    std::string written;
    llvm::raw_string_ostream os(written);
    if (Status status = withWhole(*model,
                                  [&](ModuleOp module) {
                                    // The function alone: a module needs no name in a file.
                                    OpPrintingFlags flags;
                                    flags.enableDebugInfo(locations != 0).printNameLocAsPrefix(true);
                                    if (locations)
                                      module.print(os, flags);
                                    else
                                      (*module.getOps<func::FuncOp>().begin()).print(os, flags);
                                  });
        !status.ok())
      return status;
    os << '\n';
    *text = new MpBytes{std::move(written), {}};
    return Status::success();
  });
}

MpStatus *mpModelCompile(const MpModel *model, const char *name, const MpCompileOptions *options, MpBytes **result) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(name, "name"), needs(result, "result")})
      if (!given.ok())
        return given;
    // A compilation has a context of its own, in which nothing of it stays, and which no other thread looks into.
    std::string bytecode;
    llvm::raw_string_ostream os(bytecode);
    LogicalResult written = failure();
    if (Status status = withWhole(*model, [&](ModuleOp module) { written = writeBytecodeToFile(module, os); });
        !status.ok())
      return status;
    if (failed(written))
      return Status::error("the model cannot be copied");
    return compileToBytes([&](MLIRContext &context) { return readCopy(bytecode, name, context); }, known(options),
                          result);
  });
}
