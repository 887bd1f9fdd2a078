// A launch plan, run on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/CUDAVariant.h"
#include "Devices/CUDA/GraphCache.h"
#include "Devices/CUDA/Memory.h"
#include "mp/Runtime/Core/PlanMemory.h"

#include <map>

using namespace mp;
using namespace mp::cuda;
using namespace mp::executable;

namespace {

class CUDAVariant final : public LoadedVariant {
public:
  CUDAVariant(std::shared_ptr<Context> context, const VariantT &variant)
      : context(std::move(context)), driver(this->context->driver), variant(variant), planMemory(variant),
        graphs(driver) {}
  ~CUDAVariant() override;

  Status makeMemory(const LoadedExecutable &file);
  Status loadCode(const ModuleSource &source);
  Status enqueue(const Bindings &bindings) override;
  uint64_t residentBytes() const override {
    return arena->size() + (constants ? constants->size() : 0) + graphs.residentBytes();
  }

private:
  /// A command with its kernel, if it is a launch.
  struct Step {
    const CommandT *command;
    FunctionHandle kernel = nullptr;
    size_t firstPointer = 0; // in the list of pointers, if the kernel's buffers are there
  };

  Status collect(const Bindings &bindings);
  ErrorOr<std::unique_ptr<Memory>> makePointers(const Bindings &bindings) const;
  Status issue(const Bindings &bindings, const Memory *pointers) const;
  Status launch(const LaunchT &launch, const Step &step, const Bindings &bindings, const Memory *list) const;
  Status copy(const CopyT &copy, const Bindings &bindings) const;
  Status fill(const FillT &fill, const Bindings &bindings) const;
  DevicePointer pointer(const BufferSlice &slice, const Bindings &bindings) const {
    return reinterpret_cast<DevicePointer>(planMemory.resolve(slice, bindings));
  }

  std::shared_ptr<Context> context;
  const Driver &driver;
  const VariantT &variant;
  std::unique_ptr<Memory> arena;
  std::unique_ptr<Memory> constants;
  PlanMemory planMemory;
  std::map<uint32_t, std::shared_ptr<Module>> modules;
  std::vector<Step> steps;
  size_t pointersInMemory = 0;
  GraphCache graphs;
  // Of the run that is put into the queue.
  std::vector<Memory *> blocks;
  std::vector<DevicePointer> addresses;
};

} // namespace

CUDAVariant::~CUDAVariant() {
  Current current(*context);
  (void)context->queue().drain();
  graphs.release();
}

Status CUDAVariant::makeMemory(const LoadedExecutable &file) {
  ErrorOr<std::unique_ptr<Memory>> block = Memory::allocate(context, variant.arena_bytes, MemoryKind::Device);
  if (!block)
    return block.status().in("arena");
  arena = std::move(*block);
  if (variant.constants >= 0) {
    std::span<const std::byte> bytes = file.blob(static_cast<size_t>(variant.constants));
    block = Memory::allocate(context, bytes.size(), MemoryKind::Device);
    if (!block)
      return block.status().in("constants");
    constants = std::move(*block);
    if (Status uploaded = context->queue().upload(constants->devicePointer(), bytes, 0); !uploaded.ok())
      return uploaded.in("constants");
  }
  planMemory.setOwn(arena->address(), constants ? constants->address() : nullptr);
  return Status::success();
}

Status CUDAVariant::loadCode(const ModuleSource &source) {
  for (const std::unique_ptr<CommandT> &command : variant.commands) {
    Step step{command.get()};
    if (const LaunchT *launch = command->what.AsLaunch()) {
      std::shared_ptr<Module> &module = modules[launch->blob];
      if (!module) {
        ErrorOr<std::shared_ptr<Module>> loaded = source(launch->blob);
        if (!loaded)
          return loaded.status();
        module = *loaded;
      }
      ErrorOr<FunctionHandle> kernel = module->find(*launch);
      if (!kernel)
        return kernel.status().in("kernel " + launch->kernel);
      step.kernel = *kernel;
      step.firstPointer = pointersInMemory;
      // Each list begins at a multiple of 64 bytes.
      constexpr size_t kGranule = kAlignment / sizeof(DevicePointer);
      if (launch->buffers_in_memory)
        pointersInMemory += (launch->buffers.size() + kGranule - 1) / kGranule * kGranule;
    }
    steps.push_back(step);
  }
  return Status::success();
}

// Commands

/// The pointers of all launches whose buffers are in memory, or null where there are none.
ErrorOr<std::unique_ptr<Memory>> CUDAVariant::makePointers(const Bindings &bindings) const {
  if (pointersInMemory == 0)
    return std::unique_ptr<Memory>();
  std::vector<DevicePointer> pointers(pointersInMemory);
  for (const Step &step : steps)
    if (const LaunchT *launch = step.command->what.AsLaunch(); launch && launch->buffers_in_memory)
      for (size_t i = 0; i < launch->buffers.size(); ++i)
        pointers[step.firstPointer + i] = pointer(launch->buffers[i].slice(), bindings);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(pointers));
  ErrorOr<std::unique_ptr<Memory>> list = Memory::allocate(context, bytes.size(), MemoryKind::Device);
  if (!list)
    return list.status().in("pointers of buffers");
  if (Status uploaded = context->queue().upload((*list)->devicePointer(), bytes, 0); !uploaded.ok())
    return uploaded.in("pointers of buffers");
  return list;
}

