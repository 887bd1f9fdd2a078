// Uses of resizing and of its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/ResizeCases.h"

using namespace mp;

namespace {

/// One resizing: the sizes of its image and result, each followed by "x".
struct Shapes {
  std::string name, image, result;
  std::string numbers; ///< "mode linear coordinates half_pixel"
  bool large = false;
};

const Shapes kShapes[] = {
    {"linear, twice", "2x3x4x3x", "2x6x8x3x", "mode linear coordinates half_pixel"},
    {"linear, down and up", "2x7x3x2x", "2x3x5x2x", "mode linear coordinates half_pixel"},
    {"linear, one dimension that stays", "1x3x4x2x", "1x3x7x2x", "mode linear coordinates align_corners"},
    {"linear, corners of one pixel", "1x3x1x2x", "1x1x4x2x", "mode linear coordinates align_corners"},
    {"linear, to one pixel", "1x4x3x2x", "1x1x1x2x", "mode linear coordinates pytorch_half_pixel"},
    {"linear, asymmetric", "1x3x4x2x", "1x4x3x2x", "mode linear coordinates asymmetric"},
    {"linear, scales of their own", "1x4x3x2x", "1x6x5x2x",
     "mode linear coordinates half_pixel scales dense<[1.7, 1.9]> : tensor<2xf64>"},
    {"linear, line", "2x4x3x", "2x7x3x", "mode linear coordinates half_pixel"},
    {"linear, volume", "1x2x3x2x2x", "1x3x4x3x2x", "mode linear coordinates half_pixel"},
    {"linear, nothing changes", "1x3x4x2x", "1x3x4x2x", "mode linear coordinates half_pixel"},
    {"linear, far beyond the image", "1x2x3x", "1x3x3x",
     "mode linear coordinates asymmetric scales dense<1.0e-300> : tensor<1xf64>"},
    {"cubic, twice", "2x3x4x3x", "2x6x8x3x", "mode cubic coordinates half_pixel"},
    {"cubic, down", "1x5x6x2x", "1x3x4x2x", "mode cubic coordinates align_corners"},
    {"cubic, line", "2x5x2x", "2x8x2x", "mode cubic coordinates half_pixel"},
    {"cubic, volume", "1x2x3x2x1x", "1x3x4x3x1x", "mode cubic coordinates half_pixel"},
    {"nearest, twice", "2x3x4x3x", "2x6x8x3x", "mode nearest coordinates asymmetric"},
    {"nearest, down and up", "2x7x3x2x", "2x3x5x2x", "mode nearest coordinates half_pixel rounding round_prefer_ceil"},
    {"nearest, the first", "1x4x3x2x", "1x6x2x2x", "mode nearest coordinates half_pixel rounding round_prefer_floor"},
    {"nearest, above", "1x4x3x2x", "1x6x2x2x", "mode nearest coordinates asymmetric rounding ceil"},
    {"nearest, corners", "1x4x3x2x", "1x7x5x2x", "mode nearest coordinates align_corners"},
    {"nearest, line", "2x4x3x", "2x7x3x", "mode nearest coordinates asymmetric"},
    {"nearest, volume", "1x2x3x2x2x", "1x3x4x3x2x", "mode nearest coordinates asymmetric"},
    {"linear, channels in vectors", "2x5x6x48x", "2x9x7x48x", "mode linear coordinates half_pixel", true},
    {"cubic, channels in vectors and a rest", "2x4x3x37x", "2x7x5x37x", "mode cubic coordinates half_pixel", true},
    {"nearest, channels in vectors", "2x5x6x48x", "2x9x7x48x", "mode nearest coordinates asymmetric", true},
    {"linear, one pixel to many", "1x1x1x16x", "1x19x17x16x", "mode linear coordinates half_pixel", true},
};

void addResample(std::vector<OpCase> &cases) {
  const Operand table{"12xi32", Fill::Labels}, three{"12x$A"};
  cases.push_back({"mp.resample",
                   "line",
                   {{"2x5x3x$T"}, table, three},
                   {"2x4x3x$T"},
                   "mp.resample %0 indices %1 weights %2 : ({0}, {1}, {2}) -> {r}"});
  cases.push_back(
      {"mp.resample", "moved", {{"2x5x3x$T"}, table}, {"2x12x3x$T"}, "mp.resample %0 indices %1 : ({0}, {1}) -> {r}"});
  // Numbers of terms in no order: of most pixels there are none.
  cases.push_back(
      {"mp.resample",
       "terms of different numbers",
       {{"1x5x5x16x$T"}, {"7xi32", Fill::Labels}, {"4xi32", Fill::Labels}, table, table, three, three},
       {"1x6x3x16x$T"},
       "mp.resample %0 starts %1, %2 indices %3, %4 weights %5, %6 : ({0}, {1}, {2}, {3}, {4}, {5}, {6}) -> {r}"});
  cases.push_back(
      {"mp.resample",
       "many terms",
       {{"1x5x5x5x16x$T"}, table, table, table, three, three, three},
       {"1x4x4x3x16x$T"},
       "mp.resample %0 indices %1, %2, %3 weights %4, %5, %6 : ({0}, {1}, {2}, {3}, {4}, {5}, {6}) -> {r}"});
}

} // namespace

void mp::addResizing(std::vector<OpCase> &cases) {
  for (const Shapes &of : kShapes) {
    cases.push_back({"mp.resize",
                     of.name,
                     {{of.image + "$T"}},
                     {of.result + "$T"},
                     "mp.resize %0 " + of.numbers + " : {0} -> {r}",
                     of.large});
    cases.push_back({"mp.resize_grad",
                     of.name,
                     {{of.result + "$T"}},
                     {of.image + "$T"},
                     "mp.resize_grad %0 " + of.numbers + " : {0} -> {r}",
                     of.large});
  }
  for (std::string type : {"i32", "i64", "ui8", "i1"})
    cases.push_back({"mp.resize",
                     "nearest, " + type,
                     {{"2x5x3x3x" + type, type == "i1" ? Fill::Flags : Fill::Signed}},
                     {"2x3x6x3x" + type},
                     "mp.resize %0 mode nearest coordinates half_pixel rounding round_prefer_ceil : {0} -> {r}"});
  addResample(cases);
}
