// Sizes of dimensions, which may be open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_SIZES_H
#define MP_LIB_IR_SIZES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
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

/// Whether a type may state these sizes where those follow: one that is known is no open one, one that is open may be
/// any.
inline bool mayState(llvm::ArrayRef<int64_t> stated, llvm::ArrayRef<int64_t> following) {
  return stated.size() == following.size() && llvm::all_of(llvm::zip(stated, following), [](auto sizes) {
           return std::get<0>(sizes) == std::get<1>(sizes) || isOpen(std::get<1>(sizes));
         });
}

/// Whether there are at most 2^48 elements, so that bytes of tensors and sums of them fit 64 bits. Sizes of 0 and open
/// ones are taken as 1: strides fit, too.
inline bool isCountable(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size > 0 && (llvm::MulOverflow(count, size, count) || count > int64_t(1) << 48))
      return false;
  return true;
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
