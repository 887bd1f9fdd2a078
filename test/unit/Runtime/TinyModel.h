// A classifier of 4 pixels, put together by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear classifier tensor<Bx4xui8> -> 3 classes with squared loss, dropped pixels and a loss
// scaler whose f16 overflow is real: the executable that a compiler would write, with its kernels
// compiled from C.

#ifndef MP_TEST_RUNTIME_TINYMODEL_H
#define MP_TEST_RUNTIME_TINYMODEL_H

#include "mp/Executable/Executable.h"

#include <memory>
#include <string>
#include <vector>

namespace mp::test {

struct TinyModelOptions {
  std::vector<int64_t> batches = {8}; // of eval and infer; the first is training's
  double lossScale = 1024;
  bool padTraining = false;               // train_step takes row weights
  bool accumulate = false;                // programs accumulate and apply
  std::vector<std::string> features = {}; // that the variants ask for
  std::string skipLimit = {};             // metadata, where not empty
  std::string minScale = {};              // the same
  std::string microBatches = {};          // the same
  std::string policy = "mixed_float16";
  bool moreState = false; // scalars of Adam and of a scaler with hysteresis, and one that nobody knows
  bool gpu = false;       // each variant for a GPU, too: target nvptx, chip sm_70
};

struct TinyModel {
  executable::ExecutableT table;
  std::vector<std::vector<std::byte>> blobs;
};

TinyModel makeTinyModel(const TinyModelOptions &options = {});

/// The model through the writer and the reader.
std::shared_ptr<const LoadedExecutable> loadTinyModel(const TinyModelOptions &options = {});

/// Writes MNIST's four files for the model: 2x2 images of which the label is a function that a
/// linear classifier learns, `trainRows` of them for training and `testRows` for test.
void writeTinyData(const std::string &folder, unsigned trainRows, unsigned testRows);

} // namespace mp::test

#endif // MP_TEST_RUNTIME_TINYMODEL_H
