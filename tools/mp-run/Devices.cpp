//===- Devices.cpp - mp-run devices ------------------------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "mp/Runtime/Infer.h"

#include <iostream>

namespace mp {

void addDevicesCommand(CLI::App &app) {
  CLI::App *verb = app.add_subcommand("devices", "list the devices of this machine and what they compute in");
  verb->callback([] { printDevices(std::cout); });
}

} // namespace mp
