// Files of named tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of huggingface/safetensors: 8 bytes of header length, a JSON object from names to type,
// shape and offsets, then the data without holes.

#ifndef MP_RUNTIME_TENSORS_SAFETENSORS_H
#define MP_RUNTIME_TENSORS_SAFETENSORS_H

#include "mp/Runtime/Tensors/Tensor.h"

#include <map>

namespace mp {

struct Safetensors {
  NamedTensors tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads and checks a file: lengths, types, and that the tensors cover the data exactly. The types
/// BOOL, U8, I32, I64, F16, BF16, F32 and F64 are read; any other, and a file that is damaged, is an
/// error whose message starts with the path.
ErrorOr<Safetensors> readSafetensors(const std::string &path);

/// The same for a file's bytes.
ErrorOr<Safetensors> parseSafetensors(std::span<const std::byte> bytes);

/// The chunks of a file one behind the other: `head`, which this fills, then the tensors' data, the
/// largest elements first and by name, so that every tensor is aligned. They refer to the arguments.
std::vector<std::span<const std::byte>>
safetensorsChunks(const NamedTensors &tensors, const std::map<std::string, std::string> &metadata, std::string &head);

/// Writes a file, whole or not at all.
Status writeSafetensors(const std::string &path, const NamedTensors &tensors,
                        const std::map<std::string, std::string> &metadata = {});

} // namespace mp

#endif // MP_RUNTIME_TENSORS_SAFETENSORS_H
