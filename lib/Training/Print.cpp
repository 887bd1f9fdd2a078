// Devices and executables, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/Text.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Training/Infer.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <ostream>
#include <set>

using namespace mp;
using namespace mp::executable;

void mp::printDevices(std::ostream &out, const DeviceOptions &options) {
  for (const std::string &name : presentDevices()) {
    ErrorOr<std::unique_ptr<Device>> device = createDevice(name, options);
    if (!device) {
      out << name << ": " << device.message() << '\n';
      continue;
    }
    const DeviceDescription &self = (*device)->description();
    out << self.name << ": " << self.model << "\n  runs target " << self.target << " on " << self.units
        << " units\n  memory " << formatBytes(self.memoryBytes) << "\n  features";
    for (const std::string &feature : self.features)
      out << ' ' << feature;
    out << (self.features.empty() ? " none" : "");
    if (!self.refused.empty())
      out << "\n  refused by the operating system";
    for (const std::string &feature : self.refused)
      out << ' ' << feature;
    out << "\n  multiplies in";
    for (const MatrixUnit &unit : self.matrixUnits)
      out << ' ' << elementName(unit.operands) << "->" << elementName(unit.accumulator) << " (" << unit.instruction
          << ')';
    out << (self.matrixUnits.empty() ? " software" : "") << '\n';
  }
}

static void printState(const ExecutableT &table, std::ostream &out) {
  uint64_t bytes = 0;
  for (const auto &entry : table.state)
    bytes += byteCount(*entry->type).value_or(0);
  out << "state: " << table.state.size() << " entries, " << formatBytes(bytes) << '\n';
  for (const auto &entry : table.state)
    out << "  " << entry->name << ' ' << typeName(*entry->type) << ' ' << EnumNameStateRole(entry->role)
        << (entry->saved ? "" : ", not saved") << (entry->values >= 0 ? ", stored" : "") << '\n';
}

/// "cpu avx512, sse2; nvptx sm_80"
static std::string listCode(const ExecutableT &table) {
  std::map<std::string, std::vector<std::string>> machines; // of each target, as they come
  for (const auto &program : table.programs)
    for (const auto &variant : program->variants) {
      std::vector<std::string> &known = machines[variant->target];
      auto needs = [&](std::string_view feature) { return std::ranges::count(variant->features, feature) > 0; };
      if (variant->features.empty())
        continue;
      const std::string name =
          targetFormat(variant->target).isGPU ? variant->features.front() : std::string(highestCPULevel(needs).name);
      if (!std::ranges::count(known, name))
        known.push_back(name);
    }
  std::string text;
  for (const auto &[target, known] : machines) {
    text += (text.empty() ? "" : "; ") + target;
    for (const std::string &name : known)
      text += (&name == &known.front() ? " " : ", ") + name;
  }
  return text;
}

/// The batches of the programs that have some, "none" for programs of fixed sizes.
static std::string listBatches(const ExecutableT &table) {
  std::set<int64_t> batches;
  for (const auto &program : table.programs)
    for (const auto &variant : program->variants)
      if (std::ranges::any_of(variant->arguments, [](const auto &argument) { return argument->batched; }))
        batches.insert(variant->batch);
  std::string text;
  for (int64_t batch : batches)
    text += (text.empty() ? "" : ", ") + std::to_string(batch);
  return text.empty() ? "none, sizes are fixed" : text;
}

/// What of the state the file has values of.
static std::string describeWeights(const ExecutableT &table) {
  uint64_t bytes = 0;
  size_t count = 0;
  for (const auto &entry : table.state)
    if (entry->values >= 0) {
      bytes += byteCount(*entry->type).value_or(0);
      ++count;
    }
  if (count == 0)
    return "none, state starts from its initializers";
  return std::to_string(count) + (count == 1 ? " state, " : " states, ") + formatBytes(bytes);
}

/// How many kernels there are, and which types the ops compute in.
static void printStatistics(const StatisticsT &statistics, std::ostream &out) {
  if (statistics.kernels != 0) // the evaluator runs op by op
    out << ", " << statistics.kernels << " kernels";
  out << "\n    ops by type";
  for (const auto &row : statistics.ops_by_type)
    out << ' ' << row->type << ':' << row->count;
  out << ", " << statistics.casts << " casts";
}

static void printVariant(const VariantT &variant, std::ostream &out) {
  out << "  for " << variant.target << ", batch " << variant.batch << ", " << variant.commands.size()
      << " commands, arena " << formatBytes(variant.arena_bytes);
  if (variant.statistics && variant.statistics->peak_bytes)
    out << ", peak " << formatBytes(variant.statistics->peak_bytes);
  if (variant.statistics)
    printStatistics(*variant.statistics, out);
  out << "\n    needs";
  for (const std::string &feature : variant.features)
    out << ' ' << feature;
  out << (variant.features.empty() ? " nothing" : "") << '\n';
  for (const auto &argument : variant.arguments)
    if (argument->kind != ArgumentKind::State)
      out << "    takes " << argument->name << ' ' << typeName(*argument->type) << (argument->label ? ", label" : "")
          << '\n';
  for (const auto &result : variant.results)
    if (result->kind != ResultKind::Next)
      out << "    gives " << result->name << ' ' << typeName(*result->type) << ", " << EnumNameResultKind(result->kind)
          << '\n';
}

void mp::printExecutable(const ExecutableT &table, std::ostream &out) {
  out << "model " << table.model << ", policy " << table.policy << ", made by " << table.producer << '\n';
  out << "code for " << listCode(table) << "\nbatch sizes " << listBatches(table)
      << "\nweights in the file: " << describeWeights(table) << '\n';
  printState(table, out);
  for (const auto &program : table.programs) {
    out << "program " << program->name << '\n';
    for (const auto &variant : program->variants)
      printVariant(*variant, out);
  }
  for (const auto &pair : table.metadata)
    out << pair->key << " = " << pair->value << '\n';
}
