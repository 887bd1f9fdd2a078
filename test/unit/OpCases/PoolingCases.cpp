// Uses of poolings and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/PoolingCases.h"

using namespace mp;

namespace {

/// One pooling: the sizes of its image and result, each followed by "x".
struct Shapes {
  std::string name, image, result;
  std::string windows; ///< "window = [2, 2]"
  bool pads = false;
  bool dilates = false; ///< which averages do not
  bool large = false;
};

const Shapes kShapes[] = {
    {"plain", "2x4x6x3x", "2x2x3x3x", "window = [2, 2]"},
    {"pixels that no window has", "2x5x7x3x", "2x2x2x3x", "window = [2, 3]"},
    {"strides", "2x7x6x2x", "2x3x3x2x", "window = [2, 1], strides = [2, 2]"},
    {"overlapping", "2x5x6x3x", "2x3x4x3x", "window = [3, 3], strides = [1, 1]"},
    {"overlapping, same", "2x5x6x3x", "2x3x3x3x", "window = [3, 3], strides = [2, 2], padding = same", true},
    {"padded unevenly", "2x4x5x2x", "2x5x3x2x", "window = [3, 2], strides = [1, 2], padding = [2, 1, 1, 1]", true},
    {"dilations", "2x6x7x2x", "2x4x3x2x", "window = [2, 3], strides = [1, 1], dilations = [2, 2]", false, true},
    {"dilations, padded", "1x4x6x2x", "1x4x3x2x",
     "window = [3, 2], strides = [1, 2], padding = [2, 2, 1, 0], dilations = [2, 2]", true, true},
    {"windows larger than the image", "1x2x2x3x", "1x2x2x3x", "window = [5, 3], strides = [1, 1], padding = same",
     true},
    {"windows far larger than the image", "1x2x3x2x", "1x4x2x2x",
     "window = [4294967296, 6], strides = [1, 3], padding = [4294967295, 2, 4, 3]", true},
    {"windows far larger than the image, one behind the other", "1x2x2x2x", "1x2x2x2x",
     "window = [65536, 65536], padding = [65535, 65535, 65535, 65535]", true},
    {"windows far larger than the image, dilations", "1x4x2x", "1x5x2x",
     "window = [1073741824], strides = [1], padding = [3221225469, 1], dilations = [3]", true, true},
    {"one pixel", "1x1x1x3x", "1x1x1x3x", "window = [1, 1]"},
    {"one channel", "3x4x4x1x", "3x2x2x1x", "window = [2, 2]"},
    {"one dimension", "3x9x2x", "3x4x2x", "window = [3], strides = [2]"},
    {"three dimensions", "1x3x4x3x2x", "1x2x2x3x2x",
     "window = [2, 2, 3], strides = [1, 2, 1], padding = [0, 0, 0, 0, 1, 1]", true},
    {"large windows", "1x12x9x2x", "1x3x2x2x", "window = [5, 5], strides = [3, 4]"},
    {"channels in vectors", "3x9x9x48x", "3x5x5x48x", "window = [3, 3], strides = [2, 2], padding = same", true, false,
     true},
    {"channels in vectors and a rest", "2x7x7x37x", "2x3x3x37x", "window = [2, 2]", false, false, true},
};

/// One pooling by windows that follow each other.
struct ApartShapes {
  std::string name, image, result;
  std::string window; ///< "[2, 2]"
  bool large = false;
};

const ApartShapes kApart[] = {
    {"plain", "2x4x6x3x", "2x2x3x3x", "[2, 2]"},
    {"pixels that no window has", "2x5x7x3x", "2x2x2x3x", "[2, 3]"},
    {"one pixel", "1x1x1x3x", "1x1x1x3x", "[1, 1]"},
    {"one channel", "3x5x4x1x", "3x2x2x1x", "[2, 2]"},
    {"one dimension", "3x8x2x", "3x2x2x", "[4]"},
    {"three dimensions", "2x3x4x4x2x", "2x3x2x2x2x", "[1, 2, 2]"},
    {"large windows", "1x17x16x2x", "1x1x1x2x", "[16, 16]"},
    {"channels in vectors", "3x9x8x48x", "3x4x4x48x", "[2, 2]", true},
    {"channels in vectors and a rest", "2x7x7x37x", "2x3x3x37x", "[2, 2]", true},
};

void addApart(std::vector<OpCase> &cases) {
  for (const ApartShapes &of : kApart) {
    const Operand image{of.image + "$T", of.large ? Fill::Whole : Fill::Separated};
    cases.push_back({"mp.max_pool_with_indices",
                     of.name,
                     {image},
                     {of.result + "$T", of.result + "ui8"},
                     "mp.max_pool_with_indices %0 window " + of.window + " : {0} -> {r}, tensor<" + of.result + "ui8>",
                     of.large});
    // An index of 4 says of windows of four pixels that none of them has the value.
    cases.push_back({"mp.max_unpool",
                     of.name,
                     {{of.result + "ui8", Fill::Labels}, {of.result + "$T"}},
                     {of.image + "$T"},
                     "mp.max_unpool %0, %1 window " + of.window + " : {0}, {1} -> {r}",
                     of.large});
  }
}

} // namespace

void mp::addPoolings(std::vector<OpCase> &cases) {
  for (const Shapes &of : kShapes) {
    auto add = [&](const std::string &op, std::vector<Operand> operands, const std::string &result,
                   const std::string &more, const std::string &note = "") {
      const std::string types = operands.size() == 2 ? "{0}, {1}" : "{0}",
                        uses = operands.size() == 2 ? "%0, %1" : "%0";
      cases.push_back({op,
                       of.name + note,
                       std::move(operands),
                       {result + "$T"},
                       op + " " + uses + " {" + of.windows + more + "} : " + types + " -> {r}",
                       of.large});
    };
    // Which pixel wins must not hang on the last bit of it, nor what is summed.
    const Operand image{of.image + "$T", of.large ? Fill::Whole : Fill::Separated};
    add("mp.max_pool", {image}, of.result, "");
    add("mp.max_pool_grad", {image, {of.result + "$T", Fill::Whole}}, of.image, "");
    if (of.dilates)
      continue;
    auto addAverages = [&](const std::string &more, const std::string &note) {
      add("mp.avg_pool", {{of.image + "$T"}}, of.result, more, note);
      add("mp.avg_pool_grad", {{of.result + "$T"}}, of.image, more, note);
    };
    if (!of.pads)
      addAverages("", "");
    for (std::string counts : {"true", "false"})
      if (of.pads)
        addAverages(", count_padding = " + counts, counts == "true" ? ", counting padding" : "");
  }
  addApart(cases);
}
