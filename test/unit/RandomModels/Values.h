// Values for the arguments of models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_VALUES_H
#define MP_TEST_RANDOMMODELS_VALUES_H

#include "mp/Reference/Tensor.h"

#include "llvm/ADT/StringRef.h"

#include <random>

namespace mp {

/// Floats with 0.1 <= |x| <= 1; integers below the number of classes that the name of a label says.
inline Tensor fillInput(llvm::StringRef name, const TensorTypeT &type, std::mt19937_64 &random) {
  Tensor tensor = Tensor::zeros(type);
  unsigned classes = 1;
  name.rsplit("_below_").second.getAsInteger(10, classes);
  std::uniform_real_distribution<double> magnitude(0.1, 1);
  for (uint64_t i = 0; i < tensor.count(); ++i) {
    const double value = isFloat(type.element) ? (random() & 1 ? 1 : -1) * magnitude(random)
                                               : static_cast<double>(random() % std::max(classes, 1U));
    storeElement(tensor.bytes, type.element, i, value);
  }
  return tensor;
}

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_VALUES_H
