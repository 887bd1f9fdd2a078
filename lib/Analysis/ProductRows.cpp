// Which rows a product's result has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/ProductRows.h"

bool mp::areRowsOfOneMatrix(const Contraction &product) {
  return product.batch == 1 && product.parts == 1 && !product.hasParts && product.classes.empty();
}

llvm::ArrayRef<mp::Contraction::Class> mp::classesInCode(const Contraction &product, bool isForGPU) {
  constexpr size_t kMostOnGPU = 16;
  if (isForGPU && product.classes.size() > kMostOnGPU)
    return {};
  return product.classes;
}

mp::Contraction mp::productOf(const Contraction &product, const Contraction::Class &rows) {
  Contraction part = product;
  part.m = rows.m;
  part.k = part.depth = rows.k;
  part.lhsMap = rows.lhsMap;
  part.rhsMap = rows.rhsMap;
  part.classes.clear();
  return part;
}
