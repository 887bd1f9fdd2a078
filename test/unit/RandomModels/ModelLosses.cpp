// Losses of a model at random.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/ModelBuilder.h"

using namespace mp;

unsigned ModelBuilder::classLoss(unsigned value, const std::string &op) {
  const bool hasClasses = countOf({typeOf(value).shape.back()}) != 0;
  value = bounded(hasClasses ? value : addArgument(Role::Parameter, {{Size()}, "f32"}), 20);
  std::vector<Size> rows = typeOf(value).shape;
  if (isBatched(value) && rows.size() == 1) {
    rows.push_back(Size());
    value = add("mp.reshape $0 : {0} -> {r}", {value}, {rows, typeOf(value).element}, boundOf(value));
  }
  const Size classes = rows.back();
  rows.pop_back();
  if (op == "mp.cross_entropy") {
    value = castTo(value, "f32");
    value = add("mp.softmax $0 : {0}", {value}, typeOf(value), 1);
  } else if (op != "mp.softmax_cross_entropy") {
    value = add("mp.log_softmax $0 : {0}", {value}, typeOf(value), 50);
  }
  const bool hasLabels = op == "mp.nll_loss" || (op != "mp.kl_div" && pick(3) != 0);
  std::vector<unsigned> operands = {value, hasLabels ? labelsOf(rows, classes) : probabilitiesLike(value)};
  std::string weights;
  if (pick(3) == 0) {
    unsigned each = addArgument(Role::Input, {rows, "f32"});
    operands.push_back(positive(each));
    weights = "weights $2 : {2} ";
  }
  const bool mayBeSmoothed = op == "mp.softmax_cross_entropy" || op == "mp.cross_entropy";
  const std::string smoothing = mayBeSmoothed && pick(3) == 0 ? "{label_smoothing = 0.125 : f64} " : "";
  return add(op + " $0, $1 " + weights + smoothing + ": {0}, {1} -> {r}", operands, {{}, "f32"}, 100);
}

unsigned ModelBuilder::labelsOf(const std::vector<Size> &rows, const Size &classes) {
  static const char *const kLabels[] = {"i32", "i64", "ui8"};
  return addArgument(Role::Label, {rows, kLabels[pick(3)]}, classes);
}

unsigned ModelBuilder::probabilitiesLike(unsigned value) {
  const ValueType type = typeOf(value);
  const unsigned logits = castTo(addArgument(Role::Input, {type.shape, "f32"}), type.element);
  return add("mp.softmax $0 : {0}", {logits}, type, 1);
}

unsigned ModelBuilder::cosine(unsigned value) {
  value = bounded(value, 20);
  ValueType type = typeOf(value);
  if (countOf({type.shape.back()}) == 0 || (isBatched(value) && type.shape.size() == 1))
    return value;
  const unsigned other = castTo(addArgument(Role::Input, {type.shape, "f32"}), type.element);
  type.shape.pop_back();
  return add("mp.cosine_similarity $0, $1 {epsilon = 0.01 : f64} : {0}, {1} -> {r}", {value, other}, type, 1);
}

unsigned ModelBuilder::elementLoss(unsigned value, const std::string &op) {
  const bool isOfProbabilities = op == "mp.binary_cross_entropy";
  value = bounded(isOfProbabilities ? castTo(value, "f32") : value, 8);
  if (isOfProbabilities)
    value = add("mp.sigmoid $0 : {0}", {value}, typeOf(value), 1);
  const ValueType type = typeOf(value);
  if (countOf(type.shape) == 0)
    return value;
  const unsigned target =
      isBatched(value) ? castTo(addArgument(Role::Input, {type.shape, "f32"}), type.element) : factorOf(type);
  std::vector<unsigned> operands = {value, target};
  std::string weights;
  if (pick(3) == 0) {
    operands.push_back(positive(addArgument(Role::Input, {{type.shape.front()}, "f32"})));
    weights = "weights $2 : {2} ";
  }
  const std::string delta = op == "mp.huber_loss" && pick(2) ? "{delta = 0.25 : f64} " : "";
  return add(op + " $0, $1 " + weights + delta + ": {0}, {1} -> {r}", operands, {{}, "f32"}, 300);
}
