// NumPy's array files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_TENSORS_NPY_H
#define MP_RUNTIME_TENSORS_NPY_H

#include "mp/Runtime/Tensors/Tensor.h"

namespace mp {

/// Reads an .npy file of version 1 to 3: |b1, |u1, <i4, <i8, <f2, <f4, <f8, and two bytes without
/// type (V2), which is how NumPy saves bf16. Column-major arrays are transposed. Every other type,
/// and a file that is damaged, is an error whose message starts with the path.
ErrorOr<HostTensor> readNpy(const std::string &path);

/// The same for a file's bytes.
ErrorOr<HostTensor> parseNpy(std::span<const std::byte> bytes);

/// The bytes of a file of integers of 8 to 64 bits, with or without sign, as i64; a value that i64 does not have is an
/// error.
ErrorOr<HostTensor> parseNpyIntegers(std::span<const std::byte> bytes);

/// Writes version 1; bf16 as V2.
Status writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace mp

#endif // MP_RUNTIME_TENSORS_NPY_H
