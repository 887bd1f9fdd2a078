// Dialect, enums, type constraints and the op base class.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_TD
#define MP_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mp/IR/MPInterfaces.td"

def MP_Dialect : Dialect {
  let name = "mp";
  let cppNamespace = "::mp";
  let summary = "models and training steps, typed per op";
  let description = [{
    A model is a function of `mp` ops on ranked tensors; what each argument and result is stands in `mp.` attributes of
    the function's signature. Types in the IR are the types computed with: every op says where it rounds.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Refuses an op that the dialect does not have, with the name of the nearest that it has.
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

// Types

def MP_Float : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def MP_Integer : AnyTypeOf<[UI<8>, I32, I64], "ui8, i32 or i64">;
def MP_Element : AnyTypeOf<[F16, BF16, F32, F64, UI<8>, I32, I64, I1], "f16, bf16, f32, f64, ui8, i32, i64 or i1">;
def MP_Number : AnyTypeOf<[F16, BF16, F32, F64, UI<8>, I32, I64], "f16, bf16, f32, f64, ui8, i32 or i64">;

// A tensor of any shape; `mask` has a bit for each element type that fits, by its number in mp-c/Runtime.h.
class MP_TensorOf<Type element, int elements> : RankedTensorOf<[element]> { int mask = elements; }
defvar MP_FloatMask = 0xF0;
defvar MP_IntegerMask = 0x0E;
def MP_Tensor : MP_TensorOf<MP_Element, 0xFF>;
def MP_NumberTensor : MP_TensorOf<MP_Number, !or(MP_FloatMask, MP_IntegerMask)>;
def MP_FloatTensor : MP_TensorOf<MP_Float, MP_FloatMask>;
def MP_IntegerTensor : MP_TensorOf<MP_Integer, MP_IntegerMask>;
def MP_I1Tensor : MP_TensorOf<I1, 0x01>;
def MP_F32Tensor : MP_TensorOf<F32, 0x40>;
class MP_ScalarOf<string type, string getter> : Type<
    And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">,
         CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType() == " # getter # "($_self.getContext())">]>,
    "tensor<" # type # ">", "::mlir::RankedTensorType">,
  BuildableType<"::mlir::RankedTensorType::get({}, " # getter # "($_builder.getContext()))">;
def MP_F32Scalar : MP_ScalarOf<"f32", "::mlir::Float32Type::get">;
def MP_I32Scalar : MP_ScalarOf<"i32", "::mp::detail::getI32Type">;
def MP_I64Scalar : MP_ScalarOf<"i64", "::mp::detail::getI64Type">;
// (seed, step) of the counter-based generator.
def MP_Rng : Type<CPred<"$_self == ::mp::detail::getRngType($_self.getContext())">, "tensor<2xi64>",
                  "::mlir::RankedTensorType">,
  BuildableType<"::mp::detail::getRngType($_builder.getContext())">;
def MP_I64Tensor : MP_TensorOf<I64, 0x08>;

// What a float attribute is to autocast. Its summary tells one kind from another, also where it has a default.

// A value of the op's element type, rounded to it: to autocast a constant as an operand that is one.
def MP_ElementAttr : FloatAttrBase<F64, "64-bit float attribute of the element type">;
// A number that the op computes with in f32 (f64 for f64), whatever its element type.
def MP_WideAttr : FloatAttrBase<F64, "64-bit float attribute, which no element type rounds">;

// What an integer attribute says of the dimensions of the first operand, or of the result of an op that has none: that it is one of
// them, or several in ascending order, or a number for each. An op whose dimensions may come in another order has no other.
class MP_OfDimensions<string part> { string dimensions = part; }
def MP_Dimension : TypedSignlessIntegerAttrBase<I64, "uint64_t", "64-bit signless integer attribute">, MP_OfDimensions<"One">;
def MP_Dimensions : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64">, MP_OfDimensions<"Several">;
def MP_EachDimension : DenseArrayAttrBase<"DenseI64ArrayAttr", "int64_t", "i64">, MP_OfDimensions<"Each">;

// The columns of every op

// What autocast may do with an op. The meaning of each is in docs/autocast.md.
def MP_Allow : I32EnumCase<"Allow", 0, "allow">;
def MP_Infer : I32EnumCase<"Infer", 1, "infer">;
def MP_Clear : I32EnumCase<"Clear", 2, "clear">;
def MP_Deny : I32EnumCase<"Deny", 3, "deny">;
def MP_Promote : I32EnumCase<"Promote", 4, "promote">;
def MP_Fixed : I32EnumCase<"Fixed", 5, "fixed">;
def MP_Error : I32EnumCase<"Error", 6, "error">;
def MP_PrecisionCategory : I32Enum<"PrecisionCategory", "what autocast may do with an op",
    [MP_Allow, MP_Infer, MP_Clear, MP_Deny, MP_Promote, MP_Fixed, MP_Error]> {
  let cppNamespace = "::mp";
}

// Whether gradients flow through an op: by its rule in Derivatives.cpp, not at all (its result is locally constant or
// no float), never asked for (an error if they would have to), or by those of the ops that it expands to.
def MP_Differentiable : I32EnumCase<"Differentiable", 0, "differentiable">;
def MP_Constant : I32EnumCase<"Constant", 1, "constant">;
def MP_NotDifferentiable : I32EnumCase<"NotDifferentiable", 2, "not_differentiable">;
def MP_ByExpansion : I32EnumCase<"ByExpansion", 3, "by_expansion">;
def MP_Differentiability : I32Enum<"Differentiability", "whether gradients flow through an op",
    [MP_Differentiable, MP_Constant, MP_NotDifferentiable, MP_ByExpansion]> {
  let cppNamespace = "::mp";
}

// What an op is inside a kernel. Composite ops are replaced by simpler ones before kernels are formed; partial ops give
// one value per block of elements, serial ones a scalar or two. Tile ops look at the tiles of a product, whose kernel they
// share; an unpack gives such a product an operand that a pack has put in the order of its tiles. Attention has a kernel
// of its own where the machine has an emitter for it, and is composite elsewhere.
def MP_RoleContraction : I32EnumCase<"Contraction", 0, "contraction">;
def MP_RoleRow : I32EnumCase<"Row", 1, "row">;
def MP_RoleMap : I32EnumCase<"Map", 2, "map">;
def MP_RoleMovement : I32EnumCase<"Movement", 3, "movement">;
def MP_RoleConstant : I32EnumCase<"Constant", 4, "constant">;
def MP_RoleComposite : I32EnumCase<"Composite", 5, "composite">;
def MP_RoleNone : I32EnumCase<"None", 6, "none">;
def MP_RolePartial : I32EnumCase<"Partial", 7, "partial">;
def MP_RoleSerial : I32EnumCase<"Serial", 8, "serial">;
def MP_RoleTile : I32EnumCase<"Tile", 9, "tile">;
def MP_RolePack : I32EnumCase<"Pack", 10, "pack">;
def MP_RoleUnpack : I32EnumCase<"Unpack", 11, "unpack">;
def MP_RoleAttention : I32EnumCase<"Attention", 12, "attention">;
def MP_KernelRole : I32Enum<"KernelRole", "what an op is inside a kernel",
    [MP_RoleContraction, MP_RoleRow, MP_RoleMap, MP_RoleMovement, MP_RoleConstant, MP_RoleComposite, MP_RoleNone,
     MP_RolePartial, MP_RoleSerial, MP_RoleTile, MP_RolePack, MP_RoleUnpack, MP_RoleAttention]> {
  let cppNamespace = "::mp";
}

// The types of all results follow from operands and attributes: inferReturnTypes in Shapes.cpp says how, builders and formats
// leave them out, and the verifier compares. While the batch is open, a size that is not known yet may be stated.
// The comparison is ours, with one error; upstream's, which would emit a second one, has nothing left to refine.
def MP_ResultTypesFollow : NativeOpTrait<"ResultTypesFollow"> { let cppNamespace = "::mp::OpTrait"; }
def MP_InferredTypes : TraitList<[
  MP_ResultTypesFollow,
  InferTypeOpAdaptorBase<[{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange stated) {
      return ::mp::detail::areCompatible(inferred, stated);
    }
    static ::llvm::LogicalResult
    refineReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location>, ::mlir::ValueRange, ::mlir::DictionaryAttr,
                      ::mlir::OpaqueProperties, ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
      return ::llvm::success();
    }
  }]>]>;

// What a kernel is as a whole, by its ops; a schedule is for one kind, and so is an emitter.
def MP_KindContraction : I32EnumCase<"Contraction", 0, "contraction">;
def MP_KindMap : I32EnumCase<"Map", 1, "map">;
def MP_KindRow : I32EnumCase<"Row", 2, "row">;
def MP_KindColumn : I32EnumCase<"Column", 3, "column">;
def MP_KindPartial : I32EnumCase<"Partial", 4, "partial">;
def MP_KindSerial : I32EnumCase<"Serial", 5, "serial">;
def MP_KindPack : I32EnumCase<"Pack", 6, "pack">;
def MP_KindAttention : I32EnumCase<"Attention", 7, "attention">;
def MP_KernelKind : I32Enum<"KernelKind", "what a kernel is as a whole",
    [MP_KindContraction, MP_KindMap, MP_KindRow, MP_KindColumn, MP_KindPartial, MP_KindSerial,
     MP_KindPack, MP_KindAttention]> {
  let cppNamespace = "::mp";
}

// Refuses discardable attributes without a dialect prefix (`{autocats}`), which MLIR would accept silently.
def MP_NoStrayAttributes : NativeOpTrait<"NoStrayAttributes"> {
  let cppNamespace = "::mp::OpTrait";
}

// Says that the only result is the first operand: the op is about something else than what it computes.
def MP_GivesFirstOperand : NativeOpTrait<"GivesFirstOperand"> {
  let cppNamespace = "::mp::OpTrait";
}

// Refuses tensors of more than 2^48 elements, so that no size that is made of theirs has more than 64 bits.
def MP_CountableValues : NativeOpTrait<"CountableValues"> {
  let cppNamespace = "::mp::OpTrait";
}

// How results depend on a factor that an operand carries, the loss scale: of f(x, ...), what f(S * x, ...) is. The result of
// an op is the sum of its terms and of the product of its factors over its divisors.
def MP_Term : I32EnumCase<"Term", 0, "term">;
def MP_Factor : I32EnumCase<"Factor", 1, "factor">;
def MP_Divisor : I32EnumCase<"Divisor", 2, "divisor">;
// Each operand a term of the result of its own number; further results are plain.
def MP_OwnTerm : I32EnumCase<"OwnTerm", 3, "own_term">;
// No multiple of f(x): whatever carries a factor must not come here.
def MP_Nonlinear : I32EnumCase<"Nonlinear", 4, "nonlinear">;
// A multiple of S all the same, or no value that a factor could be taken out of: a condition, a label, a state.
def MP_Independent : I32EnumCase<"Independent", 5, "independent">;
// A gradient that has to be unscaled where it is used; what comes out is no gradient.
def MP_Unscaled : I32EnumCase<"Unscaled", 6, "unscaled">;
// The scale itself, put in or taken out.
def MP_PutsScale : I32EnumCase<"PutsScale", 7, "puts_scale">;
def MP_TakesScale : I32EnumCase<"TakesScale", 8, "takes_scale">;
def MP_Scaling : I32Enum<"Scaling", "how results depend on a factor that an operand carries",
    [MP_Term, MP_Factor, MP_Divisor, MP_OwnTerm, MP_Nonlinear, MP_Independent, MP_Unscaled, MP_PutsScale,
     MP_TakesScale]> {
  let cppNamespace = "::mp";
}
def MP_ScalingNotSaid : I32EnumCase<"NotSaid", -1>;

// Whether a row of a result depends on more than one row of the batch, an open size of the operands: a condition in C++.
class MP_RowRule<string condition> { string combines = condition; }
// Each element depends on elements of the operands at its own place. Rows meet only as two dimensions of one result.
def MP_EachRow : MP_RowRule<"::mp::detail::hasSeveralOpenSizes(*this)">;
// The op combines elements along dimensions of its first operand, and keeps those along the others apart.
class MP_RowsAlong<string dimensions> : MP_RowRule<
    "::mp::detail::isOpenAlong(*this, " # dimensions # ") || ::mp::detail::hasSeveralOpenSizes(*this)">;
// Whichever dimension is open, its elements are combined.
def MP_AllRows : MP_RowRule<"::mp::detail::takesOpenSize(*this)">;
def MP_RowsNotSaid : MP_RowRule<"">;

// An operand and an attribute as DefinitionOpInterface gives them.
class MP_OperandSpec<string name, TypeConstraint type> {
  defvar base = !cond(!isa<Optional>(type): !cast<Optional>(type).baseType, !isa<Variadic>(type): !cast<Variadic>(type).baseType,
                      true: type);
  defvar count = !cond(!isa<Optional>(type): "Optional", !isa<Variadic>(type): "Variadic", true: "One");
  defvar mask = !cond(!isa<MP_TensorOf>(base): !cast<MP_TensorOf>(base).mask, true: 0);
  string text = "{\"" # name # "\", ::mp::OperandCount::" # count # ", " # mask # "}";
}
class MP_AttributeSpec<string name, Attr attribute> {
  defvar storage = !if(!initialized(attribute.storageType), attribute.storageType, "::mlir::Attribute");
  defvar base = !if(!initialized(attribute.baseAttr), attribute.baseAttr, attribute);
  defvar dimensions = !cond(!isa<MP_OfDimensions>(base): !cast<MP_OfDimensions>(base).dimensions, true: "None");
  string text = "::mp::detail::attributeSpec<" # storage # ">(\"" # name # "\", " #
      !if(!or(attribute.isOptional, !initialized(attribute.defaultValue)), "true", "false") #
      ", ::mp::OfDimensions::" # dimensions # ")";
}

// Base of every op: an op without a category, a derivative column or a kernel role does not build, nor one that does not say
// what follows them here.
class MP_Op<string mnemonic, I32EnumCase category, I32EnumCase derivative, I32EnumCase role, list<Trait> traits = []>
    : Op<MP_Dialect, mnemonic, [MP_CountableValues] # traits # [MP_NoStrayAttributes,
        DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["getPrecisionCategory", "getElementAttributes"]>,
        DeclareOpInterfaceMethods<MP_DefinitionOpInterface, ["getOperandSpecs", "getAttributeSpecs"]>,
        DeclareOpInterfaceMethods<MP_ScalingOpInterface, ["getScalings"]>,
        DeclareOpInterfaceMethods<MP_RowsOpInterface, ["combinesRows"]>,
        DeclareOpInterfaceMethods<MP_KernelOpInterface, ["getKernelRole"]>] #
        !if(!eq(derivative.symbol, "Differentiable"),
            [DeclareOpInterfaceMethods<MP_DerivativeOpInterface, ["getDifferentiability", "differentiate"]>],
            [DeclareOpInterfaceMethods<MP_DerivativeOpInterface, ["getDifferentiability"]>]) #
        !if(!eq(derivative.symbol, "ByExpansion"), [DeclareOpInterfaceMethods<MP_ExpansionOpInterface>], []<Trait>)> {
  // What the op does to a scaled value, an entry for each operand.
  list<I32EnumCase> scaling = [MP_ScalingNotSaid];
  // Whether it combines rows of the batch.
  MP_RowRule rows = MP_RowsNotSaid;
  // Definitions of members that every op of a class has alike, with $cppClass for the op's name.
  string definitions = "";
  // The row of lib/Analysis/policies/op-lists.csv that speaks of the op, or "" where none does: what the policies `pytorch`
  // and `tensorflow` are made of. No list changes the types of an op whose category is fixed.
  string listedAs = !if(!eq(category.symbol, "Fixed"), "", "not said");

  defvar entries = !foreach(entry, scaling, entry.symbol);
  assert !ne(!interleave(entries, ","), "NotSaid"),
      "mp." # mnemonic # " does not say what it does to a scaled value: let scaling = [...]";
  assert !or(!eq(!interleave(entries, ","), "NotSaid"), !eq(!size(scaling), !foldl(0, !range(!size(arguments)), count, i,
             !add(count, !if(!isa<TypeConstraint>(!getdagarg<Constraint>(arguments, i)), 1, 0))))),
      "mp." # mnemonic # " has another number of operands than of entries in its scaling";
  defvar attributes = !foreach(i, !range(!size(arguments)), !getdagarg<Constraint>(arguments, i).summary);
  assert !or(!eq(category.symbol, "Fixed"), !empty(!filter(text, attributes, !or(!eq(text, F64Attr.summary), !eq(text, F32Attr.summary))))),
      "mp." # mnemonic # " does not say what its float attributes are: MP_ElementAttr or MP_WideAttr";
  assert !ne(rows.combines, ""), "mp." # mnemonic # " does not say whether it combines rows of the batch: let rows = ...";
  assert !ne(listedAs, "not said"),
      "mp." # mnemonic # " does not say which row of lib/Analysis/policies/op-lists.csv speaks of it: let listedAs = ...";

  defvar elements = !foreach(i, !filter(i, !range(!size(arguments)), !eq(attributes[i], MP_ElementAttr.summary)),
                             !getdagname(arguments, i));
  // What DefinitionOpInterface gives: for each operand and attribute a line of C++.
  defvar operandSpecs = !foreach(i, !filter(i, !range(!size(arguments)), !isa<TypeConstraint>(!getdagarg<Constraint>(arguments, i))),
      MP_OperandSpec<!getdagname(arguments, i), !cast<TypeConstraint>(!getdagarg<Constraint>(arguments, i))>.text);
  defvar attributeSpecs = !foreach(i, !filter(i, !range(!size(arguments)), !isa<Attr>(!getdagarg<Constraint>(arguments, i))),
      MP_AttributeSpec<!getdagname(arguments, i), !cast<Attr>(!getdagarg<Constraint>(arguments, i))>.text);

  let extraClassDefinition = [{
    ::llvm::ArrayRef<::mp::OperandSpec> $cppClass::getOperandSpecs() {
      static constexpr ::std::array<::mp::OperandSpec, }] # !size(operandSpecs) # [{> specs{{}] #
        !interleave(operandSpecs, ", ") # [{}};
      return specs;
    }
    ::llvm::ArrayRef<::mp::AttributeSpec> $cppClass::getAttributeSpecs() {
      static constexpr ::std::array<::mp::AttributeSpec, }] # !size(attributeSpecs) # [{> specs{{}] #
        !interleave(attributeSpecs, ", ") # [{}};
      return specs;
    }
    ::mp::PrecisionCategory $cppClass::getPrecisionCategory() { return ::mp::PrecisionCategory::}] # category.symbol # [{; }
    ::mp::Differentiability $cppClass::getDifferentiability() { return ::mp::Differentiability::}] # derivative.symbol # [{; }
    ::mp::KernelRole $cppClass::getKernelRole() { return ::mp::KernelRole::}] # role.symbol # [{; }
    ::llvm::ArrayRef<::mp::Scaling> $cppClass::getScalings() {
      static constexpr ::std::array<::mp::Scaling, }] # !size(scaling) # [{> scalings{}] #
        !interleave(!foreach(entry, entries, "::mp::Scaling::" # entry), ", ") # [{};
      return scalings;
    }
    ::llvm::ArrayRef<::llvm::StringRef> $cppClass::getElementAttributes() {
      static constexpr ::std::array<::llvm::StringRef, }] # !size(elements) # [{> names{}] #
        !interleave(!foreach(name, elements, "\"" # name # "\""), ", ") # [{};
      return names;
    }
    bool $cppClass::combinesRows() { return }] # rows.combines # [{; }
  }] # definitions;
}

#endif // MP_BASE_TD
