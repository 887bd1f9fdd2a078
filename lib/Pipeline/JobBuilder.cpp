// Programs to an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/JobBuilder.h"

#include "Pipeline/Signature.h"

#include "mp/Base/Names.h"
#include "mp/Base/Text.h"
#include "mp/Base/Version.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace mp {

using namespace executable;

/// What people call the model: the module's own name, or the stem of the file that it was read from.
static std::string nameOf(ModuleOp module) {
  if (std::optional<StringRef> name = module.getSymName())
    return name->str();
  auto file = module.getLoc()->findInstanceOf<FileLineColLoc>();
  return file ? llvm::sys::path::stem(file.getFilename().getValue()).str() : "";
}

JobBuilder::JobBuilder(ModuleOp module, StringRef policy) {
  table.version = kExecutableVersion;
  table.producer = kProducer;
  table.model = printable(nameOf(module), kLongestLabel);
  table.policy = printable(policy, kLongestLabel);
  addClasses(module);
}

void JobBuilder::addClasses(ModuleOp module) {
  llvm::StringSet<> known;
  for (auto func : module.getOps<func::FuncOp>())
    for (unsigned index = 0; getProgramKind(func) && index < func.getNumArguments(); ++index) {
      auto classes = func.getArgAttrOfType<IntegerAttr>(index, names::classes);
      const StringRef label = getArgumentName(func, index);
      if (!classes || !known.insert(label).second)
        continue;
      addMetadata(metadata::classesOf(label), std::to_string(classes.getInt()));
      if (auto ignored = func.getArgAttrOfType<IntegerAttr>(index, names::ignoredLabel))
        addMetadata(metadata::ignoredOf(label), std::to_string(ignored.getInt()));
    }
}

void JobBuilder::addMetadata(StringRef key, const std::string &value) {
  auto row = std::make_unique<KeyValueT>();
  row->key = key.str();
  row->value = value;
  table.metadata.push_back(std::move(row));
}

uint32_t JobBuilder::addBlob(BlobKind kind, std::vector<std::byte> bytes) {
  auto blob = std::make_unique<BlobT>();
  blob->kind = kind;
  table.blobs.push_back(std::move(blob));
  blobs.push_back(std::move(bytes));
  return blobs.size() - 1;
}

LogicalResult JobBuilder::addState(func::FuncOp func) {
  for (StateEntryT &entry : translateState(func)) {
    auto [row, isNew] = stateRows.try_emplace(entry.name, table.state.size());
    if (isNew) {
      table.state.push_back(std::make_unique<StateEntryT>(std::move(entry)));
      continue;
    }
    const StateEntryT &known = *table.state[row->second];
    BlockArgument argument = findState(func, entry.name);
    Location where = argument ? argument.getLoc() : func.getLoc();
    if (*known.type != *entry.type)
      return emitError(where, "state \"") << entry.name << "\" is " << typeName(*entry.type) << " here, "
                                          << typeName(*known.type) << " in another program";
    if (known.derived_of != entry.derived_of)
      return emitError(where, "state \"") << entry.name << "\" is derived of a parameter in one program alone";
  }
  return success();
}

FailureOr<VariantT *> JobBuilder::addVariant(func::FuncOp func, StringRef target) {
  if (failed(addState(func)))
    return failure();
  std::string name = stringifyProgramKind(*getProgramKind(func)).str();
  auto row = llvm::find_if(table.programs, [&](const auto &program) { return program->name == name; });
  if (row == table.programs.end()) {
    auto program = std::make_unique<ProgramT>();
    program->name = name;
    row = table.programs.insert(table.programs.end(), std::move(program));
  }
  auto variant = std::make_unique<VariantT>();
  variant->target = target.str();
  if (auto batch = func->getAttrOfType<IntegerAttr>(names::batch))
    variant->batch = batch.getInt();
  variant->arguments = translateArguments(func);
  variant->results = translateResults(func);
  variant->statistics = translateStatistics(func);
  (*row)->variants.push_back(std::move(variant));
  return (*row)->variants.back().get();
}

} // namespace mp
