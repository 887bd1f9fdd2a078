// A function as decision procedures see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autocast/ProgramGraph.h"

#include "Transforms/Autocast/SummedSquares.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace mp;

std::optional<Precision> mp::precisionOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (type.isF16())
    return Precision::F16;
  if (type.isBF16())
    return Precision::BF16;
  if (type.isF32())
    return Precision::F32;
  return std::nullopt;
}

FloatType mp::toType(Precision precision, MLIRContext *context) {
  switch (precision) {
  case Precision::F16:
    return Float16Type::get(context);
  case Precision::BF16:
    return BFloat16Type::get(context);
  case Precision::F32:
    return Float32Type::get(context);
  }
  llvm_unreachable("unknown precision");
}

static void include(ConstantRange &range, const APFloat &element) {
  const double value = element.convertToDouble();
  if (!element.isFinite() || value == 0)
    return;
  if (std::abs(value) > std::abs(range.largest))
    range.largest = value;
  if (range.smallest == 0 || std::abs(value) < std::abs(range.smallest))
    range.smallest = value;
}

static ConstantRange rangeOf(DenseFPElementsAttr elements) {
  ConstantRange range;
  range.isNumber = elements.isSplat();
  if (range.isNumber)
    include(range, elements.getSplatValue<APFloat>());
  else
    for (const APFloat &element : elements.getValues<APFloat>())
      include(range, element);
  return range;
}

/// What a user would write of an attribute: of one of a dialect, which may be any, as it prints.
static std::string textOf(StringRef name, Attribute attribute) {
  if (!name.contains('.') || isa<UnitAttr, StringAttr>(attribute))
    return textOfValue(attribute);
  std::string text;
  llvm::raw_string_ostream os(text);
  attribute.print(os, /*elideType=*/true);
  return text;
}

SmallVector<LocationText> mp::namesOf(Location location) {
  SmallVector<LocationText> names;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names.push_back({name.getName().str(), /*isName=*/true});
    else if (auto file = dyn_cast<FileLineColLoc>(part)) {
      const std::string line = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
      const std::string column = (":" + Twine(file.getColumn())).str();
      names.append(
          {{line}, {std::to_string(file.getLine()) + column}, {line + column}}); // the second as mp-run explain has it
    }
    return WalkResult::advance();
  });
  return names;
}

namespace {

class Reader {
public:
  Reader(const PrecisionPolicy &policy, const RegionSettings &settings) : policy(policy), settings(settings) {}

  LogicalResult read(FunctionOpInterface function) {
    function.getFunctionBody().walk([&](Operation *op) {
      if (auto group = op->getAttrOfType<IntegerAttr>(names::promoteGroup))
        groups[group.getInt()].members.push_back(op);
    });
    WalkResult walked = function.getFunctionBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { return failed(readOp(op)) ? WalkResult::interrupt() : WalkResult::advance(); });
    return failure(walked.wasInterrupted());
  }

  ProgramGraph program;

private:
  LogicalResult readOp(Operation *op) {
    auto precise = dyn_cast<PrecisionOpInterface>(op);
    if (!precise || op->hasTrait<mlir::OpTrait::IsTerminator>()) {
      program.ops.push_back({op, std::nullopt, {}});
      if (failed(checkOrder(op)))
        return failure();
      for (OpOperand &operand : op->getOpOperands())
        readAsWritten(operand);
      return precise || op->hasTrait<mlir::OpTrait::IsTerminator>() ? success() : checkHasNoFloats(op);
    }
    PrecisionNode node;
    node.name = op->getName().getStringRef();
    if (failed(checkOrder(op)) || failed(readCategory(precise, node)) || failed(readRequest(op, node)))
      return failure();
    auto setting = settings.find(op);
    node.low = policy.lowType();
    if (setting != settings.end()) {
      const auto [isEnabled, low] = setting->second;
      node.low = isEnabled ? low : std::nullopt;
      node.statesLow = low.has_value();
    }
    if (failed(readFollowed(precise, node)))
      return failure();
    SmallVector<OpOperand *, 3> following;
    for (OpOperand &operand : op->getOpOperands())
      if (std::optional<ValueId> id = identify(operand.get()); id && precise.operandFollows(operand)) {
        node.operands.push_back(*id);
        following.push_back(&operand);
      } else {
        readAsWritten(operand);
      }
    readAttributes(precise, node);
    NodeId id = program.graph.nodes.size();
    for (OpResult result : op->getResults())
      if (std::optional<ValueId> value = identify(result); value && precise.resultFollows(result)) {
        node.results.push_back(*value);
        program.graph.values[*value].producer = id;
      }
    program.graph.nodes.push_back(std::move(node));
    program.nodes.push_back(op);
    program.ops.push_back({op, id, std::move(following)});
    return success();
  }

