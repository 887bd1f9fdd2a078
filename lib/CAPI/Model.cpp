// Making models from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/Diagnostics.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"

#include "mp-c/Compiler.h"
#include "mp/IR/BuildOp.h"
#include "mp/IR/ParserLimits.h"
#include "mp/IR/Program.h"
#include "mp/Pipeline/Model.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"

#include <deque>

using namespace mlir;

struct MpModel {
  explicit MpModel(const DialectRegistry &registry) : context(registry, MLIRContext::Threading::DISABLED) {}

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  SmallVector<Value> values;
  std::deque<std::string> types; // of values
  struct Open {
    mp::AutocastOp op;
    size_t first; // of the values made in it
  };
  SmallVector<Open> open; // regions, the innermost last

  int64_t add(Value value) {
    values.push_back(value);
    std::string &type = types.emplace_back();
    llvm::raw_string_ostream(type) << value.getType();
    return static_cast<int64_t>(values.size()) - 1;
  }

  /// Where ops are added.
  OpBuilder builder() {
    return open.empty() ? OpBuilder(getReturn()) : OpBuilder::atBlockEnd(&open.back().op.getBody().front());
  }

  func::ReturnOp getReturn() { return cast<func::ReturnOp>(function.getBody().front().getTerminator()); }
};

namespace mp {

/// Runs `action`, of which what it says is the error.
static Status diagnosed(MLIRContext &context, llvm::function_ref<LogicalResult()> action) {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    text += (text.empty() ? "" : "\n") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      text += "\n" + note.str();
  });
  return succeeded(action()) ? Status::success() : Status::error(text);
}

/// Whether MLIR's parser survives the text, wherever it comes from.
static LogicalResult checkLimits(MpModel &model, StringRef text) {
  const std::optional<mp::ParserLimit> limit = mp::findParserLimit(text);
  return limit ? LogicalResult(emitError(UnknownLoc::get(&model.context)) << limit->message) : success();
}

static LogicalResult readAttributes(MpModel &model, const char *text, DictionaryAttr &attributes) {
  attributes = DictionaryAttr::get(&model.context);
  if (!text || !*text)
    return success();
  if (failed(checkLimits(model, text)))
    return failure();
  attributes = dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, &model.context));
  return attributes ? success()
                    : LogicalResult(emitError(UnknownLoc::get(&model.context))
                                    << "attributes '" << text << "' are no dictionary, as in {name = value}");
}

static LogicalResult readType(MpModel &model, const char *text, Type &type) {
  if (failed(checkLimits(model, text)))
    return failure();
  type = parseType(text, &model.context);
  return success(type != nullptr);
}

static Location locate(MpModel &model, const char *name, const char *file, unsigned line) {
  Location location = UnknownLoc::get(&model.context);
  if (file)
    location = FileLineColLoc::get(&model.context, file, line, 1);
  if (name && *name)
    location = NameLoc::get(StringAttr::get(&model.context, name), location);
  return location;
}

static LogicalResult addArgument(MpModel &model, const char *name, const char *typeText, const char *attributeText,
                                 int64_t *value) {
  Type type;
  DictionaryAttr attributes;
  if (failed(readType(model, typeText, type)) || failed(readAttributes(model, attributeText, attributes)))
    return failure();
  const unsigned index = model.function.getNumArguments();
  if (failed(model.function.insertArgument(index, type, attributes, locate(model, name, nullptr, 0))))
    return failure();
  *value = model.add(model.function.getArgument(index));
  return success();
}

