// Models that no one would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of the table for each op that a model may hold. Magnitudes are kept small, so that nothing overflows by itself,
// and no function is differentiated where its derivative is infinite.

#include "RandomModels/Generator.h"

#include "RandomModels/ModelBuilder.h"

#include <algorithm>

using namespace mp;

namespace {

using Make = void (*)(ModelBuilder &b);

/// How a model gets an op, and how often among the others.
struct Row {
  const char *op;
  unsigned weight;
  Make make;
};

void makeUnary(ModelBuilder &b, const std::string &op, double most, const std::string &clause = "") {
  const unsigned x = b.bounded(b.pickFloat(), most);
  const bool isGrowing = op == "mp.exp" || op == "mp.expm1" || op == "mp.sinh" || op == "mp.cosh";
  b.add(op + " $0 " + clause + ": {0}", {x}, b.typeOf(x), isGrowing ? 60 : 2 * b.boundOf(x) + 1);
}

void makeGelu(ModelBuilder &b) {
  const unsigned x = b.pickFloat();
  b.add(b.pick(2) ? "mp.gelu $0 : {0}" : "mp.gelu $0 approximate tanh : {0}", {x}, b.typeOf(x), b.boundOf(x));
}

/// An op that is smooth above 0 only.
void makeOfPositive(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.positive(b.pickFloat());
  b.add(op + " $0 : {0}", {x}, b.typeOf(x), std::max(b.boundOf(x), 2.0));
}

/// An op that is smooth between -1 and 1 only.
void makeOfFraction(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.bounded(b.pickFloat(), 2), share = b.add("mp.tanh $0 : {0}", {x}, b.typeOf(x), 1);
  b.add(op + " $0 : {0}", {share}, b.typeOf(x), 3.5);
}

void makeBinary(ModelBuilder &b, const std::string &op) {
  unsigned lhs = b.pickFloat(), rhs = b.pickBroadcastable(lhs);
  if (b.pick(2))
    std::swap(lhs, rhs);
  if (op == "mp.div")
    rhs = b.positive(rhs);
  const double bound = op == "mp.mul"     ? b.boundOf(lhs) * b.boundOf(rhs)
                       : op == "mp.prelu" ? b.boundOf(lhs) * std::max(b.boundOf(rhs), 1.0)
                       : op == "mp.div"   ? b.boundOf(lhs) * 4
                                          : b.boundOf(lhs) + b.boundOf(rhs);
  b.add(op + " $0, $1 : {0}, {1} -> {r}", {lhs, rhs}, b.broadcastType(lhs, rhs), bound);
}

unsigned compare(ModelBuilder &b, unsigned lhs, unsigned rhs) {
  static const char *const kPredicates[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  ValueType type = b.broadcastType(lhs, rhs);
  type.element = "i1";
  return b.add(std::string("mp.compare ") + kPredicates[b.pick(6)] + " $0, $1 : {0}, {1} -> {r}", {lhs, rhs}, type, 1);
}

void makeCompare(ModelBuilder &b) {
  const unsigned lhs = b.pickFloat();
  b.castTo(compare(b, lhs, b.pickBroadcastable(lhs)), "f32");
}

void makeSelect(ModelBuilder &b) {
  const unsigned lhs = b.pickFloat(), rhs = b.pickBroadcastable(lhs), condition = compare(b, lhs, rhs);
  b.add("mp.select $0, $1, $2 : {0}, {1}, {2} -> {r}", {condition, lhs, rhs}, b.broadcastType(lhs, rhs),
        std::max(b.boundOf(lhs), b.boundOf(rhs)));
}

void makeCast(ModelBuilder &b) {
  static const char *const kElements[] = {"f16", "f32", "i32", "i64", "ui8", "i1"};
  const std::string element = kElements[b.pick(6)];
  const unsigned cast = b.castTo(b.bounded(b.pickFloat(), 200), element);
  if (!b.typeOf(cast).isFloat())
    b.castTo(cast, "f32");
}

void makeConstant(ModelBuilder &b) {
  std::vector<Size> shape = b.pickShape(b.pick(3));
  const bool isSplat = b.pick(2) || b.countOf(shape) > 64;
  b.add(isSplat ? "mp.constant dense<0.75> : {r}" : "mp.constant dense<{E}> : {r}", {}, {shape, "f32"}, 6);
}

void makeIota(ModelBuilder &b) {
  std::vector<Size> shape = b.pickShape(1 + b.pick(2));
  const std::string dimension = std::to_string(b.pick(shape.size()));
  b.add("mp.iota dimension " + dimension + " -> {r}", {}, {shape, "f32"}, 70);
}

void makeReshape(ModelBuilder &b) {
  const unsigned x = b.pickFloat();
  if (b.isBatched(x) && b.countOf(b.typeOf(x).shape) == 0)
    return; // nothing says how many rows no elements are
  b.add("mp.reshape $0 : {0} -> {r}", {x}, {b.pickView(x), b.typeOf(x).element}, b.boundOf(x));
}

void makeTranspose(ModelBuilder &b) {
  const unsigned x = b.pickFloat(1);
  b.transpose(x);
}

void makeBroadcast(ModelBuilder &b) { b.broadcast(b.pickFloat()); }

void makeReduce(ModelBuilder &b, const std::string &op) { b.reduce(b.pickFloat(), op); }

/// Of numbers between 0 and 1, so that no product is too large.
void makeProduct(ModelBuilder &b) {
  const unsigned x = b.pickFloat(), small = b.add("mp.sigmoid $0 : {0}", {x}, b.typeOf(x), 1);
  b.reduce(small, "mp.reduce_prod");
}

void makePower(ModelBuilder &b) {
  const unsigned lhs = b.positive(b.bounded(b.pickFloat(), 3)), rhs = b.bounded(b.pickBroadcastable(lhs), 2);
  b.add("mp.pow $0, $1 : {0}, {1} -> {r}", {lhs, rhs}, b.broadcastType(lhs, rhs), 100);
}

/// Of points to the right of the origin.
void makeAngle(ModelBuilder &b) {
  const unsigned lhs = b.pickFloat(), rhs = b.positive(b.pickBroadcastable(lhs));
  b.add("mp.atan2 $0, $1 : {0}, {1} -> {r}", {lhs, rhs}, b.broadcastType(lhs, rhs), 1.6);
}

void makeScan(ModelBuilder &b) {
  static const char *const kClauses[] = {"", " exclusive", " reverse", " exclusive reverse"};
  const unsigned x = b.pickFloat(1), dimension = b.pickKeptDimension(x);
  if (dimension >= b.typeOf(x).shape.size())
    return;
  const double terms = static_cast<double>(b.countOf({b.typeOf(x).shape[dimension]}));
  b.add("mp.cumsum $0 dimension " + std::to_string(dimension) + kClauses[b.pick(4)] + " : {0}", {x}, b.typeOf(x),
        b.boundOf(x) * std::max(terms, 1.0));
}

void makeTopK(ModelBuilder &b) {
  const unsigned x = b.pickFloat(1);
  ValueType type = b.typeOf(x);
  if (b.countOf({type.shape.back()}) == 0 || (b.isBatched(x) && type.shape.size() == 1))
    return;
  type.shape.back() = Size();
  b.add(", %places$r = mp.top_k $0 k 1 : {0} -> {r}, {r as i32}", {x}, type, b.boundOf(x));
}

void makeArgExtreme(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.pickFloat(1);
  ValueType type = b.typeOf(x);
  const unsigned dimension = b.pickKeptDimension(x);
  if (dimension >= type.shape.size() || b.countOf({type.shape[dimension]}) == 0)
    return;
  type.shape.erase(type.shape.begin() + dimension);
  type.element = b.pick(2) ? "i32" : "i64";
  b.castTo(b.add(op + " $0 dimension " + std::to_string(dimension) + " : {0} -> {r}", {x}, type, 100), "f32");
}

void makeFlip(ModelBuilder &b) {
  const unsigned x = b.pickFloat(1), dimension = b.pickKeptDimension(x);
  if (dimension < b.typeOf(x).shape.size())
    b.add("mp.flip $0 dimensions [" + std::to_string(dimension) + "] : {0} -> {r}", {x}, b.typeOf(x), b.boundOf(x));
}

void makeTwice(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.pickFloat(1), dimension = b.pickKeptDimension(x);
  if (dimension < b.typeOf(x).shape.size() && b.countOf({b.typeOf(x).shape[dimension]}) != 0)
    b.throughTwice(x, dimension, op);
}

/// A tensor twice, of which the first half is kept.
void makeTile(ModelBuilder &b) {
  const unsigned x = b.pickFloat(1), dimension = b.pickKeptDimension(x);
  const ValueType type = b.typeOf(x);
  if (dimension >= type.shape.size() || b.countOf({type.shape[dimension]}) == 0)
    return;
  std::string repeats;
  for (unsigned i = 0; i < type.shape.size(); ++i)
    repeats += (i == 0 ? "" : ", ") + std::string(i == dimension ? "2" : "1");
  const std::string number = std::to_string(dimension), twice = "{0*" + number + "}";
  const std::string own = "{0#" + number + "}";
  b.add("mp.tile $0 repeats [" + repeats + "] : {0} -> " + twice + "; , %second$r = mp.split $p sizes [" + own + ", " +
            own + "] dimension " + number + " : " + twice + " -> {r}, {r}",
        {x}, type, b.boundOf(x));
}

void makeTriangle(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.pickFloat(2);
  const size_t rank = b.typeOf(x).shape.size();
  if (rank > 2 || (rank == 2 && !b.isBatched(x)))
    b.add(op + " $0 {diagonal = " + std::to_string(static_cast<int>(b.pick(5)) - 2) + " : i64} : {0}", {x}, b.typeOf(x),
          b.boundOf(x));
}

/// The labels that a row of logits has, as rows of 0 and 1.
void makeOneHot(ModelBuilder &b) {
  const unsigned x = b.pickFloat(1);
  ValueType type = b.typeOf(x);
  const Size classes = type.shape.back();
  if (b.countOf({classes}) == 0 || (b.isBatched(x) && type.shape.size() == 1))
    return;
  type.shape.pop_back();
  type.element = "i32";
  const std::string last = std::to_string(type.shape.size());
  const unsigned label = b.add("mp.argmax $0 dimension " + last + " : {0} -> {r}", {x}, type, 100);
  type.shape.push_back(classes);
  type.element = "f32";
  b.add("mp.one_hot $0 : {0} -> {r}", {label}, type, 1);
}

/// The largest of each row by where it is, and its opposite in its place where it is `scattered`.
void makeOfPlaces(ModelBuilder &b, bool scattered) {
  unsigned x = 0, dimension = 0;
  ValueType type;
  for (unsigned tries = 0; tries < 16; ++tries) { // a model has few values of several dimensions
    x = b.pickFloat(1), dimension = b.pickKeptDimension(x);
    type = b.typeOf(x);
    if (dimension < type.shape.size() && b.countOf(type.shape) != 0)
      break;
  }
  if (dimension >= type.shape.size() || b.countOf(type.shape) == 0)
    return;
  ValueType places = type;
  places.shape.erase(places.shape.begin() + dimension);
  places.element = b.pick(2) ? "i32" : "i64";
  const std::string number = std::to_string(dimension);
  const unsigned found = b.add("mp.argmax $0 dimension " + number + " : {0} -> {r}", {x}, places, 100);
  type.shape[dimension] = Size();
  ValueType kept = type;
  kept.element = places.element;
  const unsigned index = b.add("mp.reshape $0 : {0} -> {r}", {found}, kept, 100);
  const unsigned largest =
      b.add("mp.gather_elements $0, $1 dimension " + number + " : {0}, {1} -> {r}", {x, index}, type, b.boundOf(x));
  if (!scattered)
    return;
  const unsigned update = b.add("mp.neg $0 : {0}", {largest}, type, b.boundOf(x));
  b.add("mp.scatter_elements $0, $1, $2 dimension " + number + " : {0}, {1}, {2} -> {r}", {x, index, update},
        b.typeOf(x), b.boundOf(x));
}

/// Of whole numbers by 3.
void makeInteger(ModelBuilder &b, const std::string &op) {
  const std::string element = b.pick(2) ? "i32" : "i64";
  const unsigned lhs = b.castTo(b.bounded(b.pickFloat(), 100), element);
  const unsigned rhs = b.add("mp.constant dense<3> : {r}", {}, {{}, element}, 3);
  b.castTo(b.add(op + " $0, $1 : {0}, {1} -> {r}", {lhs, rhs}, b.typeOf(lhs), 800), "f32");
}

void makeRandom(ModelBuilder &b) {
  const unsigned x = b.pickFloat();
  b.add("mp.random_uniform $0 like $1 : {1} {stream = " + std::to_string(b.pick(5)) +
            "} -> {r}; mp.cast $p : {r} -> {r}",
        {b.rng(), x}, {b.typeOf(x).shape, "f32"}, 1);
}

/// To as many pixels, by scales that are not 1.
void makeResize(ModelBuilder &b) {
  static const char *const kModes[] = {"linear coordinates half_pixel", "linear coordinates asymmetric",
                                       "nearest coordinates asymmetric",
                                       "nearest coordinates half_pixel rounding round_prefer_ceil"};
  const unsigned x = b.pickFloat(3);
  const ValueType type = b.typeOf(x);
  const std::vector<Size> pixels(type.shape.begin() + 1, type.shape.end() - 1);
  if (pixels.size() > 3 || b.countOf(pixels) == 0)
    return;
  std::string scales;
  for (size_t i = 0; i < pixels.size(); ++i)
    scales += (i == 0 ? "" : ", ") + std::string(b.pick(2) ? "0.7" : "1.6");
  b.add(std::string("mp.resize $0 mode ") + kModes[b.pick(4)] + " scales dense<[" + scales + "]> : tensor<" +
            std::to_string(pixels.size()) + "xf64> : {0} -> {r}",
        {x}, type, b.boundOf(x));
}

void makeGradientRule(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.pickFloat();
  if (op != "mp.straight_through") {
    b.add(op + (op == "mp.reverse_gradient" ? " $0 {scale = 0.5 : f64} : {0}" : " $0 : {0}"), {x}, b.typeOf(x),
          b.boundOf(x));
    return;
  }
  const unsigned to = b.bounded(x, 1e4), value = b.add("mp.floor $0 : {0}", {to}, b.typeOf(to), b.boundOf(to) + 1);
  b.add(op + " $0, $1 : {0}", {value, to}, b.typeOf(to), b.boundOf(value));
}

void makeIsFinite(ModelBuilder &b) {
  const unsigned x = b.pickFloat();
  ValueType type = b.typeOf(x);
  type.element = "i1";
  b.castTo(b.add("mp.is_finite $0 : {0} -> {r}", {x}, type, 1), "f32");
}

void makeLogical(ModelBuilder &b, const std::string &op) {
  const unsigned lhs = b.pickFloat(), rhs = b.pickBroadcastable(lhs), condition = compare(b, lhs, rhs);
  const ValueType type = b.typeOf(condition);
  const unsigned result = op == "mp.logical_not"
                              ? b.add("mp.logical_not $0 : {0}", {condition}, type, 1)
                              : b.add(op + " $0, $1 : {0}, {1} -> {r}", {condition, compare(b, lhs, rhs)}, type, 1);
  b.castTo(result, "f32");
}

void makeSoftmax(ModelBuilder &b, const std::string &op) {
  const unsigned x = b.bounded(b.pickFloat(1), 20);
  if (!b.isBatched(x) || b.typeOf(x).shape.size() > 1)
    b.add(op + " $0 : {0}", {x}, b.typeOf(x), op == "mp.softmax" ? 1 : 60);
}

/// Each row of a matrix among the others, as queries, keys and values, in as many dimensions as attention has.
void makeAttention(ModelBuilder &b) {
  const unsigned x = b.bounded(b.pickFloat(2), 4);
  const ValueType type = b.typeOf(x);
  if (type.shape.size() > 4 || b.countOf({type.shape.back()}) == 0)
    return;
  ValueType heads = type;
  while (heads.shape.size() < 4) // an open batch stays the first
    heads.shape.insert(heads.shape.begin() + (b.isBatched(x) ? 1 : 0), Size());
  if (b.countOf({heads.shape[1]}) == 0) // attention without heads is none
    return;
  const unsigned reshaped = b.add("mp.reshape $0 : {0} -> {r}", {x}, heads, b.boundOf(x));
  const bool drops = b.pick(3) == 0;
  std::vector<unsigned> operands(3, reshaped);
  if (drops)
    operands.push_back(b.rng());
  const std::string text = std::string(", %lse$r = mp.attention $0, $1, $2") + (b.pick(2) ? " causal" : "") +
                           (drops ? " rng $3 {rate = 0.25 : f64, stream = 7 : i64}" : "") + " : {0}, {1}, {2}";
  const unsigned mixed = b.add(text, operands, heads, 2 * b.boundOf(x));
  b.add("mp.reshape $0 : {0} -> {r}", {mixed}, type, b.boundOf(mixed));
}

void makeDropout(ModelBuilder &b) {
  const unsigned x = b.pickFloat();
  static const char *const kRates[] = {"0.25", "0.5", "0.0"};
  const unsigned shared = b.pick(2) ? b.typeOf(x).shape.size() : b.pickKeptDimension(x);
  b.add(std::string("mp.dropout $0, $1 {rate = ") + kRates[b.pick(3)] + ", stream = " + std::to_string(b.pick(5)) +
            (shared < b.typeOf(x).shape.size() ? ", shared = array<i64: " + std::to_string(shared) + ">" : "") +
            "} : {0}",
        {x, b.rng()}, b.typeOf(x), 2 * b.boundOf(x));
}

void makeUpdateRunning(ModelBuilder &b) {
  const unsigned old = b.castTo(b.pickFloat(), "f32");
  const unsigned batch = b.add("mp.relu $0 : {0}", {old}, b.typeOf(old), b.boundOf(old));
  const unsigned count = b.add("mp.constant dense<5.0> : {r}", {}, {{}, "f32"}, 5);
  b.add(std::string("mp.update_running $0, $1, $2 ") + (b.pick(2) ? "{momentum = 0.3 : f64, unbiased} " : "") + ": {0}",
        {old, batch, count}, b.typeOf(old), 1.25 * b.boundOf(old));
}

/// Two products, of which the first gets a gradient by the second.
void makeLayers(ModelBuilder &b) {
  const unsigned x = b.product(b.pickFloat(2));
  const unsigned y = b.add("mp.relu $0 : {0}", {x}, b.typeOf(x), b.boundOf(x));
  b.product(y);
}

void makeClassLoss(ModelBuilder &b, const std::string &op) {
  if (op == "mp.cross_entropy") // which autocast to f16 refuses
    b.takeBF16();
  b.classLoss(b.pickFloat(1), op);
}

void makeElementLoss(ModelBuilder &b, const std::string &op) {
  if (op == "mp.binary_cross_entropy") // which autocast to f16 refuses
    b.takeBF16();
  b.elementLoss(b.pickFloat(1), op);
}

void makeRegion(ModelBuilder &b) {
  static const char *const kRegions[] = {" enabled = false", "", " type = bf16"};
  b.beginRegion(kRegions[b.pick(b.hasBF16() ? 3 : 2)]);
}

constexpr Row kRows[] = {
    {"mp.matmul", 5, [](ModelBuilder &b) { b.product(b.pickFloat(2)); }},
    {"mp.matmul", 2, makeLayers},
    {"mp.matmul", 4, [](ModelBuilder &b) { b.longProduct(); }},
    {"mp.conv", 2, [](ModelBuilder &b) { b.convolution(b.pickFloat(3), Convolves::Plain); }},
    {"mp.conv", 3, [](ModelBuilder &b) { b.convolution(b.pickFloat(3), Convolves::Depthwise); }},
    {"mp.conv_transpose", 1, [](ModelBuilder &b) { b.convolution(b.pickFloat(3), Convolves::Transposed); }},
    {"mp.max_pool", 3, [](ModelBuilder &b) { b.pool(b.pickFloat(3), "mp.max_pool"); }},
    {"mp.avg_pool", 1, [](ModelBuilder &b) { b.pool(b.pickFloat(3), "mp.avg_pool"); }},
    {"mp.constant", 2, makeConstant},
    {"mp.iota", 1, makeIota},
    {"mp.reshape", 3, makeReshape},
    {"mp.transpose", 2, makeTranspose},
    {"mp.broadcast", 2, makeBroadcast},
    {"mp.add", 4, [](ModelBuilder &b) { makeBinary(b, "mp.add"); }},
    {"mp.sub", 2, [](ModelBuilder &b) { makeBinary(b, "mp.sub"); }},
    {"mp.mul", 3, [](ModelBuilder &b) { makeBinary(b, "mp.mul"); }},
    {"mp.div", 1, [](ModelBuilder &b) { makeBinary(b, "mp.div"); }},
    {"mp.max", 1, [](ModelBuilder &b) { makeBinary(b, "mp.max"); }},
    {"mp.exp", 1, [](ModelBuilder &b) { makeUnary(b, "mp.exp", 4); }},
    {"mp.log", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.log"); }},
    {"mp.sqrt", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.sqrt"); }},
    {"mp.tanh", 2, [](ModelBuilder &b) { makeUnary(b, "mp.tanh", 1e4); }},
    {"mp.gelu", 1, makeGelu},
    {"mp.relu", 2, [](ModelBuilder &b) { makeUnary(b, "mp.relu", 1e4); }},
    {"mp.min", 1, [](ModelBuilder &b) { makeBinary(b, "mp.min"); }},
    {"mp.neg", 1, [](ModelBuilder &b) { makeUnary(b, "mp.neg", 1e4); }},
    {"mp.abs", 1, [](ModelBuilder &b) { makeUnary(b, "mp.abs", 1e4); }},
    {"mp.floor", 1, [](ModelBuilder &b) { makeUnary(b, "mp.floor", 1e4); }},
    {"mp.round", 1, [](ModelBuilder &b) { makeUnary(b, "mp.round", 1e4); }},
    {"mp.reciprocal", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.reciprocal"); }},
    {"mp.rsqrt", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.rsqrt"); }},
    {"mp.sin", 1, [](ModelBuilder &b) { makeUnary(b, "mp.sin", 1e4); }},
    {"mp.cos", 1, [](ModelBuilder &b) { makeUnary(b, "mp.cos", 1e4); }},
    {"mp.pow", 1, makePower},
    {"mp.tan", 1, [](ModelBuilder &b) { makeOfFraction(b, "mp.tan"); }},
    {"mp.asin", 1, [](ModelBuilder &b) { makeOfFraction(b, "mp.asin"); }},
    {"mp.acos", 1, [](ModelBuilder &b) { makeOfFraction(b, "mp.acos"); }},
    {"mp.atan", 1, [](ModelBuilder &b) { makeUnary(b, "mp.atan", 1e4); }},
    {"mp.atan2", 1, makeAngle},
    {"mp.sinh", 1, [](ModelBuilder &b) { makeUnary(b, "mp.sinh", 4); }},
    {"mp.cosh", 1, [](ModelBuilder &b) { makeUnary(b, "mp.cosh", 4); }},
    {"mp.expm1", 1, [](ModelBuilder &b) { makeUnary(b, "mp.expm1", 4); }},
    {"mp.log1p", 1, [](ModelBuilder &b) { makeOfFraction(b, "mp.log1p"); }},
    {"mp.log2", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.log2"); }},
    {"mp.log10", 1, [](ModelBuilder &b) { makeOfPositive(b, "mp.log10"); }},
    {"mp.erfinv", 1, [](ModelBuilder &b) { makeOfFraction(b, "mp.erfinv"); }},
    {"mp.prelu", 1, [](ModelBuilder &b) { makeBinary(b, "mp.prelu"); }},
    {"mp.erf", 1, [](ModelBuilder &b) { makeUnary(b, "mp.erf", 1e4); }},
    {"mp.clamp", 1, [](ModelBuilder &b) { makeUnary(b, "mp.clamp", 1e4, "{min = -0.5 : f64, max = 2.5 : f64} "); }},
    {"mp.sigmoid", 1, [](ModelBuilder &b) { makeUnary(b, "mp.sigmoid", 1e4); }},
    {"mp.silu", 1, [](ModelBuilder &b) { makeUnary(b, "mp.silu", 1e4); }},
    {"mp.softplus", 1, [](ModelBuilder &b) { makeUnary(b, "mp.softplus", 1e4); }},
    {"mp.leaky_relu", 1, [](ModelBuilder &b) { makeUnary(b, "mp.leaky_relu", 1e4); }},
    {"mp.selu", 1, [](ModelBuilder &b) { makeUnary(b, "mp.selu", 5e3); }},
    {"mp.hard_sigmoid", 1, [](ModelBuilder &b) { makeUnary(b, "mp.hard_sigmoid", 1e4); }},
    {"mp.hard_swish", 1, [](ModelBuilder &b) { makeUnary(b, "mp.hard_swish", 1e4); }},
    {"mp.elu", 1, [](ModelBuilder &b) { makeUnary(b, "mp.elu", 1e4, "{alpha = 0.5 : f64} "); }},
    {"mp.compare", 1, makeCompare},
    {"mp.select", 1, makeSelect},
    {"mp.is_finite", 1, makeIsFinite},
    {"mp.logical_and", 1, [](ModelBuilder &b) { makeLogical(b, "mp.logical_and"); }},
    {"mp.logical_or", 1, [](ModelBuilder &b) { makeLogical(b, "mp.logical_or"); }},
    {"mp.logical_not", 1, [](ModelBuilder &b) { makeLogical(b, "mp.logical_not"); }},
    {"mp.cast", 2, makeCast},
    {"mp.dropout", 1, makeDropout},
    {"mp.reduce_sum", 2, [](ModelBuilder &b) { makeReduce(b, "mp.reduce_sum"); }},
    {"mp.reduce_mean", 2, [](ModelBuilder &b) { makeReduce(b, "mp.reduce_mean"); }},
    {"mp.reduce_max", 2, [](ModelBuilder &b) { makeReduce(b, "mp.reduce_max"); }},
    {"mp.reduce_min", 1, [](ModelBuilder &b) { makeReduce(b, "mp.reduce_min"); }},
    {"mp.reduce_prod", 1, makeProduct},
    {"mp.l2_norm", 1, [](ModelBuilder &b) { b.reduce(b.bounded(b.pickFloat(), 100), "mp.l2_norm"); }},
    {"mp.cumsum", 1, makeScan},
    {"mp.top_k", 1, makeTopK},
    {"mp.argmax", 1, [](ModelBuilder &b) { makeArgExtreme(b, "mp.argmax"); }},
    {"mp.argmin", 1, [](ModelBuilder &b) { makeArgExtreme(b, "mp.argmin"); }},
    {"mp.concat", 2, [](ModelBuilder &b) { makeTwice(b, "mp.concat"); }},
    {"mp.pad", 1, [](ModelBuilder &b) { makeTwice(b, "mp.pad"); }},
    {"mp.slice", 0, [](ModelBuilder &b) { makeTwice(b, "mp.concat"); }},
    {"mp.flip", 1, makeFlip},
    {"mp.tile", 1, makeTile},
    {"mp.split", 0, makeTile},
    {"mp.tril", 1, [](ModelBuilder &b) { makeTriangle(b, "mp.tril"); }},
    {"mp.triu", 1, [](ModelBuilder &b) { makeTriangle(b, "mp.triu"); }},
    {"mp.gather", 2, [](ModelBuilder &b) { b.embedding(); }},
    {"mp.one_hot", 1, makeOneHot},
    {"mp.attention", 2, makeAttention},
    {"mp.softmax", 2, [](ModelBuilder &b) { makeSoftmax(b, "mp.softmax"); }},
    {"mp.log_softmax", 1, [](ModelBuilder &b) { makeSoftmax(b, "mp.log_softmax"); }},
    {"mp.layer_norm", 2, [](ModelBuilder &b) { b.layerNorm(b.pickFloat(1), "mp.layer_norm"); }},
    {"mp.rms_norm", 1, [](ModelBuilder &b) { b.layerNorm(b.pickFloat(1), "mp.rms_norm"); }},
    {"mp.l2_normalize", 1, [](ModelBuilder &b) { b.layerNorm(b.pickFloat(1), "mp.l2_normalize"); }},
    {"mp.group_norm", 2, [](ModelBuilder &b) { b.groupNorm(b.pickFloat(2)); }},
    {"mp.batch_norm", 4, [](ModelBuilder &b) { b.batchNorm(b.pickFloat(2)); }},
    {"mp.batch_norm_inference", 0, [](ModelBuilder &b) { b.batchNorm(b.pickFloat(2)); }},
    {"mp.update_running", 1, makeUpdateRunning},
    {"mp.softmax_cross_entropy", 1, [](ModelBuilder &b) { makeClassLoss(b, "mp.softmax_cross_entropy"); }},
    {"mp.cross_entropy", 1, [](ModelBuilder &b) { makeClassLoss(b, "mp.cross_entropy"); }},
    {"mp.nll_loss", 1, [](ModelBuilder &b) { makeClassLoss(b, "mp.nll_loss"); }},
    {"mp.kl_div", 1, [](ModelBuilder &b) { makeClassLoss(b, "mp.kl_div"); }},
    {"mp.cosine_similarity", 1, [](ModelBuilder &b) { b.cosine(b.pickFloat(1)); }},
    {"mp.mse_loss", 1, [](ModelBuilder &b) { makeElementLoss(b, "mp.mse_loss"); }},
    {"mp.l1_loss", 1, [](ModelBuilder &b) { makeElementLoss(b, "mp.l1_loss"); }},
    {"mp.huber_loss", 1, [](ModelBuilder &b) { makeElementLoss(b, "mp.huber_loss"); }},
    {"mp.sigmoid_cross_entropy", 1, [](ModelBuilder &b) { makeElementLoss(b, "mp.sigmoid_cross_entropy"); }},
    {"mp.binary_cross_entropy", 1, [](ModelBuilder &b) { makeElementLoss(b, "mp.binary_cross_entropy"); }},
    {"mp.autocast", 1, makeRegion},
    {"mp.yield", 0, makeRegion},
    {"mp.gelu", 0, makeGelu}, // once more, of a parameter, so that its gradient is in a model
    {"mp.gather_elements", 0, [](ModelBuilder &b) { makeOfPlaces(b, false); }},
    {"mp.resize", 0, makeResize},
    {"mp.stop_gradient", 0, [](ModelBuilder &b) { makeGradientRule(b, "mp.stop_gradient"); }},
    {"mp.straight_through", 0, [](ModelBuilder &b) { makeGradientRule(b, "mp.straight_through"); }},
    {"mp.reverse_gradient", 0, [](ModelBuilder &b) { makeGradientRule(b, "mp.reverse_gradient"); }},
    {"mp.scatter_elements", 0, [](ModelBuilder &b) { makeOfPlaces(b, true); }},
    {"mp.random_uniform", 0, makeRandom},
    {"mp.remainder", 0, [](ModelBuilder &b) { makeInteger(b, "mp.remainder"); }},
    {"mp.floor_divide", 0, [](ModelBuilder &b) { makeInteger(b, "mp.floor_divide"); }},
    {"mp.bitwise_and", 0, [](ModelBuilder &b) { makeInteger(b, "mp.bitwise_and"); }},
    {"mp.bitwise_or", 0, [](ModelBuilder &b) { makeInteger(b, "mp.bitwise_or"); }},
    {"mp.bitwise_xor", 0, [](ModelBuilder &b) { makeInteger(b, "mp.bitwise_xor"); }},
    {"mp.shift_left", 0, [](ModelBuilder &b) { makeInteger(b, "mp.shift_left"); }},
    {"mp.shift_right", 0, [](ModelBuilder &b) { makeInteger(b, "mp.shift_right"); }},
};

void makeOp(ModelBuilder &b) {
  unsigned total = 0;
  for (const Row &row : kRows)
    total += row.weight;
  unsigned chosen = b.pick(total);
  for (const Row &row : kRows) {
    if (chosen < row.weight)
      return row.make(b);
    chosen -= row.weight;
  }
}

} // namespace

std::vector<std::string> mp::writtenOps() {
  std::vector<std::string> ops;
  for (const Row &row : kRows)
    ops.emplace_back(row.op);
  return ops;
}

const std::vector<std::string> &mp::derivedOps() {
  static const std::vector<std::string> ops = {
      // of mp-autodiff, mp-loss-scaling and mp-optimizer
      "mp.conv_filter_grad", "mp.scatter_add", "mp.scatter_add_elements", "mp.resize_grad", "mp.max_pool_grad",
      "mp.avg_pool_grad", "mp.relu_grad", "mp.tanh_grad", "mp.gelu_grad", "mp.attention_grad", "mp.batch_norm_grad",
      "mp.group_norm_grad", "mp.top_k_grad", "mp.softmax_grad", "mp.layer_norm_statistics", "mp.layer_norm_grad",
      "mp.softmax_cross_entropy_grad", "mp.gradient_seed", "mp.scale_loss", "mp.unscale", "mp.check_finite",
      "mp.update_loss_scale", "mp.count_skips", "mp.advance", "mp.global_norm", "mp.clip_by_global_norm",
      "mp.clip_by_norm", "mp.clip_by_value", "mp.sgd", "mp.rmsprop", "mp.adagrad", "mp.adam", "mp.adamw",
      "mp.momentum_product", "mp.nadam", "mp.lamb", "mp.lion",
      // of kernels
      "mp.kernel", "mp.copy", "mp.nonfinite_blocks", "mp.sum_squares_blocks", "mp.first_bad", "mp.matmul_parts",
      "mp.depthwise_conv", "mp.depthwise_conv_row_sums", "mp.sum_row_blocks", "mp.nonfinite_tiles", "mp.dropout_mask",
      "mp.masked_dropout", "mp.max_pool_with_indices", "mp.max_unpool", "mp.resample", "mp.softmax_cross_entropy_rows",
      "mp.softmax_cross_entropy_grad_rows"};
  return ops;
}

const std::vector<std::string> &mp::opsOfLargerModels() {
  static const std::vector<std::string> ops = {"mp.conv_filter_grad_parts", "mp.depthwise_conv_transpose", "mp.pack",
                                               "mp.row_block_moments",      "mp.recenter_squares",         "mp.unpack"};
  return ops;
}

uint64_t mp::modelsWithEveryOp() { return std::size(kRows); }

RandomModel mp::generateModel(uint64_t seed) {
  ModelBuilder b(seed);
  b.addArguments();
  const unsigned ops = 3 + b.pick(7);
  for (unsigned i = 0; i < ops; ++i)
    makeOp(b);
  kRows[seed % std::size(kRows)].make(b);
  return b.finish();
}
