// Numbers that the compiler left for the trainer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_METADATA_H
#define MP_LIB_TRAINING_METADATA_H

#include "mp/Runtime/Core/Session.h"

#include <charconv>

namespace mp {

/// The number under `key`; nothing where the executable has no such metadata.
template <typename T> ErrorOr<std::optional<T>> metadataNumber(const Session &session, const char *key) {
  const std::string *text = session.metadata(key);
  if (!text)
    return std::optional<T>();
  T number{};
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size())
    return makeError("metadata ", key, " is '", *text, "', expected a number");
  return std::optional<T>(number);
}

} // namespace mp

#endif // MP_LIB_TRAINING_METADATA_H
