// Code of a blob, loaded on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Module.h"

#include <iterator>

using namespace mp;
using namespace mp::cuda;
using namespace mp::executable;

/// The assembler's lines as one, without what could fool a terminal.
static std::string oneLine(std::string_view log) {
  std::string line;
  for (char c : log.substr(0, log.find('\0'))) {
    if (c == '\n')
      line += " | ";
    else
      line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '|'))
    line.pop_back();
  return line;
}

ErrorOr<std::shared_ptr<Module>> Module::load(std::shared_ptr<Context> context, std::span<const std::byte> code,
                                              BlobKind kind) {
  const Driver &driver = context->driver;
  // The driver reads PTX up to a 0.
  std::string image(reinterpret_cast<const char *>(code.data()), code.size());
  std::string log(8192, '\0');
  JitOption options[] = {JitOption::ErrorLog, JitOption::ErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  std::shared_ptr<Module> module(new Module(std::move(context)));
  unsigned optionCount = kind == BlobKind::PTX ? std::size(options) : 0;
  Status loaded = driver.call(driver.moduleLoadDataEx, &module->handle, static_cast<const void *>(image.data()),
                              optionCount, +options, +values);
  if (loaded.ok())
    return module;
  module->handle = nullptr;
  std::string said = oneLine(log);
  return said.empty() ? loaded : makeError(loaded.message(), "; the assembler says: ", said);
}

Module::~Module() {
  if (!handle)
    return;
  Current current(*context);
  (void)context->driver.call(context->driver.moduleUnload, handle);
}

ErrorOr<FunctionHandle> Module::find(const LaunchT &launch) const {
  const Driver &driver = context->driver;
  FunctionHandle function = nullptr;
  if (Status found = driver.call(driver.moduleGetFunction, &function, handle, launch.symbol.c_str()); !found.ok())
    return found.in("symbol '" + launch.symbol + "'");
  if (launch.shared_bytes > kFreeSharedBytes)
    if (Status allowed = driver.call(driver.funcSetAttribute, function, FunctionAttribute::MaxDynamicSharedBytes,
                                     static_cast<int>(launch.shared_bytes));
        !allowed.ok())
      return allowed;
  if (launch.cluster > kPortableCluster)
    if (Status allowed = driver.call(driver.funcSetAttribute, function, FunctionAttribute::NonPortableCluster, 1);
        !allowed.ok())
      return allowed;
  return function;
}
