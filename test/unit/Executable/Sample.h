// A small executable that uses every feature.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_EXECUTABLE_SAMPLE_H
#define MP_TEST_EXECUTABLE_SAMPLE_H

#include "mp/Executable/Executable.h"

namespace mp::sample {

using Bytes = std::vector<std::byte>;

/// A table that the verifier accepts: programs train_step (cpu at two batches, reference), eval and derive, over state
/// of every role, with every kind of command, argument, result, space and blob.
executable::ExecutableT table();

/// The contents of its blobs: 0 native code, 1 constants, 2 program text.
std::vector<Bytes> blobs();

/// The file of `table` with those contents and a right hash, made without verifying anything: the table's bytes end it,
/// as in what the writer writes.
Bytes unverifiedFile(executable::ExecutableT table);

/// Replaces the table of a file by these bytes and rights the header.
Bytes withTable(const Bytes &file, std::span<const std::byte> table);

/// Writes into the header the hash of all else, computed at once over a copy (the library computes it in chunks).
void rehash(Bytes &file);

/// Where the table of a file begins.
uint64_t tableOffset(const Bytes &file);

} // namespace mp::sample

#endif // MP_TEST_EXECUTABLE_SAMPLE_H