Status CUDAVariant::launch(const LaunchT &launch, const Step &step, const Bindings &bindings,
                           const Memory *list) const {
  std::vector<DevicePointer> pointers;
  if (launch.buffers_in_memory)
    pointers.push_back(list->devicePointer() + step.firstPointer * sizeof(DevicePointer));
  else
    for (const Buffer &buffer : launch.buffers)
      pointers.push_back(pointer(buffer.slice(), bindings));
  std::vector<void *> parameters;
  for (DevicePointer &pointer : pointers)
    parameters.push_back(&pointer);

  LaunchAttribute cluster{};
  cluster.id = LaunchAttribute::kClusterDimension;
  cluster.cluster = {launch.cluster, 1, 1};
  LaunchConfig config{static_cast<unsigned>(launch.grid),
                      1,
                      1,
                      launch.threads,
                      1,
                      1,
                      launch.shared_bytes,
                      context->queue().work(),
                      &cluster,
                      launch.cluster > 1 ? 1u : 0u};
  return driver.call(driver.launchKernelEx, &config, step.kernel, parameters.data(), static_cast<void **>(nullptr))
      .in("kernel " + launch.kernel);
}

Status CUDAVariant::copy(const CopyT &copy, const Bindings &bindings) const {
  if (copy.source->bytes() == 0)
    return Status::success();
  return driver.call(driver.memcpyAsync, pointer(*copy.destination, bindings), pointer(*copy.source, bindings),
                     copy.source->bytes(), context->queue().work());
}

Status CUDAVariant::fill(const FillT &fill, const Bindings &bindings) const {
  uint64_t count = fill.destination->bytes() / fill.pattern_bytes;
  if (count == 0)
    return Status::success();
  DevicePointer to = pointer(*fill.destination, bindings);
  StreamHandle stream = context->queue().work();
  uint32_t low = static_cast<uint32_t>(fill.pattern);
  uint32_t high = static_cast<uint32_t>(fill.pattern >> 32);
  switch (fill.pattern_bytes) {
  case 1:
    return driver.call(driver.memsetD8Async, to, static_cast<unsigned char>(low), count, stream);
  case 2:
    return driver.call(driver.memsetD16Async, to, static_cast<unsigned short>(low), count, stream);
  case 4:
    return driver.call(driver.memsetD32Async, to, low, count, stream);
  }
  if (low == high)
    return driver.call(driver.memsetD32Async, to, low, 2 * count, stream);
  // Each half of the pattern is a column of a matrix with 8 bytes a row.
  if (Status filled = driver.call(driver.memsetD2D32Async, to, size_t(8), low, size_t(1), count, stream); !filled.ok())
    return filled;
  return driver.call(driver.memsetD2D32Async, to + 4, size_t(8), high, size_t(1), count, stream);
}

Status CUDAVariant::issue(const Bindings &bindings, const Memory *pointers) const {
  for (const Step &step : steps) {
    Status issued;
    if (const LaunchT *command = step.command->what.AsLaunch())
      issued = launch(*command, step, bindings, pointers);
    else if (const CopyT *command = step.command->what.AsCopy())
      issued = copy(*command, bindings);
    else if (const FillT *command = step.command->what.AsFill())
      issued = fill(*command, bindings);
    if (!issued.ok())
      return issued;
  }
  return Status::success();
}

// Runs

/// Notes the blocks of a run and their addresses, which are all that a graph depends on.
Status CUDAVariant::collect(const Bindings &bindings) {
  blocks.clear();
  addresses.clear();
  for (std::span<DeviceMemory *const> list : {bindings.state, bindings.arguments, bindings.results})
    for (DeviceMemory *block : list) {
      auto *memory = dynamic_cast<Memory *>(block);
      if (block && (!memory || &memory->owner() != context.get()))
        return makeError("bound to memory of another device than ", context->name());
      addresses.push_back(memory ? memory->devicePointer() : 0);
      if (memory)
        blocks.push_back(memory);
    }
  return Status::success();
}

Status CUDAVariant::enqueue(const Bindings &bindings) {
  if (Status bound = planMemory.check(bindings); !bound.ok())
    return bound;
  if (steps.empty())
    return Status::success();
  if (Status collected = collect(bindings); !collected.ok())
    return collected;
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  Queue &queue = context->queue();
  ErrorOr<GraphExecHandle> graph = graphs.get(
      addresses, queue.work(), [&] { return makePointers(bindings); },
      [&](const Memory *pointers) { return issue(bindings, pointers); });
  if (!graph)
    return graph.status();
  if (Status joined = queue.join(); !joined.ok())
    return joined;
  if (Status launched = driver.call(driver.graphLaunch, *graph, queue.work()); !launched.ok())
    return launched;
  ErrorOr<QueuePoint> point = queue.endRun();
  if (!point) {
    // Nothing would say when the run is over.
    (void)queue.drain();
    return point.status();
  }
  for (Memory *block : blocks)
    block->lastUse = *point;
  return Status::success();
}

ErrorOr<std::unique_ptr<LoadedVariant>> cuda::loadCUDAVariant(std::shared_ptr<Context> context,
                                                              const LoadedExecutable &file, const VariantT &variant,
                                                              const ModuleSource &modules) {
  auto loaded = std::make_unique<CUDAVariant>(context, variant);
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  if (Status made = loaded->makeMemory(file); !made.ok())
    return made;
  if (Status code = loaded->loadCode(modules); !code.ok())
    return code;
  return std::unique_ptr<LoadedVariant>(std::move(loaded));
}
