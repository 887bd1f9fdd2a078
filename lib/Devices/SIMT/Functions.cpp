// What generated code calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Functions.h"

#include <array>

using namespace mp;

/// A function of Functions.h with the signature that generated code knows.
template <void (*function)(const Call &)>
static void entry(SimulatorContext *context, const SimulatorSite *site, const void *operands, void *results) {
  function({*static_cast<SimulatedThread *>(context), site, operands, results});
}

const SimulatorFunction *mp::simulatorFunctions() {
  static constexpr auto kFunctions = [] {
    std::array<SimulatorFunction, kSimulatorEntries> table{};
    const auto at = [&](SimulatorEntry index) -> SimulatorFunction & { return table[static_cast<size_t>(index)]; };
    at(SimulatorEntry::Barrier) = entry<barrier>;
    at(SimulatorEntry::BarrierArrive) = entry<barrierArrive>;
    at(SimulatorEntry::SyncWarp) = entry<syncWarp>;
    at(SimulatorEntry::ClusterArrive) = entry<clusterArrive>;
    at(SimulatorEntry::ClusterWait) = entry<clusterWait>;
    at(SimulatorEntry::Sleep) = entry<sleep>;
    at(SimulatorEntry::Shuffle) = entry<shuffle>;
    at(SimulatorEntry::Vote) = entry<vote>;
    at(SimulatorEntry::Elect) = entry<elect>;
    at(SimulatorEntry::Reduce) = entry<reduce>;
    at(SimulatorEntry::LoadMatrix) = entry<loadMatrix>;
    at(SimulatorEntry::StoreMatrix) = entry<storeMatrix>;
    at(SimulatorEntry::Multiply) = entry<multiply>;
    at(SimulatorEntry::FragmentLoad) = entry<fragmentLoad>;
    at(SimulatorEntry::FragmentStore) = entry<fragmentStore>;
    at(SimulatorEntry::FragmentMultiply) = entry<fragmentMultiply>;
    at(SimulatorEntry::AsyncCopy) = entry<asyncCopy>;
    at(SimulatorEntry::AsyncCommit) = entry<asyncCommit>;
    at(SimulatorEntry::AsyncWait) = entry<asyncWait>;
    at(SimulatorEntry::ConvertTF32) = entry<convertTF32>;
    at(SimulatorEntry::Narrow) = entry<narrow>;
    at(SimulatorEntry::Load) = entry<load>;
    at(SimulatorEntry::Store) = entry<store>;
    at(SimulatorEntry::Atomic) = entry<atomic>;
    return table;
  }();
  return kFunctions.data();
}
