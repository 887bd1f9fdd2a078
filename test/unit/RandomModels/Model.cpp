// A model as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Model.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

using namespace mp;

int64_t RandomModel::sizeOf(const Size &size) const {
  int64_t product = 1;
  for (unsigned number : size)
    product *= sizes[number];
  return product;
}

int64_t RandomModel::elements(unsigned value) const {
  int64_t count = 1;
  for (const Size &size : values[value].shape)
    count *= sizeOf(size);
  return count;
}

std::string RandomModel::typeOf(unsigned value, int doubled) const {
  std::string text = "tensor<";
  for (int dimension = 0; const Size &size : values[value].shape) {
    const int64_t count = (dimension++ == doubled ? 2 : 1) * sizeOf(size);
    text += (isOpen && !size.empty() && size.front() == 0 ? "?" : std::to_string(count)) + "x";
  }
  return text + values[value].element + ">";
}

std::string RandomModel::flags() const {
  std::string text;
  for (const auto &[name, value] : settings)
    text += " --" + name + "=" + value;
  return text;
}

void RandomModel::eraseUnused() {
  std::set<unsigned> used(outputs.begin(), outputs.end());
  used.insert(loss);
  for (auto [state, value] : next)
    used.insert({state, value});
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
    if (used.contains(node->result))
      used.insert(node->operands.begin(), node->operands.end());
  std::erase_if(nodes, [&](const Node &node) { return !used.contains(node.result); });
  std::erase_if(arguments, [&](const Argument &argument) { return !used.contains(argument.value); });
}

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

static std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

namespace {

class Printer {
public:
  Printer(const RandomModel &model, bool hasRegions) : model(model), hasRegions(hasRegions) {}

  std::string print() {
    std::vector<std::string> arguments, results, types;
    for (const Argument &argument : model.arguments)
      arguments.push_back(signature(argument));
    for (size_t first = 0; first < model.nodes.size();)
      first = printFrom(first);
    std::vector<std::string> roles;
    for (const auto &[value, role] : resultRoles()) {
      results.push_back(name(value));
      types.push_back(model.typeOf(value));
      roles.push_back(model.typeOf(value) + " {" + role + "}");
    }
    return "func.func @model(" + joined(arguments) + ")\n    -> (" + joined(roles) +
           ") attributes {mp.program = \"model\"} {\n" + body + "  return " + joined(results) + " : " + joined(types) +
           "\n}\n";
  }

private:
  std::string name(unsigned value) const {
    auto known = yielded.find(value);
    return known == yielded.end() ? "%" + std::to_string(value) : known->second;
  }

  std::string signature(const Argument &argument) const {
    const std::string number = std::to_string(argument.value), quoted = "\"v" + number + "\"";
    std::string text = "%" + number + ": " + model.typeOf(argument.value) + " {";
    switch (argument.role) {
    case Role::Input:
      return text + "mp.input = " + quoted + "}";
    case Role::Label: // the name says to whoever fills it how many classes there are
      return text + "mp.input = \"v" + number + "_below_" + std::to_string(model.sizeOf(argument.classes)) + "\"}";
    case Role::Parameter:
      return text + "mp.parameter = " + quoted +
             ", mp.initializer = #mp.uniform<low = -1.0 : f64, high = 1.0 : f64, seed = " + number + ">}";
    case Role::State:
      return text + "mp.state = " + quoted + ", mp.initializer = #mp.constant<0.5 : f64>}";
    case Role::Rng:
      return text + "mp.state = \"rng\"}";
    }
    return text;
  }

  std::vector<std::pair<unsigned, std::string>> resultRoles() const {
    std::vector<std::pair<unsigned, std::string>> roles = {{model.loss, "mp.loss"}};
    for (size_t i = 0; i < model.outputs.size(); ++i)
      roles.emplace_back(model.outputs[i], "mp.output = \"o" + std::to_string(i) + "\"");
    for (auto [state, value] : model.next)
      roles.emplace_back(value, "mp.next = \"v" + std::to_string(state) + "\"");
    return roles;
  }

  std::string statement(const Node &node) const {
    std::string text = node.text, before;
    if (const size_t end = text.find("; "); end != std::string::npos) {
      const std::string name = "%before" + std::to_string(node.result);
      before = name + " = " + substitute(node, text.substr(0, end)) + "\n    ";
      text.erase(0, end + 2);
      replaceAll(text, "$p", name);
    }
    return before + "%" + std::to_string(node.result) + (text.starts_with(",") ? "" : " = ") + substitute(node, text) +
           "\n";
  }

