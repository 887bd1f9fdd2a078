// Which integers an input takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_CLASSES_H
#define MP_TRAINING_DATA_CLASSES_H

#include "mp/Runtime/Core/Session.h"

#include <map>
#include <span>

namespace mp {

/// What elements of inputs are below, by the inputs' names: the classes of a label, the rows that indices look up.
using Classes = std::map<std::string, int64_t, std::less<>>;

/// Of the variant's inputs, from metadata `classes:INPUT`.
Classes classesOf(const Session &session, const executable::VariantT &variant);

/// Checks that elements given to an input, rows of them, are such; the error names the first that is not and its row.
Status checkClasses(const executable::ArgumentT &input, const TensorTypeT &type, std::span<const std::byte> bytes,
                    const Classes &classes);

} // namespace mp

#endif // MP_TRAINING_DATA_CLASSES_H
