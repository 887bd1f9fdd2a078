// The parts of the verifier of meaning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_EXECUTABLE_VERIFY_H
#define MP_LIB_EXECUTABLE_VERIFY_H

#include "mp/Executable/Executable.h"

#include <map>

namespace mp::verify {

/// The largest memory that a file may ask for: state, arena, arguments and results of a variant together. Far above any
/// machine and far below 2^63, so that sums of sizes never overflow.
inline constexpr uint64_t kMaxBytes = uint64_t(1) << 47;

/// The first version of the format whose files may hold values of state.
inline constexpr uint32_t kFirstWithValues = 4;

/// Scratch is per running block, so threads multiply it.
inline constexpr uint64_t kMaxScratchBytes = uint64_t(1) << 30;

/// What a grid's first dimension may be on a GPU.
inline constexpr uint64_t kMaxGrid = (uint64_t(1) << 31) - 1;

/// What a block and a cluster may be on any GPU; a chip allows less, which its driver says.
inline constexpr uint64_t kMaxThreads = 1024;
inline constexpr uint64_t kMaxSharedBytes = 232448;
inline constexpr uint64_t kMaxCluster = 16;

/// What parameters of a kernel may take on any GPU; later chips and versions of PTX allow more.
inline constexpr uint64_t kMaxParameterBytes = 4352;

/// The widest access of a thread; code may round those at the end of shared memory up to it.
inline constexpr uint64_t kSharedGranule = 16;

inline constexpr size_t kMaxRank = 32;
inline constexpr size_t kMaxNameBytes = 4096;

/// A name in messages, cut where it is long and with what is no plain text replaced: 'dense.kernel'.
std::string quoted(const std::string &name);

/// Text for people: plain and not too long.
Status checkText(const std::string &text, const char *what);

/// Text that also names something: not empty.
Status checkName(const std::string &name, const char *what);

/// A type is there, its enum value is known, sizes are not negative and the bytes are at most kMaxBytes.
Status checkType(const std::unique_ptr<executable::TensorTypeT> &type);

/// Rows of the state table by name.
using StateIndex = std::map<std::string, uint32_t>;

/// The state table: names, types, roles, initializers. Returns where each name is.
ErrorOr<StateIndex> checkState(const executable::ExecutableT &table);

/// Which variants make, read and write derived state. Everything else has been checked.
Status checkDerivedState(const executable::ExecutableT &table, const StateIndex &state);

/// Arguments and results of one variant, each and against the state table.
Status checkSignature(const executable::ExecutableT &table, const StateIndex &state,
                      const executable::VariantT &variant);

/// That two variants of a program differ in nothing but batched sizes, derived state, target, features, batch and code.
Status checkSameSignature(const executable::ExecutableT &table, const StateIndex &state,
                          const executable::VariantT &first, const executable::VariantT &other);

/// The commands of one variant. Everything that they refer to has been checked.
Status checkPlan(const executable::ExecutableT &table, const StateIndex &state, const executable::ProgramT &program,
                 const executable::VariantT &variant);

} // namespace mp::verify

#endif // MP_LIB_EXECUTABLE_VERIFY_H
