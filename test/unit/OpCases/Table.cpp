// Uses of every op, for tests over all ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/AttentionCases.h"
#include "OpCases/BatchNormCases.h"
#include "OpCases/ConvolutionCases.h"
#include "OpCases/GroupNormCases.h"
#include "OpCases/IndexingCases.h"
#include "OpCases/LossCases.h"
#include "OpCases/OpCases.h"
#include "OpCases/OptimizerCases.h"
#include "OpCases/PoolingCases.h"
#include "OpCases/ResizeCases.h"
#include "OpCases/RowCases.h"

using namespace mp;

using Cases = std::vector<OpCase>;

static void addContractions(Cases &cases) {
  auto matmul = [&](std::string name, std::vector<Operand> operands, std::string result, std::string flags,
                    bool large = false) {
    std::string bias = operands.size() == 3 ? "bias %2 : {2} " : "";
    cases.push_back({"mp.matmul",
                     name,
                     operands,
                     {result},
                     "mp.matmul %0, %1 " + flags + bias + "acc $A : {0}, {1} -> {r}",
                     large});
  };
  matmul("plain", {{"5x7x$T"}, {"7x3x$T"}}, "5x3x$T", "");
  matmul("transposed lhs", {{"7x5x$T"}, {"7x3x$T"}}, "5x3x$T", "transpose_lhs ");
  matmul("transposed rhs", {{"5x7x$T"}, {"3x7x$T"}}, "5x3x$T", "transpose_rhs ");
  matmul("both transposed", {{"7x5x$T"}, {"3x7x$T"}}, "5x3x$T", "transpose_lhs transpose_rhs ");
  matmul("bias", {{"5x7x$T"}, {"7x3x$T"}, {"3x$T"}}, "5x3x$T", "");
  matmul("wide bias", {{"5x7x$T"}, {"7x3x$T"}, {"3x$A"}}, "5x3x$T", "");
  matmul("wide result", {{"5x7x$T"}, {"7x3x$T"}, {"3x$T"}}, "5x3x$A", "");
  matmul("batched", {{"2x5x7x$T"}, {"2x7x3x$T"}, {"3x$T"}}, "2x5x3x$T", "");
  matmul("batched, both transposed", {{"2x7x5x$T"}, {"2x3x7x$T"}}, "2x5x3x$T", "transpose_lhs transpose_rhs ");
  matmul("shared rhs", {{"2x5x7x$T"}, {"7x3x$T"}, {"3x$T"}}, "2x5x3x$T", "");
  matmul("shared rhs, both transposed", {{"2x7x5x$T"}, {"3x7x$T"}}, "2x5x3x$T", "transpose_lhs transpose_rhs ");
  matmul("two batch dimensions", {{"2x3x4x5x$T"}, {"2x3x5x2x$T"}}, "2x3x4x2x$T", "");
  matmul("one row", {{"1x9x$T"}, {"9x5x$T"}}, "1x5x$T", "");
  matmul("one column", {{"5x9x$T"}, {"9x1x$T"}}, "5x1x$T", "");
  matmul("k of 1", {{"5x1x$T"}, {"1x4x$T"}}, "5x4x$T", "");
  matmul("partial tiles", {{"67x131x$T"}, {"131x45x$T"}, {"45x$T"}}, "67x45x$T", "", true);
  matmul("partial tiles, transposed", {{"131x67x$T"}, {"45x131x$T"}}, "67x45x$T", "transpose_lhs transpose_rhs ", true);
  // Tiles read such an lhs where it lies.
  matmul("whole tiles", {{"64x96x$T"}, {"96x33x$T"}}, "64x33x$T", "", true);
  matmul("whole tiles, batched", {{"3x32x64x$T"}, {"3x64x20x$T"}}, "3x32x20x$T", "", true);
  // What was dropped would hide in the bound of so many roundings: sums of whole numbers have none.
  const Fill whole = Fill::Whole;
  matmul("long k", {{"20x8192x$T", whole}, {"8192x10x$T", whole}, {"10x$T", whole}}, "20x10x$T", "", true);
  cases.push_back({"mp.matmul",
                   "sums in f16",
                   {{"5x70xf16", whole}, {"70x3xf16", whole}, {"3xf16", whole}},
                   {"5x3xf16"},
                   "mp.matmul %0, %1 bias %2 : {2} acc f16 : {0}, {1} -> {r}"});
  matmul("several blocks", {{"130x300x$T"}, {"300x270x$T"}}, "130x270x$T", "", true);
}

