// A model that can be cut down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with its sizes as symbols, so that they can shrink, and its ops in a list, so that they can go.

#ifndef MP_TEST_RANDOMMODELS_MODEL_H
#define MP_TEST_RANDOMMODELS_MODEL_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mp {

/// The product of some of a model's free sizes, by number and in ascending order; without any it is 1.
using Size = std::vector<unsigned>;

/// A tensor of the model.
struct ValueType {
  std::vector<Size> shape;
  std::string element;

  bool isFloat() const { return element == "f32" || element == "f16" || element == "bf16"; }
  bool operator==(const ValueType &) const = default;
};

/// What an argument is. A label is below the size `classes`; there is one Rng at most.
enum class Role { Input, Label, Parameter, State, Rng };

struct Argument {
  Role role;
  unsigned value; ///< its number among the values
  Size classes = {};
};

/// One op. In its text $i is operand i, {i} its type, {i*d} that with twice the elements in dimension d, {i#d} how many
/// it has there, {r} the result's type, {E} a constant's elements. Further results, which nothing reads, come before
/// the op: ", %mean$r = mp.op ...". An op that it alone reads comes before it, too: "mp.op ...; mp.op $p ...".
struct Node {
  std::string text;
  std::vector<unsigned> operands;
  unsigned result;
  int region = -1; ///< the region that it stands in, or none
};

/// How a model is compiled, as mp-run's flags: ("policy", "float32").
using Settings = std::vector<std::pair<std::string, std::string>>;

struct RandomModel {
  std::vector<int64_t> sizes; ///< by number; size 0 is the batch
  bool isOpen = false;        ///< whether the batch is written as `?`
  std::vector<ValueType> values;
  std::vector<Argument> arguments;
  std::vector<Node> nodes;
  std::vector<std::string> regions;                ///< " enabled = false"
  std::vector<unsigned> outputs;                   ///< values
  std::vector<std::pair<unsigned, unsigned>> next; ///< argument that is a state, and its next value
  unsigned loss = 0;                               ///< a value
  Settings settings;
  bool probesAll = false; ///< whether the step that is compiled returns every value that it makes

  int64_t sizeOf(const Size &size) const;
  int64_t elements(unsigned value) const;
  /// "tensor<?x5xf32>"; with twice the elements in dimension `doubled`.
  std::string typeOf(unsigned value, int doubled = -1) const;

  /// The text of the model; in `inF64` every float is f64 and no region is left.
  std::string text(bool inF64 = false) const;
  /// The flags of mp-run that compile it as `settings` say.
  std::string flags() const;

  /// Erases nodes and arguments that no result needs.
  void eraseUnused();
};

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_MODEL_H
