// A model at random, op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/ModelBuilder.h"

#include <algorithm>

using namespace mp;

/// Magnitude that is far from f16's largest number, also after a sum.
static constexpr double kMostMagnitude = 500;

static const int64_t kSizes[] = {0, 1, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33};

ModelBuilder::ModelBuilder(uint64_t seed) : random(seed * 0x9e3779b97f4a7c15 + 1) {
  model.isOpen = pick(3) == 0;
  model.sizes.push_back(kSizes[1 + pick(std::size(kSizes) - 1)]); // a batch has a row
  for (unsigned i = 1; i < 5; ++i)
    model.sizes.push_back(kSizes[pick(std::size(kSizes))]);
  model.sizes.push_back(4096); // a long k, which chips cut into parts
  usesBF16 = pick(3) == 0;
}

// Choosing

unsigned ModelBuilder::pickFloat(size_t rank) {
  std::vector<unsigned> fitting;
  for (unsigned value = 0; value < model.values.size(); ++value)
    if (typeOf(value).isFloat() && typeOf(value).shape.size() >= rank && countOf(typeOf(value).shape) <= kMostElements)
      fitting.push_back(value);
  if (fitting.empty()) // none has so many dimensions
    return addArgument(Role::Parameter, {std::vector<Size>(rank, Size{3}), "f32"});
  const size_t window = pick(2) ? std::min<size_t>(fitting.size(), 3) : fitting.size();
  return fitting[fitting.size() - 1 - pick(window)];
}

ValueType ModelBuilder::broadcastType(unsigned lhs, unsigned rhs) const {
  const std::vector<Size> &a = typeOf(lhs).shape, &b = typeOf(rhs).shape;
  ValueType type{a.size() >= b.size() ? a : b, typeOf(lhs).element};
  const std::vector<Size> &shorter = a.size() >= b.size() ? b : a;
  const size_t missing = type.shape.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i)
    if (type.shape[missing + i].empty())
      type.shape[missing + i] = shorter[i];
  return type;
}

unsigned ModelBuilder::pickBroadcastable(unsigned value) {
  auto fits = [&](unsigned other) {
    const std::vector<Size> &a = typeOf(value).shape, &b = typeOf(other).shape;
    for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
      const Size &x = a[a.size() - i], &y = b[b.size() - i];
      if (x != y && !x.empty() && !y.empty())
        return false;
    }
    // A batch stays the first dimension.
    const size_t rank = std::max(a.size(), b.size());
    return typeOf(other).element == typeOf(value).element && (!isBatched(value) || a.size() == rank) &&
           (!isBatched(other) || b.size() == rank) && countOf(broadcastType(value, other).shape) <= kMostElements;
  };
  std::vector<unsigned> fitting;
  for (unsigned other = 0; other < model.values.size(); ++other)
    if (fits(other))
      fitting.push_back(other);
  return fitting[pick(fitting.size())];
}

std::vector<Size> ModelBuilder::pickShape(size_t rank) {
  std::vector<Size> shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(pick(5) == 0 ? Size() : Size{1 + pick(4)});
  while (model.sizes.front() * countOf(shape) > kMostElements)
    shape.pop_back();
  return shape;
}

std::vector<Size> ModelBuilder::pickView(unsigned value) {
  const std::vector<Size> &shape = typeOf(value).shape;
  const size_t first = isBatched(value) ? 1 : 0;
  std::vector<Size> view(shape.begin(), shape.begin() + first);
  Size factors;
  for (size_t i = first; i < shape.size(); ++i)
    factors.insert(factors.end(), shape[i].begin(), shape[i].end());
  if (pick(2)) { // flat
    std::ranges::sort(factors);
    if (!factors.empty() || pick(2))
      view.push_back(factors);
    return view;
  }
  for (unsigned factor : factors)
    view.push_back({factor});
  for (unsigned ones = pick(3); ones > 0; --ones)
    view.insert(view.begin() + first + pick(view.size() - first + 1), Size());
  return view;
}

unsigned ModelBuilder::pickKeptDimension(unsigned value) {
  const size_t rank = typeOf(value).shape.size(), first = isBatched(value) ? 1 : 0;
  return static_cast<unsigned>(first < rank ? first + pick(rank - first) : rank);
}

