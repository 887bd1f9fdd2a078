// An NVIDIA GPU as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Devices/CUDA/CUDADevice.h"
#include "Devices/CUDA/CUDAStamp.h"
#include "Devices/CUDA/CUDAVariant.h"
#include "Devices/CUDA/Memory.h"

#include <cstring>
#include <map>
#include <set>

using namespace mp;
using namespace mp::cuda;
using namespace mp::executable;

namespace {

class CUDADevice final : public Device {
public:
  CUDADevice(std::shared_ptr<Context> context, const DeviceOptions &options)
      : context(std::move(context)), allowNative(options.allowNative), onlyChip(options.chip) {}

  const DeviceDescription &description() const override { return context->gpu.description; }
  Status canRun(const LoadedExecutable &file, const VariantT &variant) const override;
  double preference(const VariantT &variant) const override;

  ErrorOr<std::unique_ptr<DeviceMemory>> allocate(uint64_t bytes, MemoryKind kind) override;
  Status upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) override;
  Status download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) override;
  ErrorOr<std::unique_ptr<LoadedVariant>> load(const LoadedExecutable &file, const ProgramT &program,
                                               const VariantT &variant) override;
  QueuePoint mark() override;
  Status wait(QueuePoint point) override;
  ErrorOr<std::unique_ptr<TimeStamp>> stamp() override;

private:
  Status canRunCode(const LoadedExecutable &file, const VariantT &variant, const Capability &chip) const;
  ErrorOr<std::shared_ptr<Module>> moduleOf(const LoadedExecutable &file, uint32_t blob);

  std::shared_ptr<Context> context;
  bool allowNative;
  std::string onlyChip; // empty for any
  /// By the code's address, which is another's only after all variants of this one are gone.
  std::map<const std::byte *, std::weak_ptr<Module>> modules;
};

} // namespace

/// The chip that a variant was made for.
static std::optional<Capability> chipOf(const VariantT &variant) {
  return variant.features.size() == 1 ? parseChip(variant.features.front()) : std::nullopt;
}

/// Whether the driver reads the code of every launch, and a block has the shared memory.
Status CUDADevice::canRunCode(const LoadedExecutable &file, const VariantT &variant, const Capability &chip) const {
  std::set<uint32_t> checked;
  for (const std::unique_ptr<CommandT> &command : variant.commands) {
    const LaunchT *launch = command->what.AsLaunch();
    if (!launch)
      continue;
    if (launch->shared_bytes > context->gpu.sharedBytes)
      return makeError("kernel ", launch->kernel, " needs ", launch->shared_bytes,
                       " bytes of shared memory, a block on ", context->name(), " has ", context->gpu.sharedBytes);
    if (!checked.insert(launch->blob).second)
      continue;
    if (file.table.blobs[launch->blob]->kind == BlobKind::PTX) {
      std::span<const std::byte> code = file.blob(launch->blob);
      const std::string_view text(reinterpret_cast<const char *>(code.data()), code.size());
      if (Status read = checkDriverForPTX(text, context->driver.version()); !read.ok())
        return read;
    } else if (!chip.cubinRunsOn(context->gpu.capability)) {
      return makeError("a cubin for ", variant.features.front(), ", which does not run on compute capability ",
                       formatCapability(context->gpu.capability), ", that of device ", description().name, " (",
                       description().model, ")");
    }
  }
  return Status::success();
}

Status CUDADevice::canRun(const LoadedExecutable &file, const VariantT &variant) const {
  const DeviceDescription &self = description();
  if (variant.target != self.target)
    return makeError("made for target ", variant.target, ", device ", self.name, " runs target ", self.target);
  if (!allowNative)
    return makeError("has native code, which ", FlagName{"no-native"}, " refuses");
  std::optional<Capability> chip = ::chipOf(variant);
  if (!chip)
    return makeError("does not name a chip");
  if (!onlyChip.empty() && variant.features.front() != onlyChip)
    return makeError("made for ", variant.features.front(), "; ", FlagName{"chip"}, "=", onlyChip,
                     " asks for code for that chip only");
  if (chip->runsOn(context->gpu.capability))
    return canRunCode(file, variant, *chip);
  return makeError("needs ", variant.features.front(), ", device ", self.name, " (", self.model, ") runs code for ",
                   self.features.front(), chip->suffix ? "" : " and older chips");
}

