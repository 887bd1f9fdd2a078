// Whether bytes are a table of this schema.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flatbuffers::Verifier makes sure that every reference stays inside the buffer. It does not mind that many references
// meet in one place, and unpacking copies what each of them reaches: a small file could ask for terabytes. What our
// writer writes is a tree, so the vectors and strings of an honest table fit into its own length together. Nor does it
// mind elements of 8 bytes that lie between multiples of 8: it looks at the length in front of them, which has 4.

#include "Executable/Format.h"

using namespace mp;
using namespace mp::executable;

namespace {

/// Adds up the vectors and strings that unpacking would copy, and stops where they exceed the budget, or where elements
/// are not aligned.
class SizeCounter {
public:
  explicit SizeCounter(uint64_t budget) : left(budget) {}

  bool fits(const Executable &table);
  bool foundMisaligned() const { return isMisaligned; }

private:
  template <typename T> bool isAligned(const void *elements) {
    isMisaligned |= reinterpret_cast<uintptr_t>(elements) % alignof(T) != 0;
    return !isMisaligned;
  }

  bool take(uint64_t bytes) {
    bool enough = bytes <= left;
    left -= enough ? bytes : left;
    return enough;
  }

  bool fits(const flatbuffers::String *text) { return !text || take(text->size()); }

  template <typename T> bool fits(const flatbuffers::Vector<T> *scalars) {
    return !scalars || (isAligned<T>(scalars->Data()) && take(uint64_t(scalars->size()) * sizeof(T)));
  }

  bool fits(const flatbuffers::Vector<const Buffer *> *buffers) {
    return !buffers || (isAligned<Buffer>(buffers->Data()) && take(uint64_t(buffers->size()) * sizeof(Buffer)));
  }

  template <typename T> bool fits(const flatbuffers::Vector<flatbuffers::Offset<T>> *list) {
    if (!list)
      return true;
    if (!take(uint64_t(list->size()) * sizeof(flatbuffers::uoffset_t)))
      return false;
    for (const T *element : *list)
      if (!fits(*element))
        return false;
    return true;
  }

  bool fits(const flatbuffers::String &text) { return take(text.size()); }
  bool fits(const TensorType &type) { return fits(type.shape()); }
  bool fits(const Blob &) { return true; }
  bool fits(const OpCount &count) { return fits(count.type()); }
  bool fits(const KeyValue &entry) { return fits(entry.key()) && fits(entry.value()); }
  bool fits(const StateEntry &entry) {
    return fits(entry.name()) && fits(*entry.type()) && fits(entry.derived_of()) && fits(entry.layout());
  }
  bool fits(const Argument &argument) { return fits(argument.name()) && fits(*argument.type()); }
  bool fits(const Result &result) { return fits(result.name()) && fits(*result.type()) && fits(result.names()); }
  bool fits(const Command &command) {
    const Launch *launch = command.what_as_Launch();
    return !launch || (fits(launch->kernel()) && fits(launch->symbol()) && fits(launch->buffers()));
  }
  bool fits(const Variant &variant) {
    return fits(variant.target()) && fits(variant.features()) && fits(variant.arguments()) && fits(variant.results()) &&
           fits(variant.commands()) && (!variant.statistics() || fits(variant.statistics()->ops_by_type()));
  }
  bool fits(const Program &program) { return fits(program.name()) && fits(program.variants()); }

  uint64_t left;
  bool isMisaligned = false;
};

} // namespace

bool SizeCounter::fits(const Executable &table) {
  return fits(table.producer()) && fits(table.model()) && fits(table.policy()) && fits(table.state()) &&
         fits(table.programs()) && fits(table.blobs()) && fits(table.metadata());
}

Status format::checkStructure(std::span<const std::byte> table) {
  // Offsets inside a FlatBuffer have 32 bits, of which its verifier takes 31.
  constexpr uint64_t kMaxTableBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
  if (table.size() > kMaxTableBytes)
    return makeError("table of ", table.size(), " bytes, expected at most ", kMaxTableBytes);

  const uint8_t *start = reinterpret_cast<const uint8_t *>(table.data());
  // The schema is 6 tables deep. A table takes at least 8 bytes: the offset to its vtable and a reference to it.
  flatbuffers::Verifier verifier(start, table.size(), /*max_depth=*/16,
                                 /*max_tables=*/static_cast<flatbuffers::uoffset_t>(table.size() / 8));
  const char *malformed = "the table is not a well-formed FlatBuffer of this schema";
  if (!VerifyExecutableBuffer(verifier))
    return makeError(malformed);
  SizeCounter counter(table.size());
  if (counter.fits(*GetExecutable(start)))
    return Status::success();
  return makeError(counter.foundMisaligned() ? malformed : "parts of the table share their bytes");
}
