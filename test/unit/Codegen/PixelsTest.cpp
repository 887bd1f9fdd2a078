// Convolutions whose tiles read rows of pixels: the bits of the same products with packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/TileUnit.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include "llvm/ADT/StringRef.h"

#include <limits>
#include <span>

using namespace mp;
using namespace mp::test;

namespace {

constexpr const char *kConv = "mp.conv", *kGradient = "mp.conv_transpose", *kFilterGrad = "mp.conv_filter_grad",
                     *kInParts = "mp.conv_filter_grad_parts";

/// A convolution, its sizes with "x" behind each, and the blocks and tiles that read its pixels.
struct Pixels {
  const char *name, *op, *lhs, *filter, *result, *windows;
  int64_t lhsSize, filterSize;
  const char *blocks;
  const char *front = ""; ///< an op in front of the pixels
  bool hasInfinity = false; ///< the first and the last element of lhs

  std::string text(const std::string &schedule, const std::string &type) const {
    const std::string x = std::string("tensor<") + lhs + type + ">", w = std::string("tensor<") + filter + type + ">",
                      y = std::string("tensor<") + result + type + ">";
    return "func.func @f(%x: " + x + ", %w: " + w + ") -> " + y + " {\n %z = mp.kernel \"k\" (%a = %x, %b = %w) " +
           "schedule(#mp.contraction<" + schedule + ">) : (" + x + ", " + w + ") -> " + y + " {\n" +
           (*front ? " %i = " + std::string(front) + " %a : " + x + "\n" : "") + " %0 = " + op +
           (*front ? " %i, %b" : " %a, %b") + (op == kInParts ? " depth 32" : "") + " acc f32 " + windows + " : " + x +
           ", " + w + " -> " + y + "\n mp.yield %0 : " + y + "\n }\n return %z : " + y + "\n}\n";
  }
};

// Padding on no side, on all and on some; strides and dilations; gradients of images; blocks of some rows of an
// image, of an image and of several; tiles that 16 does not divide; chunks of k within a tap; columns behind the last.
const Pixels kCases[] = {
    {"plain", kConv, "2x6x18x32x", "32x3x3x32x", "2x4x16x32x", "", 2 * 6 * 18 * 32, 32 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 96, tile_m = 32, tile_n = 32"},
    {"padded", kConv, "4x5x5x32x", "40x3x3x32x", "4x5x5x40x", "{padding = same}", 4 * 25 * 32, 40 * 9 * 32,
     "block_m = 50, block_n = 64, block_k = 288, tile_m = 5, tile_n = 64"},
    {"padded unevenly", kConv, "1x6x7x64x", "17x3x2x64x", "1x8x6x17x", "{padding = [2, 2, 0, 0]}", 42 * 64, 17 * 6 * 64,
     "block_m = 24, block_n = 32, block_k = 32, tile_m = 6, tile_n = 32"},
    {"one side", kConv, "1x4x4x32x", "16x2x2x32x", "1x4x4x16x", "{padding = [0, 1, 1, 0]}", 16 * 32, 16 * 4 * 32,
     "block_m = 4, block_n = 16, block_k = 64, tile_m = 4, tile_n = 16"},
    {"strides", kConv, "2x7x9x32x", "16x3x3x32x", "2x3x4x16x", "{strides = [2, 2]}", 2 * 63 * 32, 16 * 9 * 32,
     "block_m = 12, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"strides that leave columns", kConv, "2x8x10x32x", "16x3x3x32x", "2x3x4x16x", "{strides = [2, 2]}", 2 * 80 * 32,
     16 * 9 * 32, "block_m = 24, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"strides, padded", kConv, "2x8x8x32x", "16x3x3x32x", "2x4x4x16x", "{strides = [2, 2], padding = same}",
     2 * 64 * 32, 16 * 9 * 32, "block_m = 8, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"dilations", kConv, "1x9x11x32x", "16x3x3x32x", "1x5x5x16x", "{dilations = [2, 3]}", 99 * 32, 16 * 9 * 32,
     "block_m = 5, block_n = 16, block_k = 288, tile_m = 5, tile_n = 16"},
    {"gradient", kGradient, "2x4x16x32x", "32x3x3x32x", "2x6x18x32x", "", 2 * 64 * 32, 32 * 9 * 32,
     "block_m = 54, block_n = 32, block_k = 96, tile_m = 18, tile_n = 32"},
    {"gradient, padded", kGradient, "2x5x5x64x", "64x3x3x32x", "2x5x5x32x", "{padding = same}", 50 * 64, 64 * 9 * 32,
     "block_m = 50, block_n = 64, block_k = 192, tile_m = 5, tile_n = 64"},
    {"gradient, dilations", kGradient, "1x5x5x32x", "32x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 32,
     32 * 9 * 16, "block_m = 33, block_n = 16, block_k = 96, tile_m = 11, tile_n = 16"},
    {"half registers of channels", kConv, "1x6x9x16x", "16x3x2x16x", "1x4x8x16x", "", 54 * 16, 16 * 6 * 16,
     "block_m = 16, block_n = 16, block_k = 32, tile_m = 8, tile_n = 16"},
};

// Of vectors, which take a channel at a time: pixels of three, and rows of k cut anywhere; an op in front, which makes
// 1 of 0, but nothing of what is beside the image.
const Pixels kVectorCases[] = {
    {"plain", kConv, "2x6x18x32x", "32x3x3x32x", "2x4x16x32x", "", 2 * 6 * 18 * 32, 32 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 100, tile_m = 8, tile_n = 16"},
    {"colours", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 11, tile_m = 7, tile_n = 16"},
    {"whole images", kConv, "4x3x3x5x", "8x2x2x5x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 5, 8 * 20,
     "block_m = 18, block_n = 8, block_k = 20, tile_m = 3, tile_n = 8"},
    {"a part of the channels at once", kConv, "1x4x6x20x", "8x3x3x20x", "1x2x4x8x", "", 24 * 20, 8 * 180,
     "block_m = 8, block_n = 8, block_k = 60, tile_m = 4, tile_n = 8"},
    {"strides", kConv, "1x8x10x3x", "16x3x3x3x", "1x4x5x16x", "{strides = [2, 2], padding = same}", 80 * 3, 16 * 27,
     "block_m = 10, block_n = 16, block_k = 27, tile_m = 5, tile_n = 8"},
    {"behind an op", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 27, tile_m = 7, tile_n = 16", "mp.exp"},
    {"gradient, dilations", kGradient, "1x5x5x7x", "7x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 7, 63 * 16,
     "block_m = 33, block_n = 16, block_k = 30, tile_m = 11, tile_n = 16"},
};

// Gradients of filters, whose pixels are k: chunks of some rows of an image, of an image, of several, the last of which
// are fewer; tiles of a row of taps and of a part of one; strides, dilations and edges on some sides; parts of images.
const Pixels kDepthCases[] = {
    {"plain", kFilterGrad, "2x6x8x4x", "2x4x6x8x", "8x3x3x4x", "", 2 * 48 * 4, 2 * 24 * 8,
     "block_m = 8, block_n = 36, block_k = 12, tile_m = 4, tile_n = 12"},
    {"padded", kFilterGrad, "3x5x6x4x", "3x5x6x5x", "5x3x3x4x", "{padding = same}", 3 * 30 * 4, 3 * 30 * 5,
     "block_m = 6, block_n = 24, block_k = 30, tile_m = 3, tile_n = 4"},
    {"padded unevenly", kFilterGrad, "1x6x7x8x", "1x8x6x3x", "3x3x2x8x", "{padding = [2, 2, 0, 0]}", 42 * 8, 48 * 3,
     "block_m = 4, block_n = 16, block_k = 6, tile_m = 4, tile_n = 16"},
    {"whole images", kFilterGrad, "6x3x4x4x", "6x3x4x4x", "4x2x2x4x", "{padding = [0, 1, 1, 0]}", 72 * 4, 72 * 4,
     "block_m = 4, block_n = 16, block_k = 24, tile_m = 2, tile_n = 8"},
    {"strides", kFilterGrad, "2x8x8x4x", "2x4x4x6x", "6x3x3x4x", "{strides = [2, 2], padding = [1, 1, 1, 0]}",
     2 * 64 * 4, 2 * 16 * 6, "block_m = 6, block_n = 36, block_k = 8, tile_m = 6, tile_n = 12"},
    {"dilations", kFilterGrad, "1x9x10x4x", "1x5x4x2x", "2x3x3x4x", "{dilations = [2, 3]}", 90 * 4, 20 * 2,
     "block_m = 2, block_n = 12, block_k = 20, tile_m = 2, tile_n = 4"},
    {"colours", kFilterGrad, "2x6x8x3x", "2x6x8x5x", "5x3x3x3x", "{padding = same}", 2 * 48 * 3, 2 * 48 * 5,
     "block_m = 5, block_n = 28, block_k = 16, tile_m = 5, tile_n = 28"},
    {"short rows of taps", kFilterGrad, "1x6x9x4x", "1x4x8x2x", "2x3x2x4x", "", 54 * 4, 32 * 2,
     "block_m = 2, block_n = 24, block_k = 8, tile_m = 2, tile_n = 24"},
    {"one dimension", kFilterGrad, "3x10x4x", "3x8x4x", "4x3x4x", "", 30 * 4, 24 * 4,
     "block_m = 4, block_n = 12, block_k = 8, tile_m = 4, tile_n = 12"},
    {"parts", kInParts, "5x4x4x4x", "5x4x4x4x", "3x4x3x3x4x", "{padding = same}", 80 * 4, 80 * 4,
     "block_m = 4, block_n = 36, block_k = 16, tile_m = 4, tile_n = 4"},
    {"parts of images that nothing separates", kInParts, "5x16x4x", "5x16x4x", "3x4x3x4x", "{padding = same}", 80 * 4,
     80 * 4, "block_m = 4, block_n = 12, block_k = 16, tile_m = 4, tile_n = 12"},
};

// The same with operands in each other's place: rows of a tile are taps that lie side by side, its columns filters.
const Pixels kTransposedCases[] = {
    {"plain", kFilterGrad, "2x6x8x4x", "2x4x6x8x", "8x3x3x4x", "", 2 * 48 * 4, 2 * 24 * 8,
     "block_m = 24, block_n = 8, block_k = 12, tile_m = 6, tile_n = 8"},
    {"whole images", kFilterGrad, "6x3x4x4x", "6x3x4x4x", "4x2x2x4x", "{padding = [0, 1, 1, 0]}", 72 * 4, 72 * 4,
     "block_m = 16, block_n = 4, block_k = 24, tile_m = 8, tile_n = 4"},
    {"colours", kFilterGrad, "2x6x8x3x", "2x6x8x12x", "12x3x3x3x", "{padding = same}", 2 * 48 * 3, 2 * 48 * 12,
     "block_m = 27, block_n = 8, block_k = 16, tile_m = 9, tile_n = 4"},
    {"dilations", kFilterGrad, "1x9x10x4x", "1x5x4x4x", "4x3x3x4x", "{dilations = [2, 3]}", 90 * 4, 20 * 4,
     "block_m = 12, block_n = 4, block_k = 20, tile_m = 2, tile_n = 4"},
    {"one dimension", kFilterGrad, "3x10x4x", "3x8x4x", "4x3x4x", "", 30 * 4, 24 * 4,
     "block_m = 8, block_n = 4, block_k = 8, tile_m = 4, tile_n = 4"},
    {"parts", kInParts, "5x4x4x4x", "5x4x4x4x", "3x4x3x3x4x", "{padding = same}", 80 * 4, 80 * 4,
     "block_m = 24, block_n = 4, block_k = 16, tile_m = 12, tile_n = 4"},
    {"strides", kFilterGrad, "1x8x10x3x", "1x4x5x4x", "4x7x7x3x", "{strides = [2, 2], padding = same}", 80 * 3, 20 * 4,
     "block_m = 147, block_n = 4, block_k = 10, tile_m = 7, tile_n = 4"},
};

// Few columns: vectors lie along rows of pixels. Edges on all sides, on some, on none; classes of pixels under strides;
// blocks of some rows, of an image and of several; a tap in each chunk. The last two have odd numbers of channels.
const Pixels kColumnCases[] = {
    {"gradient", kGradient, "2x6x8x6x", "6x3x3x3x", "2x6x8x3x", "{padding = same}", 2 * 48 * 6, 6 * 27,
     "block_m = 3, block_n = 16, block_k = 54, tile_m = 3, tile_n = 8"},
    {"gradient, strides", kGradient, "2x4x8x4x", "4x4x4x3x", "2x8x16x3x", "{strides = [2, 2], padding = same}",
     2 * 32 * 4, 4 * 48, "block_m = 3, block_n = 64, block_k = 16, tile_m = 3, tile_n = 16"},
    {"gradient, long taps", kGradient, "1x4x4x8x", "8x7x7x3x", "1x8x8x3x", "{strides = [2, 2], padding = same}", 16 * 8,
     8 * 147, "block_m = 4, block_n = 8, block_k = 128, tile_m = 2, tile_n = 8"},
    {"gradient, dilations", kGradient, "1x5x6x4x", "4x3x3x2x", "1x9x12x2x", "{dilations = [2, 3]}", 30 * 4, 4 * 18,
     "block_m = 2, block_n = 36, block_k = 36, tile_m = 2, tile_n = 12"},
    {"few filters", kConv, "2x5x8x4x", "2x3x3x4x", "2x5x8x2x", "{padding = same}", 2 * 40 * 4, 2 * 36,
     "block_m = 2, block_n = 80, block_k = 12, tile_m = 2, tile_n = 8"},
    {"one side", kConv, "1x4x8x4x", "3x2x2x4x", "1x4x8x3x", "{padding = [0, 1, 1, 0]}", 32 * 4, 3 * 16,
     "block_m = 4, block_n = 8, block_k = 16, tile_m = 4, tile_n = 8"},
    {"strides of rows", kConv, "1x7x8x4x", "2x3x3x4x", "1x3x8x2x", "{strides = [2, 1], padding = [0, 0, 1, 1]}", 56 * 4,
     2 * 36, "block_m = 2, block_n = 24, block_k = 36, tile_m = 1, tile_n = 8"},
    {"odd channels", kConv, "1x4x8x3x", "2x3x3x3x", "1x4x8x2x", "{padding = same}", 32 * 3, 2 * 27,
     "block_m = 2, block_n = 16, block_k = 27, tile_m = 2, tile_n = 4"},
    {"gradient, without edges", kGradient, "1x4x10x5x", "5x3x3x2x", "1x6x12x2x", "", 40 * 5, 5 * 18,
     "block_m = 2, block_n = 36, block_k = 5, tile_m = 1, tile_n = 12"},
};

// Gradients of filters in tile registers, which read panels for all rows of taps: rows of pixels that 32 divides, and
// that divide it; registers of pixels of two images, of the last image alone, and chunks that begin and end within
// images; strides and dilations, whose rows of taps see rows of one kind or of several; channels that are taps' with a
// register; columns behind the last; parts of images.
const Pixels kPanelCases[] = {
    {"rows of a register", kFilterGrad, "2x4x32x16x", "2x4x32x16x", "16x3x3x16x", "{padding = same}", 2 * 128 * 16,
     2 * 128 * 16, "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"images in a chunk", kFilterGrad, "5x8x8x16x", "5x8x8x24x", "24x3x3x16x", "{padding = same}", 5 * 64 * 16,
     5 * 64 * 24, "block_m = 32, block_n = 192, block_k = 128, tile_m = 32, tile_n = 32"},
    {"registers of two images", kFilterGrad, "4x6x6x16x", "4x6x6x5x", "5x3x3x16x", "{padding = same}", 4 * 36 * 16,
     4 * 36 * 5, "block_m = 8, block_n = 96, block_k = 96, tile_m = 8, tile_n = 32"},
    {"without edges", kFilterGrad, "3x9x16x32x", "3x7x14x16x", "16x3x3x32x", "", 3 * 144 * 32, 3 * 98 * 16,
     "block_m = 16, block_n = 128, block_k = 64, tile_m = 16, tile_n = 64"},
    {"one image of no whole registers", kFilterGrad, "1x10x10x16x", "1x10x10x16x", "16x2x2x16x",
     "{padding = [0, 1, 1, 0]}", 100 * 16, 100 * 16,
     "block_m = 16, block_n = 64, block_k = 256, tile_m = 16, tile_n = 32"},
    {"strides", kFilterGrad, "3x16x16x16x", "3x8x8x16x", "16x3x3x16x", "{strides = [2, 2], padding = same}",
     3 * 256 * 16, 3 * 64 * 16, "block_m = 16, block_n = 144, block_k = 96, tile_m = 16, tile_n = 16"},
    {"strides of rows", kFilterGrad, "2x19x6x16x", "2x6x6x16x", "16x5x1x16x",
     "{strides = [3, 1], padding = [1, 1, 0, 0]}", 2 * 114 * 16, 2 * 36 * 16,
     "block_m = 16, block_n = 80, block_k = 32, tile_m = 16, tile_n = 16"},
    {"strides longer than taps", kFilterGrad, "1x31x6x16x", "1x7x6x16x", "16x3x1x16x",
     "{strides = [5, 1], padding = [1, 1, 0, 0]}", 31 * 6 * 16, 42 * 16,
     "block_m = 16, block_n = 48, block_k = 32, tile_m = 16, tile_n = 16"},
    {"dilations", kFilterGrad, "2x9x14x16x", "2x5x8x16x", "16x3x3x16x", "{dilations = [2, 3]}", 2 * 126 * 16,
     2 * 40 * 16, "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"dilations as strides", kFilterGrad, "2x13x14x16x", "2x5x8x16x", "16x3x3x16x",
     "{strides = [2, 1], dilations = [2, 3]}", 2 * 182 * 16, 2 * 40 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"strides and dilations", kFilterGrad, "2x15x10x16x", "2x5x8x16x", "16x3x3x16x",
     "{strides = [2, 1], dilations = [3, 1]}", 2 * 150 * 16, 2 * 40 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"taps of a register", kFilterGrad, "2x8x9x8x", "2x8x8x16x", "16x3x2x8x", "{padding = [1, 1, 0, 0]}", 2 * 72 * 8,
     2 * 64 * 16, "block_m = 16, block_n = 48, block_k = 64, tile_m = 16, tile_n = 16"},
    {"parts", kInParts, "5x4x8x16x", "5x4x8x16x", "5x16x3x3x16x", "{padding = same}", 160 * 16, 160 * 16,
     "block_m = 16, block_n = 144, block_k = 32, tile_m = 16, tile_n = 16"},
    {"parts of images", kInParts, "2x8x8x16x", "2x8x8x16x", "4x16x3x3x16x", "{padding = same}", 128 * 16, 128 * 16,
     "block_m = 16, block_n = 144, block_k = 32, tile_m = 16, tile_n = 16"},
};

// Convolutions in tile registers, of whose rows of taps a block packs panels from the rows that it keeps: rows of odd
// lengths, edges on all sides, on some and on none; strides and dilations; gradients; a part of an image, one and
// several; k that ends with a register and within one.
const Pixels kStretchCases[] = {
    {"colours", kConv, "2x5x8x3x", "24x3x3x3x", "2x5x8x24x", "{padding = same}", 2 * 40 * 3, 24 * 27,
     "block_m = 40, block_n = 32, block_k = 32, tile_m = 20, tile_n = 32"},
    {"long taps of colours", kConv, "2x16x20x3x", "16x7x7x3x", "2x8x10x16x", "{strides = [2, 2], padding = same}",
     2 * 320 * 3, 16 * 147, "block_m = 20, block_n = 16, block_k = 160, tile_m = 10, tile_n = 16"},
    {"half registers", kConv, "4x4x16x16x", "16x3x3x16x", "4x4x16x16x", "{padding = same}", 4 * 64 * 16, 16 * 144,
     "block_m = 128, block_n = 16, block_k = 160, tile_m = 32, tile_n = 16"},
    {"one and a half", kConv, "1x4x9x48x", "16x3x3x48x", "1x2x7x16x", "", 36 * 48, 16 * 432,
     "block_m = 14, block_n = 16, block_k = 448, tile_m = 14, tile_n = 16"},
    {"gradient", kGradient, "2x5x8x16x", "16x3x3x24x", "2x5x8x24x", "{padding = same}", 2 * 40 * 16, 16 * 9 * 24,
     "block_m = 40, block_n = 32, block_k = 160, tile_m = 8, tile_n = 32"},
    {"dilations", kConv, "1x9x11x5x", "16x3x3x5x", "1x5x5x16x", "{dilations = [2, 3]}", 99 * 5, 16 * 45,
     "block_m = 5, block_n = 16, block_k = 64, tile_m = 5, tile_n = 16"},
    {"padded unevenly", kConv, "1x6x7x3x", "17x3x2x3x", "1x8x6x17x", "{padding = [2, 2, 0, 0]}", 42 * 3, 17 * 18,
     "block_m = 24, block_n = 32, block_k = 32, tile_m = 6, tile_n = 32"},
    {"one side", kConv, "1x4x5x7x", "16x2x2x7x", "1x4x5x16x", "{padding = [0, 1, 1, 0]}", 20 * 7, 16 * 28,
     "block_m = 10, block_n = 16, block_k = 32, tile_m = 5, tile_n = 16"},
    {"a register", kConv, "1x5x8x4x", "16x2x4x4x", "1x4x5x16x", "", 40 * 4, 16 * 32,
     "block_m = 20, block_n = 16, block_k = 32, tile_m = 20, tile_n = 16"},
};

/// The results of a kernel with this schedule; none where it was refused.
std::vector<Buffer> run(const Pixels &p, const std::string &schedule, const CPULevel &level, const std::string &type) {
  KernelRunner kernel(p.text(schedule, type), level);
  EXPECT_TRUE(kernel.ok()) << p.name << ": " << kernel.errors;
  if (!kernel.ok())
    return {};
  auto encodedAs = [&](const std::vector<float> &values) {
    return type == "f32" ? Buffer::of(values) : Buffer::of(encoded(values, type == "bf16" ? encodeBF16 : encodeF16));
  };
  std::vector<float> lhs = randomFloats(p.lhsSize, 1);
  if (p.hasInfinity)
    lhs.back() = lhs.front() = std::numeric_limits<float>::infinity();
  return kernel.run({encodedAs(lhs), encodedAs(randomFloats(p.filterSize, 2))}, /*backwards=*/true);
}

/// Compares with a schedule that packs. `more` is what both have.
void checkBits(std::span<const Pixels> cases, const std::string &packed, const CPULevel &level, const char *type,
               const std::string &more, const std::string &reads = ", read_lhs = true") {
  for (const Pixels &p : cases) {
    const auto expected = run(p, packed + more, level, type), read = run(p, p.blocks + more + reads, level, type);
    ASSERT_FALSE(expected.empty() || read.empty());
    EXPECT_EQ(expected[0].bytes, read[0].bytes) << p.name;
  }
}

constexpr const char *kPackedTiles = "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32",
                     *kTiles = ", vector = 16, instruction = amx",
                     *kPackedVectors = "block_m = 8, block_n = 16, block_k = 32, tile_m = 4, tile_n = 8",
                     *kReadsRhs = ", read_rhs = true", *kColumns = ", read_rhs = true, transposed = true",
                     *kTransposed = ", stream_rhs = true, read_lhs = true, transposed = true";

/// The same of bf16 and of f16, by whatever runs tiles.
void checkOnTheUnit(std::span<const Pixels> cases, const char *reads) {
  bool isRun = false;
  for (auto [name, type] : {std::pair("amx-bf16", "bf16"), std::pair("amx-fp16", "f16")})
    if (const TileUnit unit(*findCPULevel(name)); unit.isThere()) {
      checkBits(cases, kPackedTiles, *findCPULevel(name), type, kTiles, reads);
      isRun = true;
    }
  if (!isRun)
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
}

} // namespace

TEST(PixelRows, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kCases).first(2), kPackedTiles, hostVectorLevel(), "bf16", kTiles);
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsInVectors) {
  checkBits(kVectorCases, kPackedVectors, hostVectorLevel(), "f32", ", vector = 4");
}

// Pairs of channels of a pixel: rows of k cut between any two of them.
TEST(PixelRows, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  const Pixels cases[] = {
      {"plain", kConv, "2x6x18x16x", "32x3x3x16x", "2x4x16x32x", "", 2 * 6 * 18 * 16, 32 * 9 * 16,
       "block_m = 32, block_n = 32, block_k = 100, tile_m = 8, tile_n = 16"},
      {"whole images", kConv, "4x3x3x6x", "8x2x2x6x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 6, 8 * 24,
       "block_m = 18, block_n = 8, block_k = 24, tile_m = 3, tile_n = 8"},
      {"behind an op", kConv, "4x3x3x6x", "8x2x2x6x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 6, 8 * 24,
       "block_m = 18, block_n = 8, block_k = 24, tile_m = 3, tile_n = 8", "mp.exp"},
      {"strides", kConv, "1x8x10x2x", "16x3x3x2x", "1x4x5x16x", "{strides = [2, 2], padding = same}", 80 * 2, 16 * 18,
       "block_m = 10, block_n = 16, block_k = 18, tile_m = 5, tile_n = 8"},
      {"gradient, dilations", kGradient, "1x5x5x6x", "6x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 6, 54 * 16,
       "block_m = 33, block_n = 16, block_k = 30, tile_m = 11, tile_n = 16"},
  };
  checkBits(cases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot");
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedOperands) {
  checkBits(kDepthCases, kPackedVectors, hostVectorLevel(), "f32", ", vector = 4", kReadsRhs);
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(kDepthCases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot", kReadsRhs);
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedOperandsInEachOthersPlace) {
  checkBits(kTransposedCases, kPackedVectors, hostVectorLevel(), "f32", ", vector = 4", kTransposed);
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedPairsInEachOthersPlace) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  // The last has rows of no whole pairs.
  checkBits(std::span(kTransposedCases).first(std::size(kTransposedCases) - 1), kPackedVectors, hostLevel(), "bf16",
            ", vector = 4, instruction = dot", kTransposed);
}

TEST(TapPanels, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kPanelCases).subspan(2, 1), kPackedTiles, hostVectorLevel(), "bf16", kTiles, kReadsRhs);
}

TEST(TapPanels, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kPanelCases, kReadsRhs); }