static void addData(Cases &cases) {
  auto constant = [&](std::string type, std::string elements) {
    cases.push_back({"mp.constant", type, {}, {"2x3x" + type}, "mp.constant dense<" + elements + "> : {r}"});
  };
  constant("$T", "[[0.0, 1.5, -2.0], [0.1, 1.0e3, -0.0]]");
  for (std::string type : {"i32", "i64"})
    constant(type, "[[0, 1, -7], [1, 1000000, 0]]");
  constant("ui8", "[[0, 1, 7], [255, 128, 0]]");
  constant("i1", "[[false, true, false], [true, true, false]]");
  cases.push_back({"mp.constant", "splat", {}, {"3x5x$T"}, "mp.constant dense<2.5> : {r}"});
  for (std::string type : {"$T", "i32", "i64", "ui8"})
    for (std::string dimension : {"0", "1"})
      cases.push_back(
          {"mp.iota", type + " along " + dimension, {}, {"3x5x" + type}, "mp.iota dimension " + dimension + " -> {r}"});
  for (std::string shape : {"", "7x", "5x7x", "1003x"})
    for (std::string stream : {"1", "4000000000"})
      cases.push_back({"mp.random_uniform",
                       shape + "f32, stream " + stream,
                       {{"2xi64", Fill::Rng}},
                       {shape + "f32"},
                       "mp.random_uniform %0 {stream = " + stream + "} -> {r}"});
  for (std::string type : {"$T", "i32", "i64", "ui8", "i1"}) {
    const Fill fill = type == "i1" ? Fill::Flags : Fill::Signed;
    auto move = [&](std::string op, std::string name, std::string from, std::string to, std::string clause) {
      cases.push_back(
          {op, name + ", " + type, {{from + type, fill}}, {to + type}, op + " %0 " + clause + ": {0} -> {r}"});
    };
    move("mp.reshape", "flat", "3x4x", "12x", "");
    move("mp.reshape", "split", "6x", "1x2x3x", "");
    move("mp.transpose", "matrix", "3x5x", "5x3x", "permutation [1, 0] ");
    move("mp.transpose", "inner", "2x3x4x", "2x4x3x", "permutation [0, 2, 1] ");
    move("mp.transpose", "rotation", "2x3x4x", "4x2x3x", "permutation [2, 0, 1] ");
    move("mp.broadcast", "rows", "5x", "3x5x", "");
    move("mp.broadcast", "columns", "3x1x", "3x5x", "");
    move("mp.broadcast", "scalar", "", "2x3x", "");
    move("mp.broadcast", "middle", "2x1x4x", "2x3x4x", "");
  }
  cases.push_back({"mp.transpose",
                   "large",
                   {{"67x131x$T"}},
                   {"131x67x$T"},
                   "mp.transpose %0 permutation [1, 0] : {0} -> {r}",
                   true});
  cases.push_back({"mp.transpose",
                   "large, images to channels last",
                   {{"3x34x9x8x$T"}},
                   {"3x9x8x34x$T"},
                   "mp.transpose %0 permutation [0, 2, 3, 1] : {0} -> {r}",
                   true});
  cases.push_back({"mp.transpose",
                   "large, of bytes",
                   {{"140x260xui8"}},
                   {"260x140xui8"},
                   "mp.transpose %0 permutation [1, 0] : {0} -> {r}",
                   true});
}

static void addGradientRules(Cases &cases) {
  for (std::string type : {"$T", "i32", "i64", "ui8", "i1"})
    cases.push_back({"mp.stop_gradient",
                     type,
                     {{"3x5x" + type, type == "i1" ? Fill::Flags : Fill::Signed}},
                     {"3x5x" + type},
                     "mp.stop_gradient %0 : {0}"});
  cases.push_back(
      {"mp.straight_through", "", {{"3x5x$T"}, {"3x5x$T"}}, {"3x5x$T"}, "mp.straight_through %0, %1 : {0}"});
  for (std::string clause : {"", "{scale = 0.3 : f64} "})
    cases.push_back(
        {"mp.reverse_gradient", clause, {{"3x5x$T"}}, {"3x5x$T"}, "mp.reverse_gradient %0 " + clause + ": {0}"});
}

