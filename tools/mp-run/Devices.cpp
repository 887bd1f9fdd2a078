// mp-run devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"

#include "mp/Training/Infer.h"

#include <iostream>

namespace mp {

void addDevicesCommand(CLI::App &app) {
  CLI::App *verb = app.add_subcommand("devices", "list the devices of this machine and what they compute in");
  verb->callback([] { printDevices(std::cout); });
}

} // namespace mp
