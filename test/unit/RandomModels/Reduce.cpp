// A smaller model that is wrong in the same way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Reduce.h"

#include <algorithm>

using namespace mp;

namespace {

class Reducer {
public:
  Reducer(RandomModel model, const std::function<bool(const RandomModel &)> &stillFails, unsigned attempts)
      : model(std::move(model)), stillFails(stillFails), attempts(attempts) {}

  RandomModel reduce() {
    bool changed = true;
    while (attempts > 0 && changed) {
      changed = dropResults();
      changed |= dropOps();
      changed |= dropSettings();
      changed |= shrinkSizes();
    }
    return model;
  }

private:
  /// Takes over the changed model if it fails as the model does.
  bool attempt(RandomModel changed) {
    if (attempts == 0)
      return false;
    --attempts;
    changed.eraseUnused();
    if (!stillFails(changed))
      return false;
    model = std::move(changed);
    return true;
  }

  /// Erases each entry of a list that is not needed, halves of it first.
  template <typename List> bool dropFrom(List RandomModel::*list) {
    bool changed = false;
    for (size_t part = (model.*list).size(); part > 0; part /= 2)
      for (size_t first = 0; first < (model.*list).size();) {
        RandomModel smaller = model;
        auto begin = (smaller.*list).begin() + first;
        (smaller.*list).erase(begin, begin + std::min(part, (smaller.*list).size() - first));
        if (attempt(std::move(smaller)))
          changed = true;
        else
          first += part;
      }
    return changed;
  }

  bool dropResults() {
    bool changed = dropFrom(&RandomModel::outputs);
    changed |= dropFrom(&RandomModel::next);
    return changed;
  }
  bool dropSettings() { return dropFrom(&RandomModel::settings); }

  static void replaceValue(RandomModel &changed, unsigned value, unsigned by) {
    auto replace = [&](unsigned &each) { each = each == value ? by : each; };
    for (Node &node : changed.nodes)
      std::ranges::for_each(node.operands, replace);
    std::ranges::for_each(changed.outputs, replace);
    for (auto &[state, next] : changed.next)
      replace(next);
    replace(changed.loss);
  }

  /// Puts an operand of its type, a parameter or an input in the place of each op, the last first.
  bool dropOps() {
    bool changed = false;
    for (size_t index = model.nodes.size(); index-- > 0;) {
      if (index >= model.nodes.size())
        continue;
      const Node node = model.nodes[index];
      if (node.region >= 0) {
        RandomModel flat = model;
        flat.nodes[index].region = -1;
        changed |= attempt(std::move(flat));
        if (index >= model.nodes.size())
          continue;
      }
      changed |= dropOp(node);
    }
    return changed;
  }

  bool dropOp(const Node &node) {
    for (unsigned operand : node.operands)
      if (model.values[operand] == model.values[node.result]) {
        RandomModel without = model;
        replaceValue(without, node.result, operand);
        if (attempt(std::move(without)))
          return true;
      }
    if (model.values[node.result].element != "f32" || node.operands.empty())
      return false;
    for (Role role : {Role::Input, Role::Parameter}) {
      RandomModel without = model;
      const auto argument = static_cast<unsigned>(without.values.size());
      without.values.push_back(model.values[node.result]);
      without.arguments.push_back({role, argument});
      replaceValue(without, node.result, argument);
      if (attempt(std::move(without)))
        return true;
    }
    return false;
  }

  bool shrinkSizes() {
    bool changed = false;
    for (size_t size = 0; size < model.sizes.size(); ++size)
      for (int64_t to : {int64_t(1), model.sizes[size] / 2, model.sizes[size] - 1}) {
        if (to < 1 || to >= model.sizes[size])
          continue;
        RandomModel smaller = model;
        smaller.sizes[size] = to;
        if (size == 0)
          for (auto &[name, value] : smaller.settings)
            if (name == "batch-size")
              value = std::to_string(to);
        changed |= attempt(std::move(smaller));
      }
    if (model.isOpen) {
      RandomModel closed = model;
      closed.isOpen = false;
      changed |= attempt(std::move(closed));
    }
    return changed;
  }

  RandomModel model;
  const std::function<bool(const RandomModel &)> &stillFails;
  unsigned attempts;
};

} // namespace

RandomModel mp::reduceModel(RandomModel model, const std::function<bool(const RandomModel &)> &stillFails,
                            unsigned attempts) {
  return Reducer(std::move(model), stillFails, attempts).reduce();
}
