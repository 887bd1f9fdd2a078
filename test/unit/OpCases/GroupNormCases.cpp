// Uses of normalization of groups of channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/GroupNormCases.h"

using namespace mp;

namespace {

/// Images, their sizes each followed by "x", and groups of their channels.
struct Images {
  std::string name, rows, pixels, channels, groups;
  std::string epsilon = "";
  bool large = false;
};

const Images kImages[] = {
    {"images", "2x", "3x2x", "4x", "2"},
    {"one group", "2x", "3x2x", "4x", "1"},
    {"a group for each channel", "3x", "2x3x", "4x", "4"},
    {"no pixels", "5x", "", "6x", "3", "{epsilon = 0.75 : f64} "},
    {"three dimensions", "2x", "2x1x2x", "6x", "2"},
    {"one image", "1x", "4x", "6x", "3"},
    // Epsilon shows, and whether it is under the root.
    {"large epsilon", "2x", "3x", "4x", "2", "{epsilon = 0.75 : f64} "},
    {"channels in vectors", "3x", "5x5x", "48x", "3", "", true},
    {"channels in vectors and a rest", "2x", "7x7x", "74x", "2", "", true},
};

} // namespace

void mp::addGroupNorms(std::vector<OpCase> &cases) {
  for (const Images &of : kImages) {
    const Operand images{of.rows + of.pixels + of.channels + "$T"}, ofChannel{of.channels + "$A"};
    const std::string clause = " groups " + of.groups + " " + of.epsilon + ": {0}, {1}";
    cases.push_back({"mp.group_norm",
                     of.name,
                     {images, ofChannel, ofChannel},
                     {images.type},
                     "mp.group_norm %0, %1, %2" + clause,
                     of.large});
    cases.push_back({"mp.group_norm_grad",
                     of.name,
                     {images, ofChannel, images},
                     {images.type, ofChannel.type, ofChannel.type},
                     "mp.group_norm_grad %0, %1, %2" + clause,
                     of.large});
  }
}
