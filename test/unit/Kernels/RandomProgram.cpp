// Programs that no one would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/RandomProgram.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

namespace {

using Shape = std::vector<int64_t>;

struct Value {
  std::string name;
  Shape shape;
  std::string element;

  std::string type() const {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  bool isFloat() const { return element[0] == 'f'; }
  int64_t elements() const { return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()); }
};

std::optional<Shape> broadcast(const Shape &a, const Shape &b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    result[result.size() - 1 - i] = std::max(x, y);
  }
  return result;
}

class Writer {
public:
  explicit Writer(unsigned seed)
      : random(seed), rows(seed % 6 == 1 || seed % 6 == 2 ? 1 : 6), columns(seed % 6 < 2 ? 1 : 4) {}

  std::string write(unsigned ops) {
    addArguments();
    for (unsigned i = 0; i < ops; ++i)
      addOp();
    return finish();
  }

private:
  unsigned pick(unsigned count) { return random() % count; }

  template <typename Predicate> const Value *find(Predicate predicate) {
    std::vector<const Value *> fitting;
    for (const Value &value : values)
      if (predicate(value))
        fitting.push_back(&value);
    if (fitting.empty())
      return nullptr;
    // Recent values are taken more often, so that chains grow.
    size_t window = pick(2) ? std::min<size_t>(fitting.size(), 4) : fitting.size();
    return fitting[fitting.size() - 1 - pick(window)];
  }

  Value fresh(Shape shape, std::string element) {
    return {"%v" + std::to_string(count++), std::move(shape), std::move(element)};
  }

  void emit(const Value &result, const std::string &text) {
    body += "  " + result.name + " = " + text + "\n";
    values.push_back(result);
  }

  void addArguments() {
    // One of the shapes has as many rows as columns, so that a row could be taken for a column.
    auto input = [&](std::string name, Shape shape, std::string element) {
      values.push_back({"%" + name, shape, element});
      arguments.push_back(values.back().name + ": " + values.back().type() + " {mp.input = \"" + name + "\"}");
    };
    auto state = [&](std::string name, Shape shape, std::string element) {
      values.push_back({"%" + name, shape, element});
      states.push_back(values.back());
      arguments.push_back(values.back().name + ": " + values.back().type() + " {mp.state = \"" + name +
                          "\", mp.initializer = #mp.zeros}");
    };
    input("x", {rows, columns}, "f32");
    input("y", {columns, columns}, "f16");
    input("c", {columns}, "f32");
    input("u", {rows, columns}, "ui8");
    state("w", {columns, columns}, "f32");
    state("m", {columns, columns}, "f32");
    state("b", {rows}, "f32");
    state("s", {}, "f32");
    state("k", {}, "i64");
    state("rng", {2}, "i64");
    values.pop_back(); // (seed, step) is for random ops only
  }

  void addOp() {
    switch (pick(16)) {
    case 0:
      return unary();
    case 1:
    case 2:
    case 3:
      return binary();
    case 4:
    case 5:
      return cast();
    case 6:
      return matmul();
    case 7:
    case 8:
      return reduce();
    case 9:
      return softmax();
    case 10:
      return move();
    case 11:
      return select();
    case 12:
      return constant();
    case 13:
      return dropout();
    case 14:
      return composite();
    case 15:
      return optimizer();
    }
  }

  void unary() {
    const Value *x = find([](const Value &value) { return value.isFloat(); });
    static const char *const names[] = {"relu", "exp", "sqrt"};
    Value from = *x, result = fresh(from.shape, from.element);
    emit(result, std::string("mp.") + names[pick(3)] + " " + from.name + " : " + from.type());
  }

  void binary() {
    Value a = *find([](const Value &value) { return value.element != "ui8" && value.element != "i1"; });
    Value b = *find([&](const Value &value) { return value.element == a.element && broadcast(a.shape, value.shape); });
    if (pick(2))
      std::swap(a, b);
    static const char *const names[] = {"add", "sub", "mul", "max"};
    Value result = fresh(*broadcast(a.shape, b.shape), a.element);
    emit(result, std::string("mp.") + names[pick(4)] + " " + a.name + ", " + b.name + " : " + a.type() + ", " +
                     b.type() + " -> " + result.type());
  }