double CUDADevice::preference(const VariantT &variant) const {
  std::optional<Capability> chip = ::chipOf(variant);
  return chip ? chip->rank() : 0;
}

ErrorOr<std::unique_ptr<DeviceMemory>> CUDADevice::allocate(uint64_t bytes, MemoryKind kind) {
  ErrorOr<std::unique_ptr<Memory>> block = Memory::allocate(context, bytes, kind);
  if (!block)
    return block.status().in(context->name());
  return std::unique_ptr<DeviceMemory>(std::move(*block));
}

/// Whether a transfer lies within a block.
static Status checkRange(const DeviceMemory &block, uint64_t offset, uint64_t bytes, const char *what) {
  if (offset > block.size() || bytes > block.size() - offset)
    return makeError(what, " of ", bytes, " bytes at ", offset, ", outside of a block of ", block.size());
  return Status::success();
}

Status CUDADevice::upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) {
  if (Status inside = checkRange(destination, offset, source.size(), "upload"); !inside.ok())
    return inside;
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  auto &block = static_cast<Memory &>(destination);
  return context->queue().upload(block.devicePointer() + offset, source, block.lastUse).in(context->name());
}

Status CUDADevice::download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) {
  if (Status inside = checkRange(source, offset, destination.size(), "download"); !inside.ok())
    return inside;
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  const auto &block = static_cast<const Memory &>(source);
  return context->queue()
      .download(destination.data(), block.devicePointer() + offset, destination.size())
      .in(context->name());
}

ErrorOr<std::shared_ptr<Module>> CUDADevice::moduleOf(const LoadedExecutable &file, uint32_t blob) {
  std::span<const std::byte> code = file.blob(blob);
  std::weak_ptr<Module> &known = modules[code.data()];
  if (std::shared_ptr<Module> module = known.lock())
    return module;
  ErrorOr<std::shared_ptr<Module>> module = Module::load(context, code, file.table.blobs[blob]->kind);
  if (module)
    known = *module;
  return module;
}

ErrorOr<std::unique_ptr<LoadedVariant>> CUDADevice::load(const LoadedExecutable &file, const ProgramT &program,
                                                         const VariantT &variant) {
  Status able = canRun(file, variant);
  if (!able.ok())
    return able.in("program " + program.name);
  ErrorOr<std::unique_ptr<LoadedVariant>> loaded =
      loadCUDAVariant(context, file, variant, [&](uint32_t blob) { return moduleOf(file, blob); });
  if (!loaded)
    return loaded.status().in("program " + program.name).in(context->name());
  return loaded;
}

QueuePoint CUDADevice::mark() {
  Current current(*context);
  if (!current.status().ok())
    context->queue().fail(current.status());
  return context->queue().mark();
}

Status CUDADevice::wait(QueuePoint point) {
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  return context->queue().wait(point).in(context->name());
}

ErrorOr<std::unique_ptr<TimeStamp>> CUDADevice::stamp() {
  ErrorOr<std::unique_ptr<TimeStamp>> made = recordStamp(context);
  if (!made)
    return made.status().in(context->name());
  return made;
}

ErrorOr<std::unique_ptr<Device>> mp::createCUDADevice(const DeviceOptions &options, const std::string &library) {
  ErrorOr<const Driver *> driver = Driver::open(library);
  if (!driver)
    return driver.status();
  ErrorOr<unsigned> count = countGPUs(**driver);
  if (!count)
    return count.status();
  if (options.ordinal >= *count)
    return makeError("no GPU ", options.ordinal, ", this machine has ", *count);
  ErrorOr<GPU> gpu = describeGPU(**driver, options.ordinal);
  if (!gpu)
    return gpu.status();
  ErrorOr<std::shared_ptr<Context>> context = Context::create(**driver, std::move(*gpu));
  if (!context)
    return context.status().in("cuda:" + std::to_string(options.ordinal));
  return std::unique_ptr<Device>(std::make_unique<CUDADevice>(std::move(*context), options));
}

unsigned mp::countCUDADevices(const std::string &library) {
  ErrorOr<const Driver *> driver = Driver::open(library);
  ErrorOr<unsigned> count = driver ? countGPUs(**driver) : ErrorOr<unsigned>(driver.status());
  return count ? *count : 0;
}

void mp::registerCUDADevice(const std::string &library) {
  registerDevice(
      "cuda", [library](const DeviceOptions &options) { return createCUDADevice(options, library); },
      [library] { return countCUDADevices(library); });
}
