// Which integers an input takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_CLASSES_H
#define MP_TRAINING_DATA_CLASSES_H

#include "mp/Runtime/Core/Session.h"

#include <map>
#include <optional>
#include <span>

namespace mp {

/// Numbers from 0 to below `count`, the classes of a label or the rows that indices look up; and one more, of rows that
/// do not count.
struct ClassRange {
  int64_t count;
  std::optional<int64_t> ignored;

  bool has(double number) const {
    return (number >= 0 && number < static_cast<double>(count)) || (ignored && number == static_cast<double>(*ignored));
  }
  /// "10 classes, and the label -100 for rows that do not count", beside a label that is none of them; of one that
  /// marks such rows elsewhere how a loss would leave them out.
  std::string describe(double label) const;
};

/// What elements of inputs are, by the inputs' names.
using Classes = std::map<std::string, ClassRange, std::less<>>;

/// Of the variant's inputs, from metadata `classes:INPUT` and `ignored:INPUT`.
Classes classesOf(const Session &session, const executable::VariantT &variant);

/// Checks that elements given to an input, rows of them, are such; the error names the first that is not and its row.
Status checkClasses(const executable::ArgumentT &input, const TensorTypeT &type, std::span<const std::byte> bytes,
                    const Classes &classes);

} // namespace mp

#endif // MP_TRAINING_DATA_CLASSES_H