  void cast() {
    Value x = *find([](const Value &) { return true; });
    static const char *const elements[] = {"f32", "f16", "f32", "i32"};
    Value result = fresh(x.shape, elements[pick(4)]);
    emit(result, "mp.cast " + x.name + " : " + x.type() + " -> " + result.type());
  }

  void matmul() {
    const Value *a = find([](const Value &value) { return value.isFloat() && value.shape.size() == 2; });
    if (!a)
      return;
    bool transposeLhs = pick(3) == 0, transposeRhs = pick(3) == 0;
    int64_t m = a->shape[transposeLhs], k = a->shape[!transposeLhs];
    Value lhs = *a;
    const Value *b = find([&](const Value &value) {
      return value.element == lhs.element && value.shape.size() == 2 && value.shape[transposeRhs] == k;
    });
    if (!b)
      return;
    Value rhs = *b, result = fresh({m, rhs.shape[!transposeRhs]}, lhs.element);
    emit(result, "mp.matmul " + lhs.name + ", " + rhs.name + (transposeLhs ? " transpose_lhs" : "") +
                     (transposeRhs ? " transpose_rhs" : "") + " acc f32 : " + lhs.type() + ", " + rhs.type() + " -> " +
                     result.type());
  }

  void reduce() {
    const Value *found = find([](const Value &value) { return value.isFloat() && !value.shape.empty(); });
    Value x = *found;
    if (pick(6) == 0) {
      unsigned dimension = pick(x.shape.size());
      Shape shape = x.shape;
      shape.erase(shape.begin() + dimension);
      Value result = fresh(shape, "i32");
      return emit(result, "mp.argmax " + x.name + " dimension " + std::to_string(dimension) + " : " + x.type() +
                              " -> " + result.type());
    }
    static const char *const names[] = {"reduce_sum", "reduce_mean", "reduce_max"};
    bool keep = pick(2);
    unsigned only = pick(x.shape.size() + 1);
    Shape shape;
    std::string dimensions;
    for (unsigned i = 0; i < x.shape.size(); ++i) {
      bool reduced = only == x.shape.size() || only == i;
      if (reduced)
        dimensions += (dimensions.empty() ? "" : ", ") + std::to_string(i);
      if (!reduced || keep)
        shape.push_back(reduced ? 1 : x.shape[i]);
    }
    Value result = fresh(shape, x.element);
    emit(result, std::string("mp.") + names[pick(3)] + " " + x.name + " dimensions [" + dimensions + "]" +
                     (keep ? " keep_dims" : "") + " : " + x.type() + " -> " + result.type());
  }

  void softmax() {
    Value x = *find([](const Value &value) { return value.isFloat() && !value.shape.empty(); });
    Value result = fresh(x.shape, x.element);
    emit(result, "mp.softmax " + x.name + " : " + x.type());
  }

  void move() {
    Value x = *find([](const Value &value) { return value.elements() == 1 || !value.shape.empty(); });
    if (x.shape.size() == 2 && pick(2)) {
      Value result = fresh({x.shape[1], x.shape[0]}, x.element);
      return emit(result, "mp.transpose " + x.name + " permutation [1, 0] : " + x.type() + " -> " + result.type());
    }
    Shape shape = {x.elements()};
    if (x.elements() == 1 && !x.shape.empty() && pick(2))
      shape = {};
    else if (x.elements() % columns == 0 && pick(2))
      shape = {x.elements() / columns, columns};
    else if (pick(2))
      shape.push_back(1);
    if (shape == x.shape) {
      Shape larger = shape;
      larger.insert(larger.begin(), 2);
      Value result = fresh(larger, x.element);
      return emit(result, "mp.broadcast " + x.name + " : " + x.type() + " -> " + result.type());
    }
    Value result = fresh(shape, x.element);
    emit(result, "mp.reshape " + x.name + " : " + x.type() + " -> " + result.type());
  }

  void select() {
    Value a = *find([](const Value &value) { return value.element != "i1"; });
    Value b = *find([&](const Value &value) { return value.element == a.element && broadcast(a.shape, value.shape); });
    Value flag = fresh(*broadcast(a.shape, b.shape), "i1"), result = fresh(flag.shape, a.element);
    emit(flag, "mp.compare gt " + a.name + ", " + b.name + " : " + a.type() + ", " + b.type() + " -> " + flag.type());
    emit(result, "mp.select " + flag.name + ", " + a.name + ", " + b.name + " : " + flag.type() + ", " + a.type() +
                     ", " + b.type() + " -> " + result.type());
  }

