// Random models as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write-random-models OUT COUNT: the models of seeds 0 to COUNT - 1, each OUT/random-N.mlir, after a line with the
// flags of mp-run that compile it.

#include "RandomModels/Generator.h"

#include <charconv>
#include <fstream>
#include <iostream>
#include <string_view>

int main(int argc, char **argv) {
  const std::string_view number = argc == 3 ? argv[2] : "";
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(number.begin(), number.end(), count);
  if (argc != 3 || error != std::errc() || end != number.end()) {
    std::cerr << "usage: write-random-models OUT COUNT\n";
    return 2;
  }
  for (uint64_t seed = 0; seed < count; ++seed) {
    const mp::RandomModel model = mp::generateModel(seed);
    const std::string path = std::string(argv[1]) + "/random-" + std::to_string(seed) + ".mlir";
    std::ofstream file(path);
    file << "//" << model.flags() << "\n" << model.text();
    if (!file.flush()) {
      std::cerr << "write-random-models: cannot write to " << path << "\n";
      return 1;
    }
  }
  return 0;
}