// What is infinite of a pixel reaches the taps that see it, and no others: no register has it for a k that is 0.
TEST(TapPanels, KeepInfinitiesToTheirTaps) {
  Pixels grad = kPanelCases[2];
  grad.hasInfinity = true;
  checkOnTheUnit(std::span(&grad, 1), kReadsRhs);
  grad = kPanelCases[4];
  grad.hasInfinity = true;
  checkOnTheUnit(std::span(&grad, 1), kReadsRhs);
}

// One configuration; a loop has a product for each register of sums, loads of what it multiplies, and no branch for
// what is of two images.
TEST(TapPanels, KeepTilesInRegisters) {
  const Pixels &p = kPanelCases[2];
  KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + kReadsRhs, "bf16"), *findCPULevel("amx-bf16"),
                      /*keepText=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const std::string &assembly = kernel.code->assembly;
  EXPECT_EQ(llvm::StringRef(assembly).count("\tldtilecfg"), 1u);
  size_t loops = 0;
  for (size_t from = 0, to = 0; to != assembly.npos; from = to + 1) {
    to = assembly.find("\n.LBB", from);
    llvm::StringRef block = llvm::StringRef(assembly).slice(from, to);
    block = block.take_front(block.find("\n\tj")); // up to the branch back
    if (!block.contains("tdpbf16ps"))
      continue;
    ++loops;
    EXPECT_EQ(block.count("tdpbf16ps"), 2u) << block.str();
    EXPECT_EQ(block.count("tileloadd"), 3u) << block.str();
    EXPECT_EQ(block.count("tilestored") + block.count("tilezero"), 0u) << block.str();
  }
  EXPECT_GE(loops, 1u);
}

// Rows of an odd number of pixels, rows of taps of no whole registers, one row of taps, and images of fewer pixels than
// a register has.
TEST(TapPanels, RefuseOtherImages) {
  Pixels odd = kPanelCases[0], thin = odd, flat = odd, small = odd;
  odd.lhs = "2x4x31x16x", odd.filter = "2x4x31x16x";
  thin.lhs = "2x4x32x8x", thin.result = "16x3x3x8x";
  flat.result = "16x1x3x16x";
  small.lhs = "2x4x6x16x", small.filter = "2x4x6x16x";
  for (const Pixels &p : {odd, thin, flat, small}) {
    KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + kReadsRhs, "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << p.lhs;
    EXPECT_NE(kernel.errors.find("as reading panels of it for all rows of taps needs"), std::string::npos)
        << kernel.errors;
  }
}

TEST(PixelColumns, HaveTheBitsOfPackedOperands) {
  checkBits(kColumnCases, kPackedVectors, hostVectorLevel(), "f32", ", vector = 4", kColumns);
}

TEST(PixelColumns, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(std::span(kColumnCases).first(std::size(kColumnCases) - 2), kPackedVectors, hostLevel(), "bf16",
            ", vector = 4, instruction = dot", kColumns);
}

// Blocks that cut a row, chunks that cut a tap, rows of no whole vectors, and strides between pixels.
TEST(PixelColumns, RefuseOtherBlocks) {
  Pixels narrow = kColumnCases[0], strided = kColumnCases[6];
  narrow.lhs = "2x6x6x6x", narrow.result = "2x6x6x3x";
  strided.lhs = "1x5x16x4x", strided.windows = "{strides = [1, 2], padding = [0, 0, 1, 0]}";
  for (const auto &[p, blocks] :
       {std::pair(kColumnCases[0], "block_m = 3, block_n = 12, block_k = 54, tile_m = 3, tile_n = 4"),
        std::pair(kColumnCases[0], "block_m = 3, block_n = 32, block_k = 54, tile_m = 3, tile_n = 8"),
        std::pair(kColumnCases[0], "block_m = 3, block_n = 16, block_k = 27, tile_m = 3, tile_n = 8"),
        std::pair(narrow, "block_m = 3, block_n = 36, block_k = 54, tile_m = 3, tile_n = 4"),
        std::pair(strided, kColumnCases[6].blocks)}) {
    KernelRunner kernel(p.text(std::string(blocks) + ", vector = 4" + kColumns, "f32"), *findCPULevel("avx512"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("as reading it there as columns needs"), std::string::npos) << kernel.errors;
  }
}

// Chunks that cut a row, and tiles that reach from one row of taps to the next.
TEST(PixelRowsOfDepth, RefuseOtherBlocksInEachOthersPlace) {
  for (const char *blocks : {"block_m = 24, block_n = 8, block_k = 8, tile_m = 6, tile_n = 8, vector = 4",
                             "block_m = 24, block_n = 8, block_k = 12, tile_m = 8, tile_n = 8, vector = 4"}) {
    KernelRunner kernel(kTransposedCases[0].text(std::string(blocks) + kTransposed, "f32"), *findCPULevel("avx512"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("is no image whose rows of pixels are whole steps of k"), std::string::npos)
        << kernel.errors;
  }
}

// Chunks that cut a row or an image, tiles that reach from one row of taps to the next, and rows of no whole pairs.
TEST(PixelRowsOfDepth, RefuseOtherBlocks) {
  const Pixels &plain = kDepthCases[0];
  Pixels odd = plain;
  odd.lhs = "2x6x7x4x", odd.filter = "2x4x5x8x";
  const std::string pairs =
      "block_m = 8, block_n = 36, block_k = 10, tile_m = 4, tile_n = 12, vector = 4, instruction = dot";
  for (auto [p, blocks, type] :
       {std::tuple(plain, "block_m = 8, block_n = 36, block_k = 8, tile_m = 4, tile_n = 12, vector = 4", "f32"),
        std::tuple(plain, "block_m = 8, block_n = 36, block_k = 18, tile_m = 4, tile_n = 12, vector = 4", "f32"),
        std::tuple(plain, "block_m = 8, block_n = 40, block_k = 12, tile_m = 4, tile_n = 8, vector = 4", "f32"),
        std::tuple(odd, pairs.c_str(), "bf16")}) {
    KernelRunner kernel(p.text(blocks + std::string(kReadsRhs), type), *findCPULevel("avx512bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("is no image whose rows of pixels are whole steps of k"), std::string::npos)
        << kernel.errors;
  }
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kCases, ", read_lhs = true"); }

TEST(PixelStretches, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kStretchCases).first(1), kPackedTiles, hostVectorLevel(), "bf16", kTiles);
}

TEST(PixelStretches, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kStretchCases, ", read_lhs = true"); }

// What a vector has of the next pixel is not multiplied, by 0 or anything else.
TEST(PixelStretches, KeepInfinitiesToTheirPixels) {
  for (Pixels p : {kStretchCases[0], kStretchCases[5]}) {
    p.hasInfinity = true;
    checkOnTheUnit(std::span(&p, 1), ", read_lhs = true");
  }
}

// Blocks that cut a row, and steps of a part of k.
TEST(PixelStretches, RefuseOtherBlocks) {
  for (const char *blocks : {"block_m = 20, block_n = 32, block_k = 160, tile_m = 20, tile_n = 32",
                             "block_m = 64, block_n = 32, block_k = 96, tile_m = 32, tile_n = 32"}) {
    KernelRunner kernel(kStretchCases[2].text(std::string(blocks) + kTiles + ", read_lhs = true", "bf16"),
                        *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("or all of k, as reading it there needs"), std::string::npos) << kernel.errors;
  }
}

// Blocks that cut a row or an image, and tiles that cut a row, are told from those that do not; so are images of which
// no whole registers of channels lie together, and strides' gradients, whose rows lie in classes.
TEST(PixelRows, RefuseOtherBlocks) {
  const Pixels &plain = kCases[0];
  Pixels thin = plain, strided = kCases[9];
  thin.lhs = "2x6x18x8x", thin.filter = "32x3x3x8x";
  strided.lhs = "2x3x3x64x", strided.windows = "{padding = same, strides = [2, 2]}";
  for (auto [p, blocks] : {std::pair(plain, "block_m = 40, block_n = 32, block_k = 96, tile_m = 8, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 12, tile_n = 32"),
                           std::pair(plain, "block_m = 192, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(thin, "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32"),
                           std::pair(strided, kCases[9].blocks)}) {
    KernelRunner kernel(p.text(std::string(blocks) + kTiles + ", read_lhs = true", "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("and no image of blocks of whole rows of pixels"), std::string::npos) << kernel.errors;
  }
}
