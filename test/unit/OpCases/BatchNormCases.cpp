// Uses of normalization over a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/BatchNormCases.h"

using namespace mp;

namespace {

/// One batch: its sizes, each followed by "x".
struct Batch {
  std::string name, images, pixels, channels;
  std::string epsilon = "";
  bool large = false;
};

const Batch kBatches[] = {
    {"matrix", "6x", "", "5x"},
    {"images", "2x", "3x2x", "4x"},
    {"one dimension", "3x", "4x", "3x"},
    {"three dimensions", "2x", "2x1x2x", "3x"},
    {"one image", "1x", "3x3x", "2x"},
    {"one channel", "4x", "2x", "1x"},
    {"as many images as channels", "4x", "", "4x"},
    // Epsilon shows, and whether it is under the root.
    {"large epsilon", "2x", "3x", "4x", "{epsilon = 0.75 : f64} "},
    {"channels in vectors", "3x", "9x9x", "48x", "", true},
    {"channels in vectors and a rest", "5x", "7x7x", "37x", "", true},
    {"many rows", "701x", "", "3x", "", true},
};

} // namespace

void mp::addBatchNorms(std::vector<OpCase> &cases) {
  for (const Batch &of : kBatches) {
    const Operand images{of.images + of.pixels + of.channels + "$T"}, ofChannel{of.channels + "$A"};
    const Operand variance{ofChannel.type, Fill::Positive}, weights{of.images + "$A", Fill::Positive};
    for (bool isWeighted : {false, true}) {
      auto weigh = [&](std::vector<Operand> operands) {
        if (isWeighted)
          operands.push_back(weights);
        return operands;
      };
      auto text = [&](const std::string &uses, const std::string &number) {
        return uses + (isWeighted ? " weights %" + number + " : {" + number + "} " : " ") + of.epsilon + ": {0}, {1}";
      };
      const std::string name = of.name + (isWeighted ? ", weights" : "");
      cases.push_back({"mp.batch_norm",
                       name,
                       weigh({images, ofChannel, ofChannel}),
                       {images.type, ofChannel.type, ofChannel.type, "$A"},
                       text("mp.batch_norm %0, %1, %2", "3"),
                       of.large});
      cases.push_back({"mp.batch_norm_grad",
                       name,
                       weigh({images, ofChannel, ofChannel, variance, images}),
                       {images.type, ofChannel.type, ofChannel.type},
                       text("mp.batch_norm_grad %0, %1, %2, %3, %4", "5"),
                       of.large});
    }
    cases.push_back({"mp.batch_norm_inference",
                     of.name,
                     {images, ofChannel, ofChannel, ofChannel, variance},
                     {images.type},
                     "mp.batch_norm_inference %0, %1, %2, %3, %4 " + of.epsilon + ": {0}, {1}",
                     of.large});
  }
  for (const char *how : {"", "{unbiased} "})
    for (const char *channels : {"1x", "7x", "67x"})
      cases.push_back({"mp.update_running",
                       std::string(channels) + " " + how,
                       {{channels + std::string("$A")}, {channels + std::string("$A")}, {"$A", Fill::Positive}},
                       {channels + std::string("$A")},
                       "mp.update_running %0, %1, %2 " + std::string(how) + ": {0}"});
}
