// Uses of convolutions and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/ConvolutionCases.h"

using namespace mp;

namespace {

/// One convolution: the sizes of its image, filter and result, each followed by "x".
struct Shapes {
  std::string name, image, filter, result;
  std::string windows; ///< "{strides = [2, 2]} "
  bool large = false;
  Fill fill = Fill::Signed;
};

const Shapes kShapes[] = {
    {"plain", "2x5x6x3x", "4x3x2x3x", "2x3x5x4x", ""},
    {"padded", "2x4x5x3x", "2x3x3x3x", "2x4x5x2x", "{padding = [1, 1, 1, 1]} "},
    {"padded unevenly", "2x4x5x3x", "2x3x3x3x", "2x5x4x2x", "{padding = [0, 3, 1, 0]} "},
    {"strides", "2x7x6x2x", "3x3x2x2x", "2x3x2x3x", "{strides = [2, 4]} "},
    {"strides, same", "2x6x5x2x", "3x3x3x2x", "2x3x3x3x", "{strides = [2, 2], padding = same} "},
    {"dilations", "2x7x8x2x", "3x3x2x2x", "2x3x5x3x", "{dilations = [2, 3]} "},
    {"strides of a filter of 1 x 1", "2x5x4x3x", "4x1x1x3x", "2x3x2x4x", "{strides = [2, 2]} "},
    {"1 x 1", "2x3x4x5x", "3x1x1x5x", "2x3x4x3x", ""},
    {"groups", "2x4x4x4x", "6x3x2x2x", "2x4x3x6x", "{padding = [1, 1, 0, 0], groups = 2} "},
    {"depthwise", "2x4x4x3x", "3x3x3x1x", "2x2x2x3x", "{groups = 3} "},
    {"depthwise, strides and dilations", "2x9x11x5x", "5x3x2x1x", "2x4x6x5x",
     "{strides = [2, 2], padding = [1, 2, 1, 1], dilations = [2, 2], groups = 5} "},
    {"depthwise, much padding", "1x3x4x4x", "4x2x2x1x", "1x8x7x4x", "{padding = [3, 3, 2, 2], groups = 4} "},
    {"depthwise, three dimensions", "1x3x4x3x2x", "2x2x2x3x1x", "1x2x3x3x2x",
     "{padding = [0, 0, 0, 0, 1, 1], groups = 2} "},
    {"depthwise with a multiplier", "1x4x4x3x", "6x2x2x1x", "1x3x3x6x", "{groups = 3} "},
    {"filter larger than the image", "2x2x1x3x", "2x5x3x3x", "2x2x1x2x", "{padding = same} "},
    {"windows of padding only", "1x2x2x2x", "2x1x1x2x", "1x3x3x2x", "{strides = [2, 2], padding = [1, 2, 2, 1]} "},
    {"strides and dilations", "2x9x8x3x", "2x3x3x3x", "2x3x2x2x", "{strides = [2, 3], dilations = [2, 2]} "},
    {"strides and groups", "2x7x7x4x", "6x3x3x2x", "2x3x3x6x", "{strides = [3, 3], padding = same, groups = 2} "},
    {"strides longer than the image", "2x2x3x2x", "3x2x3x2x", "2x1x1x3x", "{strides = [3, 4]} "},
    {"strides of many classes", "1x10x9x2x", "3x3x3x2x", "1x2x2x3x", "{strides = [5, 4]} "},
    {"one pixel", "1x1x1x3x", "2x1x1x3x", "1x1x1x2x", ""},
    {"one dimension", "3x9x2x", "4x3x2x", "3x5x4x", "{strides = [2], padding = [1, 1]} "},
    {"three dimensions", "1x3x4x3x2x", "2x2x2x3x2x", "1x2x4x3x2x",
     "{padding = [0, 0, 0, 1, 1, 1], strides = [1, 1, 1]} "},
    {"partial tiles", "2x11x13x35x", "45x3x3x35x", "2x11x13x45x", "{padding = same} ", true},
    {"channels in runs of 8", "2x9x10x24x", "40x3x3x24x", "2x5x5x40x", "{strides = [2, 2], padding = same} ", true},
    {"strides over many pixels", "2x17x19x16x", "24x3x3x16x", "2x9x10x24x", "{strides = [2, 2], padding = same} ",
     true},
    {"few channels, odd rows", "3x15x13x3x", "17x5x3x3x", "3x15x13x17x", "{padding = same} ", true},
    {"few channels, strides", "4x18x16x3x", "8x7x7x3x", "4x9x8x8x", "{strides = [2, 2], padding = [3, 3, 3, 3]} ",
     true},
    {"many channels, few pixels", "1x6x6x128x", "128x3x3x128x", "1x6x6x128x", "{padding = same} ", true},
    {"depthwise, whole vectors", "2x9x10x64x", "64x3x3x1x", "2x9x10x64x", "{padding = same, groups = 64} ", true},
    {"depthwise, groups of pixels", "2x6x17x24x", "24x3x5x1x", "2x6x17x24x", "{padding = same, groups = 24} ", true},
    {"depthwise, large windows", "1x13x12x16x", "16x9x9x1x", "1x7x6x16x",
     "{strides = [2, 2], padding = same, groups = 16} ", true},
    {"whole registers of channels", "2x6x7x32x", "40x3x3x32x", "2x6x7x40x", "{padding = same} ", true},
    {"large groups", "1x10x9x32x", "48x3x3x16x", "1x10x9x48x", "{padding = same, groups = 2} ", true},
    // What was dropped of a long sum would hide in the bound of so many roundings: sums of whole numbers have none.
    {"long sums", "8x32x32x2x", "3x3x3x2x", "8x32x32x3x", "{padding = same} ", true, Fill::Whole},
};

void addThree(std::vector<OpCase> &cases, const Shapes &shapes, const std::string &type = "$T",
              const std::string &acc = "$A", const std::string &note = "") {
  const Operand image{shapes.image + type, shapes.fill}, filter{shapes.filter + type, shapes.fill};
  const Operand result{shapes.result + type, shapes.fill};
  auto add = [&](const std::string &op, const Operand &lhs, const Operand &rhs, const Operand &of) {
    cases.push_back({op,
                     shapes.name + note,
                     {lhs, rhs},
                     {of.type},
                     op + " %0, %1 acc " + acc + " " + shapes.windows + ": {0}, {1} -> {r}",
                     shapes.large});
  };
  add("mp.conv", image, filter, result);
  add("mp.conv_transpose", result, filter, image);
  add("mp.conv_filter_grad", image, result, filter);
}

} // namespace

