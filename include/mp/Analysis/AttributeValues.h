// Values of attributes, as lists of a policy name them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_ATTRIBUTEVALUES_H
#define MP_ANALYSIS_ATTRIBUTEVALUES_H

#include "mp/Base/Status.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir {
class Attribute;
class RegisteredOperationName;
} // namespace mlir

namespace mp {

/// What is written as the value of an attribute: nothing, a number, a list as `[0, 1]`, or one of some words, as
/// `true` and `f32` are. Of an attribute whose values are not known any text is.
enum class ValueKind { Any, Flag, Integer, Number, Integers, Word };

/// An attribute that an op's definition names.
struct KnownAttribute {
  std::string name;
  ValueKind kind = ValueKind::Any;
  /// Of kind Word, in the order of their definition.
  std::vector<std::string> words = {};
};

/// The attributes of `op`, without those that count its operands.
std::vector<KnownAttribute> collectAttributes(mlir::RegisteredOperationName op);

/// The text of a value, one for each: `1e-05` for every way to write that number. A flag's is empty.
std::string textOfValue(mlir::Attribute value);

/// The same text of what a user wrote, or an error that says what `attribute` may be.
ErrorOr<std::string> readValue(const KnownAttribute &attribute, llvm::StringRef written);

} // namespace mp

#endif // MP_ANALYSIS_ATTRIBUTEVALUES_H
