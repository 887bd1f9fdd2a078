// Tables that one rule refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case breaks one rule in a table that was right, and gives the whole message.

#ifndef MP_TEST_EXECUTABLE_VERIFYCASES_H
#define MP_TEST_EXECUTABLE_VERIFYCASES_H

#include "Executable/Sample.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace mp::executable {

/// What breaks a rule in the sample, and what is said of it.
struct Case {
  const char *name;
  std::function<void(ExecutableT &)> damage;
  const char *message;
};

// What the sample has.
inline VariantT &train(ExecutableT &table) { return *table.programs[0]->variants[0]; }
inline VariantT &train32(ExecutableT &table) { return *table.programs[0]->variants[1]; }
inline VariantT &reference(ExecutableT &table) { return *table.programs[0]->variants[2]; }
inline LaunchT &forward(ExecutableT &table) { return *train(table).commands[1]->what.AsLaunch(); }
inline LaunchT &adam(ExecutableT &table) { return *train(table).commands[4]->what.AsLaunch(); }
inline CopyT &copy(ExecutableT &table) { return *train(table).commands[2]->what.AsCopy(); }
inline FillT &fill(ExecutableT &table) { return *train(table).commands[0]->what.AsFill(); }

/// More than any file has.
inline constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max() - 63;

/// The message about the damaged `table` is `prefix` and the case's own.
inline void expectRefusal(const Case &test, const std::string &prefix, ExecutableT table = sample::table()) {
  SCOPED_TRACE(test.name);
  test.damage(table);
  uint64_t blobsEnd = sample::table().blobs.back()->offset + 128;
  EXPECT_EQ(verifyExecutable(table, blobsEnd).message(), prefix + test.message);
}

} // namespace mp::executable

#endif // MP_TEST_EXECUTABLE_VERIFYCASES_H