int64_t ModelBuilder::countOf(const std::vector<Size> &shape) const {
  int64_t count = 1;
  for (const Size &size : shape)
    count *= model.sizeOf(size);
  return count;
}

bool ModelBuilder::isBatched(unsigned value) const {
  const std::vector<Size> &shape = typeOf(value).shape;
  return model.isOpen && !shape.empty() && shape.front() == Size{0};
}

// Values

unsigned ModelBuilder::addValue(ValueType type, double bound) {
  model.values.push_back(std::move(type));
  bounds.push_back(bound);
  depends.push_back(false);
  combines.push_back(false);
  return static_cast<unsigned>(model.values.size() - 1);
}

unsigned ModelBuilder::addArgument(Role role, ValueType type, Size classes) {
  const unsigned value = addValue(std::move(type), role == Role::Input ? 2 : 1);
  depends[value] = role == Role::Parameter;
  model.arguments.push_back({role, value, std::move(classes)});
  return value;
}

void ModelBuilder::addArguments() {
  for (unsigned i = 0; i < 2; ++i) {
    std::vector<Size> shape = pickShape(i == 0 ? 1 : pick(3)); // one of rank 2, which products and others need
    shape.insert(shape.begin(), Size{0});
    addArgument(Role::Input, {std::move(shape), "f32"});
  }
  for (unsigned rank = 0, count = 1 + pick(3); rank < count; ++rank)
    addArgument(Role::Parameter, {pickShape(pick(4)), "f32"});
  if (pick(3) == 0)
    addArgument(Role::State, {pickShape(pick(3)), "f32"});
}

unsigned ModelBuilder::add(std::string text, std::vector<unsigned> operands, ValueType type, double bound) {
  if (countOf(type.shape) > kMostElements)
    return operands.front();
  const unsigned result = addValue(std::move(type), bound);
  // Between their steps, and whatever it is like.
  const bool isConstant = text.starts_with("mp.floor") || text.starts_with("mp.round") || text.starts_with("mp.random");
  for (unsigned operand : operands) {
    combines[result] = combines[result] || combines[operand] || (isBatched(operand) && !isBatched(result));
    depends[result] =
        depends[result] || (depends[operand] && !isConstant && typeOf(result).isFloat() && typeOf(operand).isFloat());
  }
  if (region >= 0 && model.nodes.size() >= regionEnd)
    region = -1;
  model.nodes.push_back({std::move(text), std::move(operands), result, region});
  // What is large is not left to grow.
  return typeOf(result).isFloat() && bound > kMostMagnitude ? bounded(result, 1) : result;
}

unsigned ModelBuilder::constant(double value, const std::string &element) {
  return add("mp.constant dense<" + std::to_string(value) + "> : {r}", {}, {{}, element}, value);
}

unsigned ModelBuilder::bounded(unsigned value, double most) {
  if (boundOf(value) <= most)
    return value;
  const unsigned scale = constant(most / boundOf(value), typeOf(value).element);
  return add("mp.mul $0, $1 : {0}, {1} -> {r}", {value, scale}, typeOf(value), most);
}

unsigned ModelBuilder::positive(unsigned value) {
  value = bounded(value, 8);
  const unsigned square =
      add("mp.mul $0, $0 : {0}, {0} -> {r}", {value}, typeOf(value), boundOf(value) * boundOf(value));
  const unsigned half = constant(0.5, typeOf(value).element);
  return add("mp.add $0, $1 : {0}, {1} -> {r}", {square, half}, typeOf(value), boundOf(square) + 1);
}

unsigned ModelBuilder::castTo(unsigned value, const std::string &element) {
  if (element == typeOf(value).element)
    return value;
  return add("mp.cast $0 : {0} -> {r}", {value}, {typeOf(value).shape, element}, boundOf(value));
}

