// Uses of attention and its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/AttentionCases.h"

using namespace mp;

namespace {

/// One attention: its sizes, each followed by "x".
struct Use {
  std::string name, batch, heads, groups, queries, keys, depth, columns;
  bool isCausal = false;
  std::string mask = "", attributes = "";
  bool large = false;
};

const std::string kDrops = "{rate = 0.4 : f64, stream = 3 : i64} ";

// The sizes of one kind differ, so that none stands for another.
const Use kUses[] = {
    {"heads", "2x", "3x", "3x", "4x", "5x", "6x", "7x"},
    {"grouped queries", "2x", "4x", "2x", "3x", "5x", "6x", "7x"},
    {"one head of keys", "1x", "3x", "1x", "4x", "5x", "2x", "6x"},
    {"one key", "2x", "3x", "3x", "4x", "1x", "5x", "6x"},
    {"causal", "2x", "3x", "3x", "5x", "5x", "4x", "6x", true},
    {"causal, grouped queries, scale", "1x", "4x", "2x", "5x", "5x", "3x", "6x", true, "", "{scale = 0.7 : f64} "},
    {"mask of i1", "2x", "3x", "3x", "4x", "5x", "6x", "7x", false, "4x5xi1"},
    {"mask of keys", "2x", "3x", "3x", "4x", "5x", "6x", "7x", false, "2x1x1x5xi1"},
    // Of a query without keys, as some of these are, lse is no number that differences are made of.
    {"mask of queries", "2x", "3x", "3x", "4x", "5x", "6x", "7x", false, "2x1x4x1xi1", "", true},
    {"added mask", "2x", "4x", "2x", "3x", "5x", "6x", "7x", false, "4x3x5x$T"},
    {"added mask of sums", "2x", "3x", "3x", "4x", "5x", "6x", "7x", false, "2x3x4x5x$A"},
    {"added mask of queries", "2x", "3x", "3x", "4x", "5x", "6x", "7x", false, "3x4x1x$A"},
    {"causal, mask", "2x", "3x", "3x", "5x", "5x", "4x", "6x", true, "2x1x1x5xi1", "", true},
    {"dropout", "2x", "4x", "2x", "3x", "5x", "6x", "7x", false, "", kDrops},
    {"dropout, causal, mask", "2x", "3x", "3x", "5x", "5x", "4x", "6x", true, "5x5x$A", kDrops},
    {"several blocks", "1x", "2x", "1x", "150x", "270x", "24x", "40x", false, "", "", true},
    {"several blocks, causal", "1x", "2x", "2x", "200x", "200x", "16x", "32x", true, "", "", true},
    {"several blocks, mask", "1x", "2x", "1x", "70x", "150x", "33x", "17x", false, "2x70x150xi1", "", true},
    {"several blocks, added mask", "2x", "1x", "1x", "65x", "129x", "19x", "48x", false, "2x1x1x129x$A", "", true},
    {"blocks that end early", "3x", "2x", "2x", "28x", "28x", "16x", "16x", true, "", "", true},
};

void add(std::vector<OpCase> &cases, const Use &of, bool isGradient) {
  const std::string start = of.batch + of.heads + of.queries, ofKeys = of.batch + of.groups + of.keys;
  const std::string result = start + of.columns + "$T", lse = start + "$A";
  std::vector<Operand> operands = {{start + of.depth + "$T"}, {ofKeys + of.depth + "$T"}, {ofKeys + of.columns + "$T"}};
  std::vector<std::string> results = {result, lse};
  std::string text = "mp.attention %0, %1, %2", types = "{0}, {1}, {2}";
  if (isGradient) {
    results = {operands[0].type, operands[1].type, operands[2].type};
    operands.insert(operands.end(), {{lse, Fill::Positive}, {result}, {lse}});
    text = "mp.attention_grad %0, %1, %2, %3, %4, %5";
    types += ", {3}, {4}";
  }
  text += of.isCausal ? " causal" : "";
  if (!of.mask.empty()) {
    const std::string number = std::to_string(operands.size());
    text += " mask %" + number + " : {" + number + "}";
    operands.push_back({of.mask, of.mask.ends_with("i1") ? Fill::Flags : Fill::Signed});
  }
  if (of.attributes == kDrops) {
    text += " rng %" + std::to_string(operands.size());
    operands.push_back({"2xi64", Fill::Rng});
  }
  cases.push_back({isGradient ? "mp.attention_grad" : "mp.attention", of.name, operands, results,
                   text + " " + of.attributes + ": " + types, of.large});
}

} // namespace

void mp::addAttention(std::vector<OpCase> &cases) {
  for (bool isGradient : {false, true})
    for (const Use &of : kUses)
      add(cases, of, isGradient);
}