  /// Blocks that branch may stand in any order in the text, but a plan is made from producers to users.
  LogicalResult checkOrder(Operation *op) {
    for (Value operand : op->getOperands())
      if (mp::detail::isAutocastTensor(operand.getType()) && isa<OpResult>(operand) && !program.ids.contains(operand))
        return op->emitOpError(
            "comes before the op that computes its operand, in a later block; autocast takes blocks in order");
    return success();
  }

  LogicalResult checkHasNoFloats(Operation *op) {
    bool hasFloats = llvm::any_of(op->getOperandTypes(), mp::detail::isAutocastTensor) ||
                     llvm::any_of(op->getResultTypes(), mp::detail::isAutocastTensor);
    return hasFloats
               ? op->emitOpError("declares no precision category, so that autocast cannot tell what it may do with it")
               : success();
  }

  LogicalResult readCategory(PrecisionOpInterface op, PrecisionNode &node) {
    auto locations = [&] { return namesOf(op->getLoc()); };
    auto attribute = [&](StringRef name) -> std::optional<std::string> {
      Attribute found = op->getAttr(name);
      return found ? std::optional(textOf(name, found)) : std::nullopt;
    };
    auto listedAs = op->getAttrOfType<StringAttr>(names::listedAs);
    ErrorOr<OpCategory> category = policy.categorize(
        {node.name, op.getPrecisionCategory(), attribute, locations, listedAs ? listedAs.getValue() : StringRef()});
    if (!category)
      return op->emitOpError() << category.message();
    node.category = category->category;
    node.source = category->source;
    // An edit is stronger, and what computes in f32 wherever autocast is on does so in a group.
    const bool isEdited = !node.source.empty() && !StringRef(node.source).starts_with("policy ");
    const bool isF32 = node.category == PrecisionCategory::Deny || node.category == PrecisionCategory::Error;
    if (op->hasAttr(names::promoteGroup) && !isEdited && !isF32 && node.category != PrecisionCategory::Fixed) {
      node.category = PrecisionCategory::Promote;
      node.source = names::promoteGroup;
    }
    return success();
  }

  /// What the op says that it follows: one of its operands, or what comes to its group.
  LogicalResult readFollowed(PrecisionOpInterface op, PrecisionNode &node) {
    if (auto group = op->getAttrOfType<IntegerAttr>(names::promoteGroup)) {
      FailureOr<ArrayRef<ValueId>> coming = comingTo(group);
      if (failed(coming))
        return failure();
      node.followed.assign(coming->begin(), coming->end());
    }
    auto follows = op->getAttrOfType<IntegerAttr>(names::follows);
    if (!follows)
      return success();
    if (follows.getInt() >= op->getNumOperands())
      return op->emitOpError("mp.follows is ")
             << follows.getInt() << ", expected the number of one of its " << op->getNumOperands() << " operands";
    node.followed.clear();
    OpOperand &operand = op->getOpOperand(follows.getInt());
    if (std::optional<ValueId> id = identify(operand.get()); id && op.operandFollows(operand))
      node.followed.push_back(*id);
    return success();
  }

  /// Ops that are promoted together, in their order.
  struct Group {
    SmallVector<Operation *> members;
    std::optional<SmallVector<ValueId>> coming;
  };
  /// Each op of a group asks them all.
  static constexpr size_t kMostComing = 64;