unsigned ModelBuilder::transpose(unsigned value) {
  std::vector<unsigned> order;
  ValueType type = typeOf(value);
  for (unsigned i = 0; i < type.shape.size(); ++i)
    order.push_back(i);
  std::shuffle(order.begin() + (isBatched(value) ? 1 : 0), order.end(), random);
  std::string permutation;
  for (size_t i = 0; i < order.size(); ++i) {
    permutation += (i ? ", " : "") + std::to_string(order[i]);
    type.shape[i] = typeOf(value).shape[order[i]];
  }
  return add("mp.transpose $0 permutation [" + permutation + "] : {0} -> {r}", {value}, std::move(type),
             boundOf(value));
}

unsigned ModelBuilder::broadcast(unsigned value) {
  ValueType type = typeOf(value);
  for (Size &size : type.shape)
    if (size.empty() && pick(2))
      size = {1 + pick(4)};
  if (!isBatched(value) && pick(2))
    type.shape.insert(type.shape.begin(), {1 + pick(4)});
  // Of an open batch there is no shape to write but that of another value.
  const std::string like = isBatched(value) ? " like $1 : {1}" : "";
  if (isBatched(value))
    type = typeOf(value);
  return add("mp.broadcast $0" + like + " : {0} -> {r}",
             like.empty() ? std::vector<unsigned>{value} : std::vector<unsigned>{value, value}, std::move(type),
             boundOf(value));
}

unsigned ModelBuilder::reduce(unsigned value, const std::string &op) {
  const ValueType type = typeOf(value);
  const bool keeps = pick(2), takesAll = pick(4) == 0, takesLast = pick(3) == 0;
  ValueType result{{}, type.element};
  std::string dimensions;
  int64_t terms = 1;
  for (unsigned i = 0; i < type.shape.size(); ++i) {
    const bool isChosen = takesAll || (takesLast ? i + 1 == type.shape.size() : pick(2) != 0);
    const bool isReduced = isChosen && !(i == 0 && isBatched(value));
    if (isReduced) {
      dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(i);
      terms *= model.sizeOf(type.shape[i]);
    }
    if (!isReduced || keeps)
      result.shape.push_back(isReduced ? Size() : type.shape[i]);
  }
  // Along an open batch of rank 1, even over nothing, it would be an op that combines rows.
  if (dimensions.empty() && isBatched(value))
    return value;
  return add(op + " $0 dimensions [" + dimensions + "]" + (keeps ? " keep_dims" : "") + " : {0} -> {r}", {value},
             std::move(result), boundOf(value) * (op == "mp.reduce_sum" ? static_cast<double>(terms) : 1));
}

/// Something of that type to multiply with, or a new parameter.
unsigned ModelBuilder::factorOf(const ValueType &type) {
  for (unsigned value = 0; value < model.values.size(); ++value)
    if (typeOf(value) == type && boundOf(value) <= 8 && pick(2))
      return value;
  return castTo(addArgument(Role::Parameter, {type.shape, "f32"}), type.element);
}

unsigned ModelBuilder::throughTwice(unsigned value, unsigned dimension, const std::string &op) {
  const ValueType type = typeOf(value);
  auto each = [&](const std::string &here, const std::string &elsewhere) {
    std::string list;
    for (unsigned i = 0; i < type.shape.size(); ++i)
      list += (i == 0 ? "" : ", ") + (i == dimension ? here : elsewhere);
    return "[" + list + "]";
  };
  const std::string number = std::to_string(dimension), twice = "{0*" + number + "}";
  const unsigned other =
      isBatched(value) ? castTo(addArgument(Role::Input, {type.shape, "f32"}), type.element) : factorOf(type);
  const std::string made = op == "mp.concat" ? "mp.concat $0, $1 dimension " + number + " : {0}, {1} -> " + twice
                                             : "mp.pad $0 low " + each("0", "0") + " high " + each("1", "0") +
                                                   " interior " + each("1", "0") + " value 0.75 : {0} -> " + twice;
  const std::string taken = pick(3) == 0 ? "1::2" : "::2";
  return add(made + "; mp.slice $p " + each(taken, ":") + " : " + twice + " -> {r}", {value, other}, type,
             std::max({boundOf(value), boundOf(other), 0.75}));
}

