// Who writes derived state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs read derived state as if it were its parameter, so it never differs from it: program `derive` makes all of
// it from parameters alone, and who writes a parameter writes what is derived of it.

#include "Executable/Verify.h"

#include "mp/Base/Names.h"

#include <set>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

static std::set<std::string> nextStates(const VariantT &variant) {
  std::set<std::string> names;
  for (const auto &result : variant.results)
    if (result->kind == ResultKind::Next)
      names.insert(result->name);
  return names;
}

/// The runtime runs `derive` with nothing but state, before anything else has run.
static Status checkDerive(const ExecutableT &table, const StateIndex &state, const VariantT &variant) {
  for (const auto &argument : variant.arguments)
    if (argument->kind != ArgumentKind::State || table.state[state.at(argument->name)]->role != StateRole::Parameter)
      return makeError("argument ", quoted(argument->name), " is not a parameter");
  for (const auto &result : variant.results)
    if (result->kind != ResultKind::Next || table.state[state.at(result->name)]->role != StateRole::Derived)
      return makeError("result ", quoted(result->name), " is not derived state");
  return Status::success();
}

/// Who writes a parameter writes what is derived of it.
static Status checkWrites(const ExecutableT &table, const VariantT &variant) {
  std::set<std::string> written = nextStates(variant);
  for (const auto &entry : table.state)
    if (entry->role == StateRole::Derived && written.contains(entry->derived_of) && !written.contains(entry->name))
      return makeError("writes ", quoted(entry->derived_of), ", but not ", quoted(entry->name),
                       ", which is derived of it");
  return Status::success();
}

Status verify::checkDerivedState(const ExecutableT &table, const StateIndex &state) {
  std::set<std::string> made;
  for (const auto &program : table.programs) {
    // The variants of a program have the same names.
    const VariantT &variant = *program->variants.front();
    const bool isDerive = program->name == programs::derive;
    Status status = isDerive ? checkDerive(table, state, variant) : checkWrites(table, variant);
    if (!status.ok())
      return status.in("program " + quoted(program->name));
    if (isDerive)
      made = nextStates(variant);
  }
  for (const auto &entry : table.state)
    if (entry->role == StateRole::Derived && !made.contains(entry->name))
      return makeError("state ", quoted(entry->name), ": no program 'derive' makes it");
  return Status::success();
}
