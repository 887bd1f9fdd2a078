// The chips that a simulated device can be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/ChipTable.h"
#include "mp/Devices/SIMT/SIMTDevice.h"

#include <gtest/gtest.h>

using namespace mp;

// The runtime links no LLVM and has a list of its own.
TEST(SIMTDevice, canBeEveryChipThatThereIsCodeFor) {
  std::vector<std::string> chips;
  for (const Chip &chip : allChips())
    chips.push_back(chip.name.str());
  ErrorOr<std::unique_ptr<Device>> device = createSIMTDevice({});
  ASSERT_TRUE(device.ok()) << device.message();
  EXPECT_EQ((*device)->description().features, chips);
}
