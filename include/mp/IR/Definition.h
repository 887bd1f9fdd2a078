// What the definition of an op says of its operands and attributes, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_DEFINITION_H
#define MP_IR_DEFINITION_H

#include "mlir/IR/BuiltinAttributes.h"

#include <type_traits>
#include <utility>

namespace mp {

/// How many values an operand of a definition stands for.
enum class OperandCount { One, Optional, Variadic };

/// An operand: its name and the element types of the tensors that fit, a bit for each number of MpElementType; none
/// where the definition asks for more than an element type, as for a scalar.
struct OperandSpec {
  llvm::StringRef name;
  OperandCount count;
  uint32_t elements;
};

/// What an attribute holds.
enum class AttributeKind { Integer, Float, Bool, Unit, Integers, Type, Word, Dense, Other };

/// What an attribute says of the dimensions of the first operand, or of the result of an op that has none: that it is
/// one of them, several in ascending order, or a number for each.
enum class OfDimensions { None, One, Several, Each };

/// An attribute: its name, whether it may be left out, what it says of dimensions and, of an enumeration, its words.
struct AttributeSpec {
  llvm::StringRef name;
  bool isOptional;
  AttributeKind kind;
  OfDimensions dimensions;
  /// The case that `word` is, or null; null of what is no enumeration.
  mlir::Attribute (*fromWord)(mlir::MLIRContext *context, llvm::StringRef word);
  /// The word of the case that has this number, or "".
  llvm::StringRef (*toWord)(uint32_t number);
};

namespace detail {

template <typename Storage> using ValueOf = std::decay_t<decltype(std::declval<const Storage &>().getValue())>;

template <typename Storage, typename = void> struct IsEnumeration : std::false_type {};
template <typename Storage>
struct IsEnumeration<Storage, std::void_t<ValueOf<Storage>>> : std::is_enum<ValueOf<Storage>> {};

template <typename Storage> constexpr AttributeKind kindOf() {
  if constexpr (std::is_same_v<Storage, mlir::IntegerAttr>)
    return AttributeKind::Integer;
  else if constexpr (std::is_same_v<Storage, mlir::FloatAttr>)
    return AttributeKind::Float;
  else if constexpr (std::is_same_v<Storage, mlir::BoolAttr>)
    return AttributeKind::Bool;
  else if constexpr (std::is_same_v<Storage, mlir::UnitAttr>)
    return AttributeKind::Unit;
  else if constexpr (std::is_same_v<Storage, mlir::DenseI64ArrayAttr>)
    return AttributeKind::Integers;
  else if constexpr (std::is_same_v<Storage, mlir::TypeAttr>)
    return AttributeKind::Type;
  else if constexpr (std::is_same_v<Storage, mlir::ElementsAttr>)
    return AttributeKind::Dense;
  else if constexpr (IsEnumeration<Storage>::value)
    return AttributeKind::Word;
  else
    return AttributeKind::Other;
}

template <typename Storage>
constexpr AttributeSpec attributeSpec(llvm::StringRef name, bool isOptional, OfDimensions dimensions) {
  if constexpr (kindOf<Storage>() != AttributeKind::Word)
    return {name, isOptional, kindOf<Storage>(), dimensions, nullptr, nullptr};
  else
    return {name,
            isOptional,
            AttributeKind::Word,
            dimensions,
            [](mlir::MLIRContext *context, llvm::StringRef word) -> mlir::Attribute {
              auto value = symbolizeEnum<ValueOf<Storage>>(word);
              return value ? Storage::get(context, *value) : Storage();
            },
            [](uint32_t number) -> llvm::StringRef { return stringifyEnum(static_cast<ValueOf<Storage>>(number)); }};
}

} // namespace detail
} // namespace mp

#endif // MP_IR_DEFINITION_H
