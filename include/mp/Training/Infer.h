// A program run on files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_INFER_H
#define MP_TRAINING_INFER_H

#include "mp/Runtime/Core/Session.h"

#include "mp/Base/Names.h"

#include <iosfwd>

namespace mp {

/// What a user says about one run of a program. Texts are as on the command line.
struct InferOptions {
  std::string program = programs::infer;
  std::string weights;                  // safetensors file, or folder with a checkpoint
  uint64_t seed = 0;                    // of state that the weights do not hold
  std::vector<std::string> inputs;      // NAME=@x.npy or NAME=2x2xf32=1 2 3 4
  std::vector<std::string> outputs;     // NAME=@y.npy
  std::vector<std::string> expected;    // NAME=@z.npy or NAME=VALUES as in inputs
  std::optional<Tolerance> tolerance;   // of float results, instead of that of their type
  std::optional<uint64_t> randomInputs; // seed of the inputs that are not given
};

/// Checks what flags ask of each other: a tolerance has something to compare, files can be written where they are to
/// be.
Status checkInferOptions(const InferOptions &options);

/// Initializes the state, loads weights and runs the program on the inputs. Writes the outputs that
/// `outputs` names and prints the others as NAME=VALUES, or only their type where they are long.
/// Compares what `expected` names, within `tolerance` or that of its type. `notes` is told what was written and that
/// expectations were met. Errors: names that the program does
/// not have or that are given twice, files that cannot be read or written, inputs that do not fit,
/// outputs that differ.
Status infer(Session &session, const InferOptions &options, std::ostream &out, std::ostream &notes);

/// The devices that this program knows and this machine has, as `devices` prints them: for each its name, model,
/// features, memory and the types that its matrix units compute in.
void printDevices(std::ostream &out, const DeviceOptions &options = {});

/// What is in an executable: model, policy, state, programs with their variants, metadata.
void printExecutable(const executable::ExecutableT &table, std::ostream &out);

} // namespace mp

#endif // MP_TRAINING_INFER_H