static void addElementwise(Cases &cases) {
  struct Shapes {
    std::string name, lhs, rhs, result;
  };
  const Shapes kShapes[] = {{"same", "3x5x", "3x5x", "3x5x"},   {"row", "3x5x", "5x", "3x5x"},
                            {"column", "3x1x", "3x5x", "3x5x"}, {"outer", "3x1x", "1x5x", "3x5x"},
                            {"scalar", "3x5x", "", "3x5x"},     {"scalar first", "", "7x", "7x"},
                            {"two scalars", "", "", ""}};
  auto binary = [&](std::string op, std::string name, Operand lhs, Operand rhs, std::string result,
                    bool large = false) {
    cases.push_back({op, name, {lhs, rhs}, {result}, op + " %0, %1 : {0}, {1} -> {r}", large});
  };
  for (std::string op : {"mp.add", "mp.sub", "mp.mul", "mp.div", "mp.max", "mp.min"}) {
    const Fill fill = op == "mp.max" || op == "mp.min" ? Fill::Separated : Fill::Signed;
    for (const Shapes &shapes : kShapes)
      binary(op, shapes.name, {shapes.lhs + "$T", fill}, {shapes.rhs + "$T", fill}, shapes.result + "$T");
    binary(op, "large", {"1003x$T", fill}, {"1003x$T", fill}, "1003x$T", true);
    if (op != "mp.div")
      for (std::string type : {"i32", "i64", "ui8"})
        binary(op, "row, " + type, {"3x5x" + type}, {"5x" + type}, "3x5x" + type);
  }
  for (std::string op : {"mp.pow", "mp.atan2", "mp.prelu"}) {
    const Fill fill = op == "mp.pow" ? Fill::Positive : Fill::Signed;
    for (const Shapes &shapes : kShapes)
      binary(op, shapes.name, {shapes.lhs + "$T", fill}, {shapes.rhs + "$T"}, shapes.result + "$T");
    binary(op, "large", {"1003x$T", fill}, {"1003x$T"}, "1003x$T", true);
  }
  for (const Shapes &shapes : kShapes)
    binary("mp.remainder", shapes.name, {shapes.lhs + "$T"}, {shapes.rhs + "$T"}, shapes.result + "$T");
  binary("mp.remainder", "large", {"1003x$T"}, {"1003x$T"}, "1003x$T", true);
  binary("mp.remainder", "one is infinite", {"5x7x$T", Fill::Overflow}, {"5x7x$T", Fill::Tiny}, "5x7x$T", true);
  for (std::string type : {"i32", "i64", "ui8"}) {
    for (std::string op : {"mp.remainder", "mp.floor_divide", "mp.bitwise_and", "mp.bitwise_or", "mp.bitwise_xor"}) {
      binary(op, "row, " + type, {"3x5x" + type}, {"5x" + type}, "3x5x" + type);
      binary(op, "large, " + type, {"1003x" + type}, {"1003x" + type}, "1003x" + type, true); // by 0, too
    }
    for (std::string op : {"mp.shift_left", "mp.shift_right"}) {
      binary(op, "row, " + type, {"3x5x" + type}, {"5x" + type, Fill::Labels}, "3x5x" + type);
      binary(op, "by many, " + type, {"1003x" + type}, {"1003x" + type}, "1003x" + type, true); // and less than 0
    }
  }
  struct Unary {
    const char *op, *clause = "";
    Fill fill = Fill::Signed;
  };
  const Unary kUnaries[] = {{"mp.exp"},
                            {"mp.log", "", Fill::Positive},
                            {"mp.sqrt", "", Fill::Positive},
                            {"mp.tanh"},
                            {"mp.relu"},
                            {"mp.neg"},
                            {"mp.abs"},
                            {"mp.floor"},
                            {"mp.round"},
                            {"mp.reciprocal"},
                            {"mp.rsqrt", "", Fill::Positive},
                            {"mp.erf"},
                            {"mp.sin"},
                            {"mp.cos"},
                            {"mp.tan", "", Fill::Fraction},
                            {"mp.asin", "", Fill::Fraction},
                            {"mp.acos", "", Fill::Fraction},
                            {"mp.atan"},
                            {"mp.sinh"},
                            {"mp.cosh"},
                            {"mp.expm1"},
                            {"mp.log1p", "", Fill::Fraction},
                            {"mp.log2", "", Fill::Positive},
                            {"mp.log10", "", Fill::Positive},
                            {"mp.erfinv", "", Fill::Fraction},
                            {"mp.clamp", "{min = -0.7 : f64, max = 1.3 : f64} "},
                            {"mp.sigmoid"},
                            {"mp.silu"},
                            {"mp.softplus"},
                            {"mp.leaky_relu"},
                            {"mp.leaky_relu", "{negative_slope = 0.3 : f64} "},
                            {"mp.elu"},
                            {"mp.selu"},
                            {"mp.hard_sigmoid"},
                            {"mp.hard_swish"},
                            {"mp.elu", "{alpha = 0.75 : f64} "}};
  for (const auto &[op, clause, fill] : kUnaries) {
    const std::string text = std::string(op) + " %0 " + clause + ": {0}",
                      more = *clause ? std::string(", ") + clause : "";
    cases.push_back({op, "matrix" + more, {{"3x5x$T", fill}}, {"3x5x$T"}, text});
    cases.push_back({op, "scalar" + more, {{"$T", fill}}, {"$T"}, text});
    cases.push_back({op, "large" + more, {{"1003x$T", fill}}, {"1003x$T"}, text, true});
  }
  for (std::string clause : {"", "approximate tanh "}) {
    const std::string name = clause.empty() ? "" : ", tanh";
    cases.push_back({"mp.gelu", "matrix" + name, {{"3x5x$T"}}, {"3x5x$T"}, "mp.gelu %0 " + clause + ": {0}"});
    cases.push_back({"mp.gelu", "large" + name, {{"1003x$T"}}, {"1003x$T"}, "mp.gelu %0 " + clause + ": {0}", true});
    cases.push_back({"mp.gelu_grad",
                     "matrix" + name,
                     {{"3x5x$T"}, {"3x5x$T"}},
                     {"3x5x$T"},
                     "mp.gelu_grad %0, %1 " + clause + ": {0}"});
  }
  for (std::string op : {"mp.relu_grad", "mp.tanh_grad"})
    cases.push_back({op, "matrix", {{"3x5x$T"}, {"3x5x$T"}}, {"3x5x$T"}, op + " %0, %1 : {0}"});
  for (std::string predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
    for (std::string type : {"$T", "i32", "i64", "ui8", "i1"}) {
      const Fill fill = type == "$T" ? Fill::Signed : Fill::Flags; // of few values, so that some are equal
      cases.push_back({"mp.compare",
                       predicate + ", " + type,
                       {{"4x3x" + type, fill}, {"3x" + type, fill}},
                       {"4x3xi1"},
                       "mp.compare " + predicate + " %0, %1 : {0}, {1} -> {r}"});
    }
  for (Fill fill : {Fill::Signed, Fill::Overflow})
    cases.push_back({"mp.is_finite",
                     fill == Fill::Overflow ? "one is not" : "all are",
                     {{"3x5x$T", fill}},
                     {"3x5xi1"},
                     "mp.is_finite %0 : {0} -> {r}"});
  for (std::string op : {"mp.logical_and", "mp.logical_or"})
    for (std::string other : {"4x3xi1", "3xi1", "i1"})
      cases.push_back(
          {op, other, {{"4x3xi1", Fill::Flags}, {other, Fill::Flags}}, {"4x3xi1"}, op + " %0, %1 : {0}, {1} -> {r}"});
  cases.push_back({"mp.logical_not", "", {{"4x3xi1", Fill::Flags}}, {"4x3xi1"}, "mp.logical_not %0 : {0}"});
  auto select = [&](std::string name, std::string condition, std::string yes, std::string no, std::string result) {
    cases.push_back({"mp.select",
                     name,
                     {{condition, Fill::Flags}, {yes}, {no}},
                     {result},
                     "mp.select %0, %1, %2 : {0}, {1}, {2} -> {r}"});
  };
  select("same", "3x5xi1", "3x5x$T", "3x5x$T", "3x5x$T");
  select("row condition", "5xi1", "3x5x$T", "3x1x$T", "3x5x$T");
  select("scalar value", "3x5xi1", "$T", "3x5x$T", "3x5x$T");
  select("scalar condition", "i1", "4x$T", "4x$T", "4x$T");
  for (std::string type : {"i32", "i64", "ui8"})
    select(type, "3x5xi1", "3x5x" + type, type, "3x5x" + type);
  for (std::string to : {"f16", "bf16", "f32", "f64", "ui8", "i32", "i64", "i1"}) {
    cases.push_back({"mp.cast", "to " + to, {{"3x5x$T"}}, {"3x5x" + to}, "mp.cast %0 : {0} -> {r}"});
    for (std::string from : {"ui8", "i32", "i64", "i1"})
      cases.push_back({"mp.cast",
                       from + " to " + to,
                       {{"3x5x" + from, from == "i1" ? Fill::Flags : Fill::Signed}},
                       {"3x5x" + to},
                       "mp.cast %0 : {0} -> {r}"});
  }
  cases.push_back({"mp.dropout",
                   "rate 0.2",
                   {{"5x7x$T"}, {"2xi64", Fill::Rng}},
                   {"5x7x$T"},
                   "mp.dropout %0, %1 {rate = 0.2, stream = 1} : {0}"});
  cases.push_back({"mp.dropout",
                   "rate 0",
                   {{"7x$T"}, {"2xi64", Fill::Rng}},
                   {"7x$T"},
                   "mp.dropout %0, %1 {rate = 0.0, stream = 0} : {0}"});
  for (const char *shared : {"0", "1, 2", "3", "0, 1, 2, 3"})
    cases.push_back(
        {"mp.dropout",
         std::string("shared ") + shared,
         {{"2x3x2x5x$T"}, {"2xi64", Fill::Rng}},
         {"2x3x2x5x$T"},
         std::string("mp.dropout %0, %1 {rate = 0.4, shared = array<i64: ") + shared + ">, stream = 3} : {0}"});
  cases.push_back({"mp.dropout",
                   "large",
                   {{"1003x$T"}, {"2xi64", Fill::Rng}},
                   {"1003x$T"},
                   "mp.dropout %0, %1 {rate = 0.5, stream = 4000000000} : {0}",
                   true});
  for (const char *words : {"1", "3", "67"})
    cases.push_back({"mp.dropout_mask",
                     words + std::string(" words"),
                     {{"2xi64", Fill::Rng}},
                     {words + std::string("xi64")},
                     "mp.dropout_mask %0 {rate = 0.3, stream = 7} : {r}"});
  for (const char *shape : {"13x5", "9x10", "2x64"})
    cases.push_back({"mp.masked_dropout",
                     shape,
                     {{shape + std::string("x$T")}, {"3xi64", Fill::Rng}},
                     {shape + std::string("x$T")},
                     "mp.masked_dropout %0, %1 {rate = 0.3} : {0}, {1}"});
}

static void addReductions(Cases &cases) {
  for (std::string op :
       {"mp.reduce_sum", "mp.reduce_mean", "mp.reduce_max", "mp.reduce_min", "mp.reduce_prod", "mp.l2_norm"}) {
    const bool isExtreme = op == "mp.reduce_max" || op == "mp.reduce_min";
    const Fill fill = isExtreme ? Fill::Separated : Fill::Signed;
    auto reduce = [&](std::string name, std::string from, std::string clause, std::string to, bool large = false) {
      cases.push_back({op, name, {{from, fill}}, {to}, op + " %0 dimensions " + clause + " : {0} -> {r}", large});
    };
    reduce("rows", "3x5x$T", "[1]", "3x$T");
    reduce("columns", "3x5x$T", "[0]", "5x$T");
    reduce("all", "3x5x$T", "[0, 1]", "$T");
    reduce("none", "3x5x$T", "[]", "3x5x$T");
    reduce("middle", "2x3x4x$T", "[1]", "2x4x$T");
    reduce("outer two", "2x3x4x$T", "[0, 2]", "3x$T");
    reduce("kept", "2x3x4x$T", "[0, 2] keep_dims", "1x3x1x$T");
    reduce("last kept", "3x5x$T", "[1] keep_dims", "3x1x$T");
    reduce("size 1", "3x1x$T", "[1]", "3x$T");
    reduce("large rows", "37x203x$T", "[1]", "37x$T", true);
    reduce("large columns", "203x37x$T", "[0]", "37x$T", true);
    reduce("large matrices", "3x37x203x$T", "[1]", "3x203x$T", true);
    reduce("many matrices", "90x2x3x16x$T", "[1, 2]", "90x16x$T", true);
    if (op == "mp.reduce_prod")
      continue; // of so many nothing is left
    const Operand whole = {"203x37x$T", fill == Fill::Signed ? Fill::Whole : fill};
    cases.push_back({op, "large", {whole}, {"$T"}, op + " %0 dimensions [0, 1] : {0} -> {r}", true});
  }
  for (std::string to : {"i32", "i64"})
    for (std::string type : {"$T", "i32", "ui8"}) {
      auto find = [&](std::string from, std::string dimension, std::string result) {
        for (std::string op : {"mp.argmax", "mp.argmin"})
          cases.push_back({op,
                           type + " along " + dimension + " to " + to,
                           {{from + type}},
                           {result + to},
                           op + " %0 dimension " + dimension + " : {0} -> {r}"});
      };
      find("3x5x", "1", "3x");
      find("3x5x", "0", "5x");
      find("2x3x4x", "1", "2x4x");
    }
}

static void addScans(Cases &cases) {
  for (std::string clause : {"", " exclusive", " reverse", " exclusive reverse"}) {
    auto scan = [&](std::string shape, std::string dimension, bool large = false) {
      cases.push_back({"mp.cumsum",
                       shape + " along " + dimension + clause,
                       {{shape + "$T"}},
                       {shape + "$T"},
                       "mp.cumsum %0 dimension " + dimension + clause + " : {0}",
                       large});
    };
    scan("3x5x", "1");
    scan("5x3x", "0");
    scan("2x4x3x", "1");
    scan("3x1x", "1");
    scan("37x203x", "1", true);
  }
}

static void addLossScaling(Cases &cases) {
  cases.push_back({"mp.gradient_seed", "", {}, {"f32"}, "mp.gradient_seed : {r}"});
  cases.push_back({"mp.scale_loss", "", {{"f32"}, {"f32", Fill::Positive}}, {"f32"}, "mp.scale_loss %0, %1"});
  auto unscale = [&](std::string name, Fill first, Fill second) {
    cases.push_back({"mp.unscale",
                     name,
                     {{"8x3xf32", first}, {"3xf32", second}, {"f32", Fill::Positive}},
                     {"8x3xf32", "3xf32", "i32"},
                     "mp.unscale %0, %1 by %2 {names = [\"a\", \"b\"]} : {0}, {1}"});
    cases.push_back({"mp.check_finite",
                     name,
                     {{"8x3xf32", first}, {"3xf32", second}},
                     {"i32"},
                     "mp.check_finite %0, %1 {names = [\"a\", \"b\"]} : {0}, {1}"});
  };
  unscale("clean", Fill::Signed, Fill::Signed);
  unscale("first bad", Fill::Overflow, Fill::Overflow);
  unscale("second bad", Fill::Signed, Fill::Overflow);
  cases.push_back({"mp.matmul_parts",
                   "",
                   {{"5x150x$T"}, {"150x3x$T"}},
                   {"3x5x3x$A"},
                   "mp.matmul_parts %0, %1 depth 64 acc $A : {0}, {1} -> {r}"});
  cases.push_back({"mp.matmul_parts",
                   "stored in the operands' type",
                   {{"5x150x$T"}, {"150x3x$T"}},
                   {"3x5x3x$T"},
                   "mp.matmul_parts %0, %1 depth 64 acc $A : {0}, {1} -> {r}"});
  cases.push_back({"mp.matmul_parts",
                   "batched, both transposed",
                   {{"2x150x5x$T"}, {"2x3x150x$T"}},
                   {"2x2x5x3x$A"},
                   "mp.matmul_parts %0, %1 transpose_lhs transpose_rhs depth 128 acc $A : {0}, {1} -> {r}"});
  cases.push_back({"mp.sum_row_blocks", "", {{"7x5xf16"}}, {"3x5xf32"}, "mp.sum_row_blocks %0 block 3 : {0} -> {r}"});
  for (const char *element : {"f32", "bf16", "f16"}) // not of f64
    cases.push_back({"mp.row_block_moments",
                     element,
                     {{std::string("7x2x5x") + element}},
                     {"5x5xf32", "5x5xf32", "5x5xf32", "5x5xf32"},
                     "mp.row_block_moments %0 block 3 : {0}"});
  cases.push_back({"mp.recenter_squares",
                   "",
                   {{"3x5xf32"}, {"3x5xf32"}, {"3x5xf32", Fill::Positive}, {"5xf32"}},
                   {"3x5xf32"},
                   "mp.recenter_squares %0, %1, %2, %3 rows 7 block 3 : {0}, {3}"});
  cases.push_back({"mp.nonfinite_tiles",
                   "",
                   {{"2x5x7x$T", Fill::Overflow}},
                   {"12xi32"},
                   "mp.nonfinite_tiles %0 tile 2 x 4 : {0} -> {r}"});
  cases.push_back({"mp.nonfinite_blocks",
                   "",
                   {{"5x5xf32", Fill::Overflow}},
                   {"4xi32"},
                   "mp.nonfinite_blocks %0 {block = 8 : i64} : {0} -> {r}"});
  cases.push_back({"mp.sum_squares_blocks",
                   "",
                   {{"5x5xf32"}},
                   {"4xf32"},
                   "mp.sum_squares_blocks %0 {block = 8 : i64} : {0} -> {r}"});
  cases.push_back(
      {"mp.first_bad", "", {{"3xi32", Fill::Bad}, {"2xi32", Fill::Flags}}, {"i32"}, "mp.first_bad %0, %1 : {0}, {1}"});
  for (Fill bad : {Fill::Clean, Fill::Bad}) {
    const std::string name = bad == Fill::Bad ? "bad" : "clean";
    cases.push_back({"mp.count_skips",
                     name,
                     {{"i64", Fill::Positive}, {"i32", Fill::Positive}, {"i32", bad}},
                     {"i64", "i32"},
                     "mp.count_skips %0, %1, %2"});
    cases.push_back(
        {"mp.advance", name, {{"i64", Fill::Positive}, {"i32", bad}}, {"i64"}, "mp.advance %0 guard %1 : {0}"});
    for (std::string kind : {"consecutive", "cumulative"})
      cases.push_back({"mp.update_loss_scale",
                       name + ", " + kind,
                       {{"f32", Fill::Positive}, {"i32", Fill::Bad}, {"i32", Fill::Flags}, {"i32", bad}},
                       {"f32", "i32", "i32"},
                       "mp.update_loss_scale %0, %1, %2, %3 {growth_factor = 2.0 : f32, growth_interval = 1 : i32,"
                       " backoff_factor = 0.5 : f32, hysteresis = 2 : i32, hysteresis_kind = #mp<hysteresis_kind " +
                           kind + ">, floor = 1.0e-3 : f32, ceiling = 3.0e38 : f32}"});
  }
  cases.push_back({"mp.advance", "rng, no guard", {{"2xi64", Fill::Rng}}, {"2xi64"}, "mp.advance %0 : {0}"});
}

const std::vector<OpCase> &mp::opCases() {
  static const Cases cases = [] {
    Cases all;
    addContractions(all);
    addConvolutions(all);
    addPoolings(all);
    addAttention(all);
    addBatchNorms(all);
    addGroupNorms(all);
    addData(all);
    addIndexing(all);
    addResizing(all);
    addGradientRules(all);
    addElementwise(all);
    addReductions(all);
    addScans(all);
    addRows(all);
    addLosses(all);
    addLossScaling(all);
    addOptimizers(all);
    return all;
  }();
  return cases;
}