/// What convolutions of single channels become: taps are as wide as the sums.
static void addDepthwise(std::vector<OpCase> &cases) {
  auto add = [&](const std::string &op, std::string name, std::vector<Operand> operands, std::string result,
                 const std::string &windows, const std::string &between = "") {
    cases.push_back({op,
                     std::move(name),
                     std::move(operands),
                     {std::move(result)},
                     op + " %0, %1 " + between + windows + " : {0}, {1} -> {r}"});
  };
  const std::string same = "window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]";
  add("mp.depthwise_conv", "same", {{"2x5x4x8x$T"}, {"9x8x$A"}}, "2x5x4x8x$T", same);
  add("mp.depthwise_conv", "reversed", {{"2x5x4x8x$T"}, {"9x8x$A"}}, "2x5x4x8x$T", same, "reversed ");
  add("mp.depthwise_conv", "bias", {{"2x5x4x3x$T"}, {"9x3x$A"}, {"3x$T"}}, "2x5x4x3x$T", same, "bias %2 : {2} ");
  add("mp.depthwise_conv", "wide result and bias", {{"2x5x4x3x$T"}, {"9x3x$A"}, {"3x$A"}}, "2x5x4x3x$A", same,
      "bias %2 : {2} ");
  add("mp.depthwise_conv", "one dimension", {{"2x9x4x$T"}, {"3x4x$A"}}, "2x3x4x$T",
      "window [3] strides [2] padding [0, 0] dilations [2]");
  const std::string strides = "window [3, 2] strides [2, 3] padding [1, 0, 1, 1] dilations [1, 2]";
  add("mp.depthwise_conv_transpose", "strides", {{"4x3x2x5x$T"}, {"6x5x$A"}}, "4x6x6x5x$T", strides);
  add("mp.depthwise_conv_transpose", "wide result", {{"4x3x2x5x$T"}, {"6x5x$A"}}, "4x6x6x5x$A", strides);
  add("mp.depthwise_conv_row_sums", "same", {{"2x5x4x8x$T"}, {"2x5x4x8x$T"}}, "2x9x5x8x$A", same);
  add("mp.depthwise_conv_row_sums", "one dimension", {{"2x19x3x$T"}, {"2x15x3x$T"}}, "2x3x1x3x$A",
      "window [3] strides [1] padding [0, 0] dilations [2]");
  add("mp.depthwise_conv_row_sums", "more padding than image", {{"1x2x3x4x$T"}, {"1x6x9x4x$T"}}, "1x9x6x4x$A",
      "window [3, 3] strides [1, 1] padding [3, 3, 4, 4] dilations [1, 1]");
  add("mp.depthwise_conv_row_sums", "three dimensions", {{"2x3x4x7x16x$T"}, {"2x3x2x4x16x$T"}}, "2x12x6x16x$A",
      "window [1, 4, 3] strides [1, 2, 2] padding [0, 0, 1, 1, 1, 1] dilations [1, 1, 1]");
  add("mp.depthwise_conv_row_sums", "strides", {{"2x6x6x5x$T"}, {"2x3x2x5x$T"}}, "2x6x3x5x$A", strides);
}

