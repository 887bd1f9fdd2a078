// Arguments and results of a variant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Verify.h"

#include <set>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

/// A name that must be a row of the state table of this type.
static Status checkStateReference(const ExecutableT &table, const StateIndex &state, const std::string &name,
                                  const TensorTypeT &type) {
  auto row = state.find(name);
  if (row == state.end())
    return makeError("names no state");
  const TensorTypeT &expected = *table.state[row->second]->type;
  if (type != expected)
    return makeError("is ", typeName(type), ", its state is ", typeName(expected));
  return Status::success();
}

static Status checkArgument(const ExecutableT &table, const StateIndex &state, int64_t batch,
                            const ArgumentT &argument) {
  if (argument.kind > ArgumentKind::MAX)
    return makeError("unknown kind ", static_cast<unsigned>(argument.kind));
  if (Status status = checkType(argument.type); !status.ok())
    return status;
  if (argument.label && argument.kind != ArgumentKind::Input)
    return makeError("only an input can be a label");
  if (argument.kind == ArgumentKind::State)
    return argument.batched ? makeError("state has no batch")
                            : checkStateReference(table, state, argument.name, *argument.type);
  if (argument.batched && batch == 0)
    return makeError("is batched, expected a batch of at least 1, found 0");
  if (argument.batched && (argument.type->shape.empty() || argument.type->shape.front() != batch))
    return makeError("is ", typeName(*argument.type), " and batched, the batch is ", batch);
  if (argument.kind == ArgumentKind::RowWeights && (!argument.batched || argument.type->shape.size() != 1))
    return makeError("row weights are ", typeName(*argument.type), ", expected one value for each row of the batch");
  return Status::success();
}

/// Loss and log are read by the host as one number each, a metric as one number for each row.
static Status checkResult(const ExecutableT &table, const StateIndex &state, const ResultT &result) {
  if (result.kind > ResultKind::MAX)
    return makeError("unknown kind ", static_cast<unsigned>(result.kind));
  if (Status status = checkType(result.type); !status.ok())
    return status;
  size_t rank = result.type->shape.size();
  if (result.batched && rank == 0)
    return makeError("is a scalar and batched");
  if ((result.kind == ResultKind::Loss || result.kind == ResultKind::Log) && rank != 0)
    return makeError(EnumNameResultKind(result.kind), " is ", typeName(*result.type), ", expected a scalar");
  if (result.kind == ResultKind::Metric && rank > 1)
    return makeError("Metric is ", typeName(*result.type), ", expected a value for each row");
  if (!result.names.empty() && result.kind != ResultKind::Log)
    return makeError("only a log has names");
  for (const std::string &name : result.names)
    if (Status status = checkName(name, "log name"); !status.ok())
      return status;
  if (result.kind == ResultKind::Gradient && !state.contains(result.name))
    return makeError("names no state");
  if (result.kind == ResultKind::Next)
    return result.batched ? makeError("state has no batch")
                          : checkStateReference(table, state, result.name, *result.type);
  return Status::success();
}

/// The checks that arguments and results share: there, a name, and no second one of its kind and name.
template <typename T, typename Check>
static Status checkList(const std::vector<std::unique_ptr<T>> &list, const char *what, Check check) {
  std::set<std::pair<unsigned, std::string>> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string where = std::string(what) + " " + std::to_string(i);
    if (!list[i])
      return makeError(where, " is null");
    if (Status status = checkName(list[i]->name, "name"); !status.ok())
      return status.in(where);
    where += " " + quoted(list[i]->name);
    if (!seen.emplace(static_cast<unsigned>(list[i]->kind), list[i]->name).second)
      return makeError(where, " appears twice");
    if (Status status = check(*list[i]); !status.ok())
      return status.in(where);
  }
  return Status::success();
}

Status verify::checkSignature(const ExecutableT &table, const StateIndex &state, const VariantT &variant) {
  if (Status status =
          checkList(variant.arguments, "argument",
                    [&](const ArgumentT &argument) { return checkArgument(table, state, variant.batch, argument); });
      !status.ok())
    return status;
  return checkList(variant.results, "result", [&](const ResultT &result) { return checkResult(table, state, result); });
}

/// Whether two types differ at most in the size of the batch.
static bool sameType(const TensorTypeT &first, const TensorTypeT &other, bool batched) {
  if (first.element != other.element || first.shape.size() != other.shape.size())
    return false;
  for (size_t i = batched ? 1 : 0; i < first.shape.size(); ++i)
    if (first.shape[i] != other.shape[i])
      return false;
  return true;
}

static bool sameFields(const ArgumentT &first, const ArgumentT &other) { return first.label == other.label; }
static bool sameFields(const ResultT &first, const ResultT &other) { return first.names == other.names; }

/// Those of `list` that are not derived state.
template <typename T>
static std::vector<const T *> withoutDerived(const std::vector<std::unique_ptr<T>> &list, const ExecutableT &table,
                                             const StateIndex &state, decltype(T::kind) stateKind) {
  std::vector<const T *> kept;
  for (const auto &own : list)
    if (own->kind != stateKind || table.state[state.at(own->name)]->role != StateRole::Derived)
      kept.push_back(own.get());
  return kept;
}

template <typename T>
static Status checkSameList(const std::vector<const T *> &first, const std::vector<const T *> &other,
                            const char *what) {
  if (first.size() != other.size())
    return makeError(other.size(), " ", what, "s, variant 0 has ", first.size());
  for (size_t i = 0; i < first.size(); ++i) {
    const T &a = *first[i];
    const T &b = *other[i];
    if (a.name != b.name || a.kind != b.kind || a.batched != b.batched || !sameFields(a, b) ||
        !sameType(*a.type, *b.type, a.batched))
      return makeError(what, " ", i, " ", quoted(b.name), ": ", typeName(*b.type), " is not that of variant 0, ",
                       quoted(a.name), ": ", typeName(*a.type));
  }
  return Status::success();
}

Status verify::checkSameSignature(const ExecutableT &table, const StateIndex &state, const VariantT &first,
                                  const VariantT &other) {
  auto check = [&](const auto &a, const auto &b, auto kind, const char *what) {
    return checkSameList(withoutDerived(a, table, state, kind), withoutDerived(b, table, state, kind), what);
  };
  if (Status status = check(first.arguments, other.arguments, ArgumentKind::State, "argument"); !status.ok())
    return status;
  return check(first.results, other.results, ResultKind::Next, "result");
}
