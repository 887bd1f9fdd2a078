// The tests' model and data as files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: write-tiny-model OUT.mpx [batch=N] [loss-scale=S] [skip-limit=N] [pad] [accumulate] [gpu]
//        write-tiny-model FOLDER data TRAIN_ROWS TEST_ROWS

#include "Runtime/TinyModel.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace mp;
using namespace mp::test;

int main(int argc, char **argv) {
  if (argc == 5 && std::string(argv[2]) == "data") {
    writeTinyData(argv[1], unsigned(std::atoi(argv[3])), unsigned(std::atoi(argv[4])));
    return 0;
  }
  if (argc < 2)
    return 2;
  TinyModelOptions options;
  for (int i = 2; i < argc; ++i) {
    std::string text = argv[i];
    std::string key = text.substr(0, text.find('='));
    std::string value = text.substr(std::min(text.size(), key.size() + 1));
    if (key == "batch")
      options.batches = {std::atoi(value.c_str())};
    else if (key == "loss-scale")
      options.lossScale = std::atof(value.c_str());
    else if (key == "skip-limit")
      options.skipLimit = value;
    else if (key == "pad")
      options.padTraining = true;
    else if (key == "accumulate")
      options.accumulate = true;
    else if (key == "gpu")
      options.gpu = true;
    else
      return 2;
  }
  TinyModel model = makeTinyModel(options);
  Status status = writeExecutable(argv[1], std::move(model.table), model.blobs);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