void mp::addConvolutions(std::vector<OpCase> &cases) {
  for (const Shapes &shapes : kShapes)
    addThree(cases, shapes);
  Shapes small = {"sums in f16", "1x4x4x3x", "2x3x3x3x", "1x4x4x2x", "{padding = same} ", false, Fill::Whole};
  addThree(cases, small, "f16", "f16");

  auto conv = [&](std::string name, std::vector<Operand> operands, std::string result) {
    const std::string bias = operands.size() == 3 ? "bias %2 : {2} " : "";
    cases.push_back({"mp.conv",
                     name,
                     operands,
                     {result},
                     "mp.conv %0, %1 " + bias + "acc $A {strides = [2, 1]} : {0}, {1} -> {r}"});
  };
  cases.push_back({"mp.conv",
                   "depthwise, bias",
                   {{"2x5x6x3x$T"}, {"3x3x2x1x$T"}, {"3x$T"}},
                   {"2x3x5x3x$T"},
                   "mp.conv %0, %1 bias %2 : {2} acc $A {groups = 3} : {0}, {1} -> {r}"});
  conv("bias", {{"2x5x6x3x$T"}, {"4x3x2x3x$T"}, {"4x$T"}}, "2x2x5x4x$T");
  conv("wide bias", {{"2x5x6x3x$T"}, {"4x3x2x3x$T"}, {"4x$A"}}, "2x2x5x4x$T");
  conv("wide result", {{"2x5x6x3x$T"}, {"4x3x2x3x$T"}, {"4x$T"}}, "2x2x5x4x$A");
  cases.push_back({"mp.conv_transpose",
                   "wide result",
                   {{"2x3x5x4x$T"}, {"4x3x2x3x$T"}},
                   {"2x5x6x3x$A"},
                   "mp.conv_transpose %0, %1 acc $A : {0}, {1} -> {r}"});
  cases.push_back({"mp.conv_filter_grad",
                   "wide result",
                   {{"2x5x6x3x$T"}, {"2x3x5x4x$T"}},
                   {"4x3x2x3x$A"},
                   "mp.conv_filter_grad %0, %1 acc $A : {0}, {1} -> {r}"});

  // Parts of whole images, and parts that end within one.
  auto parts = [&](std::string name, std::string windows, std::string image, std::string gradient, std::string result,
                   int64_t depth) {
    cases.push_back({"mp.conv_filter_grad_parts",
                     name,
                     {{image}, {gradient}},
                     {result},
                     "mp.conv_filter_grad_parts %0, %1 depth " + std::to_string(depth) + " acc $A " + windows +
                         ": {0}, {1} -> {r}"});
  };
  parts("of images", "{padding = same} ", "5x4x8x8x$T", "5x4x8x16x$T", "3x16x3x3x8x$A", 64);
  parts("within images", "", "3x5x6x3x$T", "3x3x5x4x$T", "7x4x3x2x3x$A", 7);
  parts("strides and groups", "{strides = [2, 1], padding = [1, 0, 2, 1], groups = 2} ", "4x5x6x6x$T", "4x2x8x4x$T",
        "4x4x3x2x3x$A", 16);
  parts("one part, not full", "", "2x5x6x3x$T", "2x3x5x4x$T", "1x4x3x2x3x$A", 64);
  parts("one dimension", "{padding = same} ", "6x9x5x$T", "6x9x3x$T", "3x3x4x5x$A", 18);
  addDepthwise(cases);
}
