// Sizes of dimensions, which may be open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_SIZES_H
#define MP_LIB_IR_SIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace mp {

inline bool isOpen(int64_t size) { return mlir::ShapedType::isDynamic(size); }

/// Whether two sizes can be the same: equal, or one is not known yet.
inline bool agree(int64_t a, int64_t b) { return a == b || isOpen(a) || isOpen(b); }
inline bool agree(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto sizes) { return agree(std::get<0>(sizes), std::get<1>(sizes)); });
}

/// "[4x?x8]", for messages.
inline std::string describe(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(shape, os, [&](int64_t size) { isOpen(size) ? os << '?' : os << size; }, "x");
  os << ']';
  return text;
}

} // namespace mp

#endif // MP_LIB_IR_SIZES_H
