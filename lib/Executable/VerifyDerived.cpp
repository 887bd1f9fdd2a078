// Who makes, reads and writes derived state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs read derived state as if it were its parameter, so it never differs from it: program `derive` makes it from
// parameters alone, and who writes a parameter writes what is derived of it. The variants for one target and set of
// features belong together: a session runs those, and of derived state has what they make.

#include "Executable/Verify.h"

#include "mp/Base/Names.h"

#include <set>
#include <tuple>

using namespace mp;
using namespace mp::executable;
using namespace mp::verify;

namespace {

using NameSet = std::set<std::string>;
/// Target and features.
using Machine = std::tuple<std::string, std::vector<std::string>>;

class DerivedState {
public:
  DerivedState(const ExecutableT &table, const StateIndex &state) : table(table), state(state) {}

  Status check();

private:
  static Machine machineOf(const VariantT &variant) { return {variant.target, variant.features}; }
  const StateEntryT &entryOf(const std::string &name) const { return *table.state[state.at(name)]; }
  bool isDerived(const std::string &name) const { return entryOf(name).role == StateRole::Derived; }

  Status checkDerive(const VariantT &variant);
  Status checkOther(const VariantT &variant);

  const ExecutableT &table;
  const StateIndex &state;
  std::map<Machine, NameSet> made;
};

} // namespace

static NameSet nextStates(const VariantT &variant) {
  NameSet names;
  for (const auto &result : variant.results)
    if (result->kind == ResultKind::Next)
      names.insert(result->name);
  return names;
}

/// The runtime runs `derive` with nothing but state, before anything else has run.
Status DerivedState::checkDerive(const VariantT &variant) {
  for (const auto &argument : variant.arguments)
    if (argument->kind != ArgumentKind::State || entryOf(argument->name).role != StateRole::Parameter)
      return makeError("argument ", quoted(argument->name), " is not a parameter");
  for (const auto &result : variant.results)
    if (result->kind != ResultKind::Next || !isDerived(result->name))
      return makeError("result ", quoted(result->name), " is not derived state");
  NameSet names = nextStates(variant);
  auto [known, isNew] = made.try_emplace(machineOf(variant), names);
  return isNew || known->second == names ? Status::success()
                                         : makeError("makes other state than a variant for the same features");
}

/// What is read is made, and who writes a parameter writes what is derived of it.
Status DerivedState::checkOther(const VariantT &variant) {
  const NameSet &own = made[machineOf(variant)], written = nextStates(variant);
  for (const auto &argument : variant.arguments)
    if (argument->kind == ArgumentKind::State && isDerived(argument->name) && !own.contains(argument->name))
      return makeError("reads ", quoted(argument->name), ", which no variant of 'derive' for its features makes");
  for (const std::string &name : own)
    if (written.contains(entryOf(name).derived_of) && !written.contains(name))
      return makeError("writes ", quoted(entryOf(name).derived_of), ", but not ", quoted(name),
                       ", which is derived of it");
  for (const std::string &name : written)
    if (isDerived(name) && !own.contains(name))
      return makeError("writes ", quoted(name), ", which no variant of 'derive' for its features makes");
  return Status::success();
}

Status DerivedState::check() {
  auto forVariants = [&](bool ofDerive, auto checkOne) {
    for (const auto &program : table.programs)
      for (size_t i = 0; (program->name == programs::derive) == ofDerive && i < program->variants.size(); ++i)
        if (Status status = (this->*checkOne)(*program->variants[i]); !status.ok())
          return status.in("variant " + std::to_string(i)).in("program " + quoted(program->name));
    return Status::success();
  };
  if (Status status = forVariants(true, &DerivedState::checkDerive); !status.ok())
    return status;
  NameSet all;
  for (const auto &[machine, names] : made)
    all.insert(names.begin(), names.end());
  for (const auto &entry : table.state)
    if (entry->role == StateRole::Derived && !all.contains(entry->name))
      return makeError("state ", quoted(entry->name), ": no program 'derive' makes it");
  return forVariants(false, &DerivedState::checkOther);
}

Status verify::checkDerivedState(const ExecutableT &table, const StateIndex &state) {
  return DerivedState(table, state).check();
}