  void constant() {
    const Shape shapes[] = {{}, {columns}, {rows, 1}, {columns, columns}};
    switch (pick(3)) {
    case 0: {
      Value result = fresh(shapes[pick(4)], pick(2) ? "f32" : "f16");
      return emit(result, "mp.constant dense<0.75> : " + result.type());
    }
    case 1: {
      Value result = fresh({columns}, "f32");
      const std::string elements = columns == 4 ? "[0.5, -1.5, 2.0, 0.25]" : "[0.5]";
      return emit(result, "mp.constant dense<" + elements + "> : " + result.type());
    }
    default: {
      Value result = fresh({rows, columns}, "f32");
      return emit(result, "mp.iota dimension " + std::to_string(pick(2)) + " -> " + result.type());
    }
    }
  }

  void dropout() {
    Value x = *find([](const Value &value) { return value.isFloat(); });
    Value result = fresh(x.shape, x.element);
    emit(result,
         "mp.dropout " + x.name + ", %rng {rate = 0.5, stream = " + std::to_string(pick(3)) + "} : " + x.type());
  }

  void composite() {
    auto isGradient = [](const Value &value) { return value.element == "f32"; };
    Value a = *find(isGradient), b = *find(isGradient);
    std::string both = a.name + ", " + b.name, types = a.type() + ", " + b.type();
    Value flag = fresh({}, "i32");
    switch (pick(3)) {
    case 0:
      return emit(flag, "mp.check_finite " + both + " {names = [\"a\", \"b\"]} : " + types);
    case 1: {
      Value norm = fresh({}, "f32");
      return emit(norm, "mp.global_norm " + both + " : " + types);
    }
    default: {
      std::string group = "%u" + std::to_string(count++);
      body += "  " + group + ":2, " + flag.name + " = mp.unscale " + both +
              " by %s {names = [\"a\", \"b\"]} : " + types + "\n";
      values.push_back(flag);
      values.push_back({group + "#0", a.shape, "f32"});
      values.push_back({group + "#1", b.shape, "f32"});
    }
    }
  }

  void optimizer() {
    const Value *gradient = find([&](const Value &value) { return value.type() == states.front().type(); });
    const Value *guard = find([](const Value &value) { return value.element == "i32" && value.shape.empty(); });
    std::string tail = (guard ? " guard " + guard->name : "") + " : " + states.front().type();
    std::string group = "%o" + std::to_string(count++);
    body += "  " + group + ":3 = mp.adam %w, " + gradient->name + ", %m, %m, %s, %k" + tail + "\n";
    for (int i = 0; i < 3; ++i)
      values.push_back({group + "#" + std::to_string(i), {columns, columns}, "f32"});
  }

  std::string finish() {
    std::vector<std::string> results, returned, types;
    auto add = [&](const Value &value, const std::string &role) {
      results.push_back(value.type() + " {" + role + "}");
      returned.push_back(value.name);
      types.push_back(value.type());
    };
    for (const Value &state : states) {
      if (pick(4) == 0)
        continue;
      if (const Value *next = find([&](const Value &value) { return value.type() == state.type(); }))
        add(*next, "mp.next = \"" + state.name.substr(1) + "\"");
    }
    for (unsigned i = 0; i < 5; ++i)
      add(*find([](const Value &) { return true; }), "mp.output = \"o" + std::to_string(i) + "\"");
    auto join = [](const std::vector<std::string> &parts) {
      std::string text;
      for (const std::string &part : parts)
        text += (text.empty() ? "" : ", ") + part;
      return text;
    };
    return "func.func @f(" + join(arguments) + ")\n    -> (" + join(results) +
           ") attributes {mp.program = \"apply\"} {\n" + body + "  return " + join(returned) + " : " + join(types) +
           "\n}\n";
  }

  std::mt19937 random;
  const int64_t rows, columns; ///< one of them or both 1 in half of the programs
  std::vector<Value> values, states;
  std::vector<std::string> arguments;
  std::string body;
  unsigned count = 0;
};

} // namespace

std::string mp::test::randomProgram(unsigned seed, unsigned ops) { return Writer(seed).write(ops); }