  /// What a group takes from ops that are read already when its first op is.
  FailureOr<ArrayRef<ValueId>> comingTo(IntegerAttr number) {
    Group &group = groups[number.getInt()];
    if (group.coming)
      return ArrayRef<ValueId>(*group.coming);
    llvm::SetVector<ValueId> coming;
    auto isMember = [&](Operation *op) {
      auto own = op ? op->getAttrOfType<IntegerAttr>(names::promoteGroup) : IntegerAttr();
      return own && own.getInt() == number.getInt();
    };
    for (Operation *member : group.members)
      if (auto precise = dyn_cast<PrecisionOpInterface>(member))
        for (OpOperand &operand : member->getOpOperands()) {
          const bool isInFront = isa<BlockArgument>(operand.get()) || program.ids.contains(operand.get());
          if (isInFront && !isMember(operand.get().getDefiningOp()) && precise.operandFollows(operand))
            coming.insert(*identify(operand.get()));
        }
    if (coming.size() > kMostComing)
      return group.members.front()->emitOpError("mp.promote_group ")
             << number.getInt() << " takes " << coming.size() << " values, expected at most " << kMostComing;
    group.coming = llvm::to_vector(coming);
    return ArrayRef<ValueId>(*group.coming);
  }

  LogicalResult readRequest(Operation *op, PrecisionNode &node) {
    auto request = op->getAttrOfType<TypeAttr>(names::precision);
    if (!request)
      return success();
    node.requested = isa<FloatType>(request.getValue()) ? precisionOf(request.getValue()) : std::nullopt;
    if (!node.requested)
      return op->emitOpError("mp.precision is ") << request.getValue() << ", expected f16, bf16 or f32";
    return success();
  }

  /// Attributes that the op rounds to its type.
  void readAttributes(PrecisionOpInterface op, PrecisionNode &node) {
    if (node.operands.empty())
      return;
    for (StringRef name : op.getElementAttributes())
      if (auto attribute = op->getAttrOfType<FloatAttr>(name)) {
        PrecisionValue facts;
        facts.type = program.graph.values[node.operands.front()].type;
        facts.name = name;
        facts.constant.emplace().isNumber = true;
        include(*facts.constant, attribute.getValue());
        node.attributes.push_back(program.values.size());
        program.graph.values.push_back(std::move(facts));
        program.values.push_back(op->getResult(0));
      }
  }

  /// An operand that does not follow its op.
  void readAsWritten(OpOperand &operand) {
    auto precise = dyn_cast<PrecisionOpInterface>(operand.getOwner());
    std::optional<ValueId> id = identify(operand.get());
    if (id && !(precise && precise.readsOnlyShape(operand)))
      program.graph.values[*id].isReadAsWritten = true;
  }

  /// The number of a float tensor.
  std::optional<ValueId> identify(Value value) {
    if (!mp::detail::isAutocastTensor(value.getType()))
      return std::nullopt;
    auto [known, isNew] = program.ids.try_emplace(value, program.values.size());
    if (!isNew)
      return known->second;
    PrecisionValue facts;
    facts.type = *precisionOf(value.getType());
    facts.isScalar = cast<RankedTensorType>(value.getType()).getRank() == 0;
    if (auto argument = dyn_cast<BlockArgument>(value))
      facts.name = "argument #" + std::to_string(argument.getArgNumber());
    else
      facts.name = value.getDefiningOp()->getName().getStringRef();
    DenseFPElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)))
      facts.constant = rangeOf(elements);
    program.graph.values.push_back(facts);
    program.values.push_back(value);
    return known->second;
  }

  const PrecisionPolicy &policy;
  const RegionSettings &settings;
  std::map<int64_t, Group> groups;
};

} // namespace

FailureOr<ProgramGraph> mp::readProgram(FunctionOpInterface function, const PrecisionPolicy &policy,
                                        const RegionSettings &settings) {
  Reader reader(policy, settings);
  if (failed(reader.read(function)))
    return failure();
  if (policy.widensSummedSquares())
    widenSummedSquares(reader.program);
  return std::move(reader.program);
}