unsigned ModelBuilder::embedding() {
  const Size rows = Size{1 + pick(4)}, columns = Size{1 + pick(4)};
  static const char *const kIndices[] = {"i32", "i64", "ui8"};
  const unsigned table = addArgument(Role::Parameter, {{rows, columns}, "f32"});
  const unsigned index = addArgument(Role::Label, {{Size{0}}, kIndices[pick(3)]}, rows);
  return add("mp.gather $0, $1 dimension 0 : {0}, {1} -> {r}", {table, index}, {{Size{0}, columns}, "f32"}, 1);
}

unsigned ModelBuilder::layerNorm(unsigned value, const std::string &op) {
  value = bounded(value, 20);
  const ValueType type = typeOf(value);
  if (countOf({type.shape.back()}) == 0 || (isBatched(value) && type.shape.size() == 1))
    return value;
  if (op == "mp.l2_normalize")
    return add(op + " $0 {epsilon = 0.01 : f64} : {0}", {value}, type, 1);
  const unsigned scale = factorOf({{type.shape.back()}, "f32"}), offset = factorOf({{type.shape.back()}, "f32"});
  // No normalized element is larger than the root of their number.
  const double largest = std::sqrt(static_cast<double>(countOf({type.shape.back()})));
  const std::string epsilon = std::string(" {epsilon = ") + (pick(2) ? "0.5" : "0.01") + " : f64} : {0}, {1}";
  if (op == "mp.rms_norm")
    return add(op + " $0, $1" + epsilon, {value, scale}, type, largest * boundOf(scale));
  return add(op + " $0, $1, $2" + epsilon, {value, scale, offset}, type, largest * boundOf(scale) + boundOf(offset));
}

unsigned ModelBuilder::groupNorm(unsigned value) {
  value = bounded(value, 20);
  const ValueType type = typeOf(value);
  const std::vector<Size> image(type.shape.begin() + 1, type.shape.end());
  if (type.shape.size() > 5 || countOf(image) == 0)
    return value;
  const unsigned scale = factorOf({{type.shape.back()}, "f32"}), offset = factorOf({{type.shape.back()}, "f32"});
  return add("mp.group_norm $0, $1, $2 groups 1 {epsilon = 0.5 : f64} : {0}, {1}", {value, scale, offset}, type,
             std::sqrt(static_cast<double>(countOf(image))) * boundOf(scale) + boundOf(offset));
}

unsigned ModelBuilder::batchNorm(unsigned value) {
  value = bounded(value, 20);
  const ValueType type = typeOf(value);
  const std::vector<Size> channels = {type.shape.back()}, rows(type.shape.begin(), type.shape.end() - 1);
  if (type.shape.size() > 5 || countOf(rows) < 2 || channels.front().empty())
    return value;
  const unsigned scale = factorOf({channels, "f32"}), offset = factorOf({channels, "f32"});
  const std::string epsilon = std::string(" {epsilon = ") + (pick(2) ? "0.5" : "0.01") + " : f64} : {0}, {1}";
  if (isBatched(value)) {
    const unsigned mean = factorOf({channels, "f32"}), variance = positive(factorOf({channels, "f32"}));
    return add("mp.batch_norm_inference $0, $1, $2, $3, $4" + epsilon, {value, scale, offset, mean, variance}, type,
               1.5 * (boundOf(value) + boundOf(mean)) * boundOf(scale) + boundOf(offset));
  }
  // No normalized element is larger than the root of their number.
  return add(", %mean$r, %variance$r, %count$r = mp.batch_norm $0, $1, $2" + epsilon, {value, scale, offset}, type,
             std::sqrt(static_cast<double>(countOf(rows))) * boundOf(scale) + boundOf(offset));
}

unsigned ModelBuilder::rng() {
  for (const Argument &argument : model.arguments)
    if (argument.role == Role::Rng)
      return argument.value;
  model.sizes.push_back(2);
  return addArgument(Role::Rng, {{Size{static_cast<unsigned>(model.sizes.size() - 1)}}, "i64"});
}

void ModelBuilder::beginRegion(const std::string &what) {
  if (region >= 0)
    return;
  model.regions.push_back(what);
  region = static_cast<int>(model.regions.size() - 1);
  regionEnd = static_cast<unsigned>(model.nodes.size() + 1 + pick(4));
}