static LogicalResult addOp(MpModel &model, const MpModelOp &op, int64_t *results, size_t capacity, size_t *count) {
  SmallVector<Value> operands;
  Location location = locate(model, op.name, op.file, op.line);
  for (size_t i = 0; i < op.operandCount; ++i) {
    if (op.operands[i] < 0 || op.operands[i] >= static_cast<int64_t>(model.values.size()))
      return emitError(location) << "operand " << i << " is value " << op.operands[i] << " of " << model.values.size();
    operands.push_back(model.values[op.operands[i]]);
  }
  Type stated;
  DictionaryAttr attributes;
  if ((op.result && failed(readType(model, op.result, stated))) ||
      failed(readAttributes(model, op.attributes, attributes)))
    return failure();
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

static LogicalResult openAutocast(MpModel &model, bool enabled, const char *typeText) {
  OpBuilder builder = model.builder();
  Type type;
  if (typeText && failed(readType(model, typeText, type)))
    return failure();
  const Location location = UnknownLoc::get(&model.context);
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

static LogicalResult addResult(MpModel &model, int64_t value, const char *attributeText) {
  DictionaryAttr attributes;
  if (failed(readAttributes(model, attributeText, attributes)))
    return failure();
  if (value < 0 || value >= static_cast<int64_t>(model.values.size()))
    return emitError(UnknownLoc::get(&model.context)) << "result is value " << value << " of " << model.values.size();
  Value result = model.values[value];
  if (failed(model.function.insertResult(model.function.getNumResults(), result.getType(), attributes)))
    return failure();
  model.getReturn().getOperandsMutable().append(result);
  return success();
}

static void createFunction(MpModel &model, const char *name) {
  OpBuilder builder(&model.context);
  // What a file is called, its model is.
  Location location = FileLineColLoc::get(&model.context, name, 0, 0);
  model.module = ModuleOp::create(builder, location);
  builder.setInsertionPointToStart(model.module->getBody());
  model.function = func::FuncOp::create(builder, location, name, builder.getFunctionType({}, {}));
  setProgramKind(model.function, ProgramKind::Model);
  builder.setInsertionPointToStart(model.function.addEntryBlock());
  func::ReturnOp::create(builder, location);
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
    auto made = std::make_unique<MpModel>(registry);
    made->context.loadAllAvailableDialects();
    made->context.printOpOnDiagnostic(false);
    createFunction(*made, name);
    *model = made.release();
    return Status::success();
  });
}

void mpModelDestroy(MpModel *model) { delete model; }

MpStatus *mpModelAddArgument(MpModel *model, const char *name, const char *type, const char *attributes,
                             int64_t *value) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(name, "name"), needs(type, "type"), needs(value, "value")})
      if (!given.ok())
        return given;
    return diagnosed(model->context, [&] { return addArgument(*model, name, type, attributes, value); });
  });
}

MpStatus *mpModelAddOp(MpModel *model, const MpModelOp *op, int64_t *results, size_t capacity, size_t *count) {
  return guarded([&]() -> Status {
    const MpModelOp given = known(op);
    for (Status status : {needs(model, "model"), needs(op, "op"), needs(given.op, "the op's name"),
                          needs(given.operandCount && !given.operands ? nullptr : model, "operands"),
                          needs(capacity && !results ? nullptr : model, "results"), needs(count, "count")})
      if (!status.ok())
        return status;
    return diagnosed(model->context, [&] { return addOp(*model, given, results, capacity, count); });
  });
}

MpStatus *mpModelOpenAutocast(MpModel *model, int enabled, const char *type) {
  return guarded([&]() -> Status {
    if (Status given = needs(model, "model"); !given.ok())
      return given;
    return diagnosed(model->context, [&] { return openAutocast(*model, enabled != 0, type); });
  });
}

MpStatus *mpModelCloseAutocast(MpModel *model) {
  return guarded([&]() -> Status {
    if (Status given = needs(model, "model"); !given.ok())
      return given;
    if (model->open.empty())
      return Status::error("no autocast region is open");
    closeAutocast(*model);
    return Status::success();
  });
}

const char *mpModelType(const MpModel *model, int64_t value) {
  if (!model || value < 0 || value >= static_cast<int64_t>(model->types.size()))
    return nullptr;
  return model->types[static_cast<size_t>(value)].c_str();
}

MpStatus *mpModelAddResult(MpModel *model, int64_t value, const char *attributes) {
  return guarded([&]() -> Status {
    if (Status given = needs(model, "model"); !given.ok())
      return given;
    return diagnosed(model->context, [&] { return addResult(*model, value, attributes); });
  });
}

MpStatus *mpModelText(const MpModel *model, int locations, MpBytes **text) {
  return guarded([&]() -> Status {
    for (Status given : {needs(model, "model"), needs(text, "text")})
      if (!given.ok())
        return given;
    MLIRContext &context = const_cast<MLIRContext &>(model->context);
    if (!model->open.empty())
      return Status::error("an autocast region is open");
    OwningOpRef<ModuleOp> owned = cast<ModuleOp>((*const_cast<MpModel *>(model)->module)->clone());
    ModuleOp module = *owned;
    dropUnusedResults(module);
    if (Status valid = diagnosed(context, [&] { return verify(module); }); !valid.ok())
      return valid;
    std::string written;
    llvm::raw_string_ostream os(written);
    // The function alone: a module needs no name in a file.
    OpPrintingFlags flags;
    flags.enableDebugInfo(locations != 0).printNameLocAsPrefix(true);
    if (locations)
      module.print(os, flags);
    else
      (*module.getOps<func::FuncOp>().begin()).print(os, flags);
    os << '\n';
    *text = new MpBytes{std::move(written), {}};
    return Status::success();
  });
}
