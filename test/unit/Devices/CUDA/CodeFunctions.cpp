// Modules and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Functions.h"

#include <cstring>
#include <map>
#include <string>

using namespace mp::test;

namespace mp::cuda {

/// The kernels of PTX, by ".entry NAME(.param ..., .param ...)".
static std::map<std::string, FunctionObject> readEntries(const std::string &text) {
  std::map<std::string, FunctionObject> functions;
  const std::string entry = ".entry ";
  for (size_t at = text.find(entry); at != std::string::npos; at = text.find(entry, at)) {
    at += entry.size();
    size_t open = text.find('(', at);
    std::string name = text.substr(at, open - at);
    std::string list = text.substr(open, text.find(')', open) - open);
    size_t parameters = 0;
    for (size_t next = list.find(".param"); next != std::string::npos; next = list.find(".param", next + 1))
      ++parameters;
    functions[name] = {name, parameters};
  }
  return functions;
}

/// Whether this GPU runs code for "sm_90a".
static bool runsCodeFor(const std::string &chip, bool isCubin) {
  const StandInSettings &settings = engine().settings;
  const int number = std::stoi(chip.substr(std::strlen("sm_"))), device = 10 * settings.major + settings.minor;
  const bool isAlone = chip.back() == 'a';
  return isAlone ? number == device : number <= device && (!isCubin || number / 10 == settings.major);
}

/// Whether this GPU and driver take a text, ".version 7.8 .target sm_80" or, for a cubin, "cubin sm_80".
static Result checkTarget(const std::string &text) {
  // What every driver that can be opened reads is left out.
  static const std::map<std::string, int> drivers = {{"8.0", 12000}, {"8.6", 12070}, {"8.7", 12080}, {"8.8", 12090}};
  auto wordBehind = [&](const std::string &name) {
    const size_t at = text.find(name);
    return at == std::string::npos
               ? ""
               : text.substr(at + name.size(), text.find_first_of(" ,\n", at + name.size()) - at - name.size());
  };
  if (auto needed = drivers.find(wordBehind(".version ")); needed != drivers.end())
    if (needed->second > engine().settings.version)
      return Result::UnsupportedPTXVersion;
  const std::string chip = wordBehind(".target "), cubin = wordBehind("cubin ");
  const bool isRun = (chip.empty() || runsCodeFor(chip, false)) && (cubin.empty() || runsCodeFor(cubin, true));
  return isRun ? Result::Success : Result::NoBinaryForGPU;
}

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned optionCount, JitOption *options,
                          void **values) {
  ENTER();
  std::string text = static_cast<const char *>(image);
  if (text.find("wrong") != std::string::npos) {
    for (unsigned i = 0; i < optionCount; ++i)
      if (options[i] == JitOption::ErrorLog)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: line 3\n  unexpected 'wrong'\n");
    return Result::InvalidPTX;
  }
  if (Result refused = checkTarget(text); refused != Result::Success)
    return refused;
  engine().made("module", *module = new ModuleObject{readEntries(text)});
  return Result::Success;
}

Result cuModuleUnload(ModuleHandle module) {
  Result result = engine().enter(__func__);
  engine().checkQuiet(__func__);
  if (!engine().gone("module", module))
    return Result::InvalidValue;
  delete module;
  return result;
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  ENTER();
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return Result::NotFound;
  *function = &found->second;
  return Result::Success;
}

Result cuFuncSetAttribute(FunctionHandle, FunctionAttribute which, int value) {
  ENTER();
  engine().calls.back() += "(" + std::to_string(static_cast<int>(which)) + "=" + std::to_string(value) + ")";
  if (which == FunctionAttribute::MaxDynamicSharedBytes && value > engine().settings.sharedBytes)
    return Result::InvalidValue;
  return Result::Success;
}

Result cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **parameters, void **) {
  ENTER();
  std::string &call = engine().calls.back();
  call += "(" + function->name;
  if (config->attributeCount)
    call += ", cluster " + std::to_string(config->attributes->cluster.x);
  call += ")";
  std::vector<void *> buffers;
  for (size_t i = 0; i < function->parameters; ++i)
    buffers.push_back(host(*static_cast<DevicePointer *>(parameters[i])));
  config->stream->add([name = function->name, buffers, grid = uint64_t(config->gridX)] {
    if (engine().lost == Result::Success)
      engine().run(name, buffers, grid);
  });
  return Result::Success;
}

} // namespace mp::cuda