// The end

/// A scalar of f32 that depends on all of `value`.
unsigned ModelBuilder::scalarOf(unsigned value) {
  if (isBatched(value))
    return classLoss(value, "mp.softmax_cross_entropy");
  value = castTo(value, "f32");
  std::string dimensions;
  for (unsigned i = 0; i < typeOf(value).shape.size(); ++i)
    dimensions += (i ? ", " : "") + std::to_string(i);
  if (dimensions.empty())
    return value;
  return add(std::string(pick(2) ? "mp.reduce_mean" : "mp.reduce_sum") + " $0 dimensions [" + dimensions +
                 "] : {0} -> {r}",
             {bounded(value, 4)}, {{}, "f32"}, 4 * static_cast<double>(countOf(typeOf(value).shape)));
}

RandomModel ModelBuilder::finish() {
  region = -1;
  std::vector<bool> isRead(model.values.size());
  for (const Node &node : model.nodes)
    for (unsigned operand : node.operands)
      isRead[operand] = true;
  // A step computes what its loss and states need: the loss is of all ends, and of one that has a gradient.
  std::vector<unsigned> ends;
  std::optional<unsigned> last, loss;
  for (unsigned value = 0; value < isRead.size(); ++value) {
    if (!typeOf(value).isFloat())
      continue;
    if (depends[value])
      last = value;
    if (!isRead[value] && countOf(typeOf(value).shape) <= kMostElements)
      ends.push_back(value);
  }
  if (std::ranges::find(ends, *last) == ends.end())
    ends.push_back(*last);
  for (unsigned end : ends) {
    const unsigned next = scalarOf(end);
    loss = loss ? add("mp.add $0, $1 : {0}, {1} -> {r}", {*loss, next}, {{}, "f32"}, 1) : next;
  }
  model.loss = *loss;
  for (const Argument &argument : model.arguments)
    if (argument.role == Role::State)
      for (unsigned value = 0; value < model.values.size(); ++value)
        if (value != argument.value && typeOf(value) == typeOf(argument.value) && pick(2)) {
          model.next.emplace_back(argument.value, value);
          break;
        }
  const unsigned share = 1 + pick(4); // every value, or fewer
  for (const Node &node : model.nodes)
    if (node.result != model.loss && !combines[node.result] && pick(share) == 0)
      model.outputs.push_back(node.result);
  model.probesAll = pick(3) == 0;
  addSettings();
  model.eraseUnused();
  return std::move(model);
}

void ModelBuilder::addSettings() {
  auto choose = [&](const char *name, std::initializer_list<const char *> values) {
    model.settings.emplace_back(name, values.begin()[pick(values.size())]);
  };
  if (usesBF16)
    choose("policy", {"mixed_bfloat16", "pytorch"});
  else
    choose("policy", {"float32", "mixed_float16", "mixed_float16", "pytorch", "tensorflow"});
  if (usesBF16 && model.settings.back().second == "pytorch")
    model.settings.emplace_back("type", "bf16");
  model.settings.emplace_back("batch-size", std::to_string(model.sizes.front()));
  choose("optimizer",
         {"sgd", "sgd:momentum=0.9", "sgd:momentum=0.9,nesterov=true,weight-decay=0.1", "adam", "adam:epsilon=0.1",
          "adamw:weight-decay=0.1", "rmsprop", "rmsprop:centered=true,momentum=0.9,epsilon=0.1",
          "adagrad:learning-rate-decay=0.1", "nadam:epsilon=0.1", "lamb:weight-decay=0.1", "lion:weight-decay=0.1"});
  choose("loss-scale",
         {"auto", "none", "256", "dynamic:init-scale=2^10,growth-interval=1", "dynamic:init-scale=2^30,hysteresis=2"});
  if (pick(4) == 0)
    choose(pick(2) == 0 ? "clip-norm" : pick(2) == 0 ? "clip-parameter-norm" : "clip-value", {"0.1", "100"});
  if (pick(4) == 0)
    model.settings.emplace_back("log-gradient-norm", "true");
  if (pick(4) == 0)
    model.settings.emplace_back("derived-weights", "false");
}
