// Flags that mp-exec and mp-run share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_RUNTIMEFLAGS_H
#define MP_TOOLS_RUNTIMEFLAGS_H

#include "mp/Training/Infer.h"
#include "mp/Training/TrainOptions.h"

#include <CLI/CLI.hpp>

#include <sstream>

namespace mp {

/// Adds every flag of trainFlags() to a command.
inline void addTrainFlags(CLI::App &command, TrainOptions &options) {
  for (const TrainFlag &flag : trainFlags()) {
    std::string name = std::string("--") + flag.name;
    // CLI11 reports what a callback throws together with the flag's name.
    auto set = [&options, &flag](const std::string &value) {
      if (Status status = setTrainFlag(options, flag.name, value); !status.ok())
        throw CLI::ValidationError(status.message());
    };
    if (flag.value)
      command.add_option_function<std::string>(name, set, flag.help)->type_name(flag.value);
    else
      command.add_flag_callback(name, [set] { set(""); }, flag.help);
  }
}

/// Adds --simulate, which trainFlags() has, to a command that does not train.
inline void addSimulateFlag(CLI::App &command, SIMTOptions &options) {
  auto set = [&options](const std::string &value) {
    if (Status status = setSIMTOptions(options, value); !status.ok())
      throw CLI::ValidationError("--simulate=" + value + ": " + status.message());
  };
  command
      .add_option_function<std::string>(
          "--simulate", set,
          "device simt: races, uninitialized, bounds, checks (all three), hardware-like, seed=N (default: none)")
      ->type_name("WORDS");
}

/// Adds --weights, --input, --output, --expected_output, --tolerance, --random-inputs and --seed to a command.
inline void addInferFlags(CLI::App &command, InferOptions &options) {
  auto list = [&](const char *name, std::vector<std::string> &values, const char *type, const char *help) {
    // One value each time the flag is said, whatever commas or brackets the value has.
    command
        .add_option_function<std::vector<std::string>>(
            name, [&values](const std::vector<std::string> &given) { values = given; }, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  command.add_option("--weights", options.weights, "safetensors file or checkpoint folder (default: first values)")
      ->type_name("FILE");
  command.add_option("--seed", options.seed, "seed of state that the weights do not hold (default 0)");
  command
      .add_option("--random-inputs", options.randomInputs,
                  "give every other input random values of this seed (default: all are given)")
      ->type_name("SEED");
  auto setTolerance = [&options](const std::string &text) {
    std::istringstream words(text);
    Tolerance tolerance{0, 0};
    char comma = 0;
    if (!(words >> tolerance.absolute) || (words >> comma && (comma != ',' || !(words >> tolerance.relative))) ||
        !words.eof() || !(tolerance.absolute >= 0) || !(tolerance.relative >= 0))
      throw CLI::ValidationError("--tolerance=" + text + ": expected ABSOLUTE or ABSOLUTE,RELATIVE, each at least 0");
    options.tolerance = tolerance;
  };
  command
      .add_option_function<std::string>(
          "--tolerance", setTolerance,
          "how far floats may be from --expected_output: ABSOLUTE + RELATIVE * |expected|. RELATIVE is 0 where it is "
          "left out: 1 allows a distance of 1 (default: by the type of the result)")
      ->type_name("ABSOLUTE[,RELATIVE]");
  list("--input", options.inputs, "NAME=@X.npy", "an input; or NAME=2x2xf32=1 2 3 4 (default: none)");
  list("--output", options.outputs, "NAME=@Y.npy", "where to write a result (default: results are printed)");
  list("--expected_output", options.expected, "NAME=@Z.npy", "what a result must be (default: none is compared)");
}

} // namespace mp

#endif // MP_TOOLS_RUNTIMEFLAGS_H