  std::string substitute(const Node &node, std::string text) const {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      replaceAll(text, "$" + std::to_string(i), name(node.operands[i]));
      replaceAll(text, "{" + std::to_string(i) + "}", model.typeOf(node.operands[i]));
      const std::vector<Size> &shape = model.values[node.operands[i]].shape;
      for (size_t d = 0; d < shape.size(); ++d) {
        replaceAll(text, "{" + std::to_string(i) + "*" + std::to_string(d) + "}",
                   model.typeOf(node.operands[i], static_cast<int>(d)));
        replaceAll(text, "{" + std::to_string(i) + "#" + std::to_string(d) + "}",
                   std::to_string(model.sizeOf(shape[d])));
      }
    }
    const std::string type = model.typeOf(node.result), &element = model.values[node.result].element;
    replaceAll(text, "{r}", type);
    replaceAll(text, "{r as i32}", type.substr(0, type.size() - element.size() - 1) + "i32>");
    replaceAll(text, "{E}", elementsOf(node.result));
    if (const std::vector<Size> &shape = model.values[node.result].shape; !shape.empty())
      replaceAll(text, "{channels}", std::to_string(model.sizeOf(shape.back())));
    replaceAll(text, "$r", std::to_string(node.result));
    return text;
  }

  /// Elements that differ, as nested lists.
  std::string elementsOf(unsigned value) const {
    std::vector<std::string> items;
    for (int64_t i = 0; i < model.elements(value); ++i)
      items.push_back(std::to_string((i * 7 + value) % 11 - 5) + ".25");
    const std::vector<Size> &shape = model.values[value].shape;
    for (size_t dimension = shape.size(); dimension-- > 0;) {
      std::vector<std::string> outer;
      const auto size = static_cast<size_t>(model.sizeOf(shape[dimension]));
      for (size_t i = 0; i < items.size(); i += size)
        outer.push_back("[" + joined({items.begin() + i, items.begin() + i + size}) + "]");
      items = std::move(outer);
    }
    return items.empty() ? "" : items.front();
  }

  /// Prints the node `first`, or the region that begins there; returns what follows.
  size_t printFrom(size_t first) {
    const int region = model.nodes[first].region;
    if (region < 0 || !hasRegions) {
      body += "  " + statement(model.nodes[first]);
      return first + 1;
    }
    size_t end = first;
    std::string inside;
    for (; end < model.nodes.size() && model.nodes[end].region == region; ++end)
      inside += "    " + statement(model.nodes[end]);
    std::vector<std::string> values, types;
    std::map<unsigned, std::string> results;
    const std::string group = "%r" + std::to_string(first);
    for (size_t i = first; i < end; ++i)
      if (isReadFrom(end, model.nodes[i].result)) {
        results[model.nodes[i].result] = group + "#" + std::to_string(values.size());
        values.push_back(name(model.nodes[i].result));
        types.push_back(model.typeOf(model.nodes[i].result));
      }
    body += "  " + group + ":" + std::to_string(values.size()) + " = mp.autocast" + model.regions[region] + " -> (" +
            joined(types) + ") {\n" + inside + "    mp.yield " + joined(values) + " : " + joined(types) + "\n  }\n";
    yielded.insert(results.begin(), results.end());
    return end;
  }

  bool isReadFrom(size_t end, unsigned value) const {
    for (size_t i = end; i < model.nodes.size(); ++i)
      if (std::ranges::find(model.nodes[i].operands, value) != model.nodes[i].operands.end())
        return true;
    for (const auto &[result, role] : resultRoles())
      if (result == value)
        return true;
    return false;
  }

  const RandomModel &model;
  const bool hasRegions;
  std::string body;
  std::map<unsigned, std::string> yielded; ///< values of regions as they are called outside
};

} // namespace

std::string RandomModel::text(bool inF64) const {
  const std::string text = Printer(*this, !inF64).print();
  if (!inF64)
    return text;
  const std::string wide = std::regex_replace(text, std::regex("(x|<|acc )(f32|f16|bf16)\\b"), "$1f64");
  // Random numbers are f32 in every model, and cast.
  return std::regex_replace(
      wide, std::regex("((= mp.random_uniform .* -> |= mp.cast %before[0-9]+ : )tensor<[^>]*)f64>"), "$1f32>");
}
