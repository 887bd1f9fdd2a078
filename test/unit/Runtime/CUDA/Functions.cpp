//===- Functions.cpp - the driver's functions, on the host ----------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

using namespace mp::test;

namespace mp::cuda {

// The declarations are the runtime's own, so that the two cannot differ.
extern "C" {
#define DRIVER_FUNCTION(name, symbol, parameters) __attribute__((visibility("default"))) Result symbol parameters;
#include "CUDA/DriverFunctions.def"
}

// Returns where a call fails, or is made to.
#define ENTER(...)                                                                                                     \
  if (Result failed = engine().enter(__func__ __VA_OPT__(, ) __VA_ARGS__); failed != kSuccess)                         \
  return failed
#define WITHOUT_CONTEXT false

template <typename T> static void *host(T pointer) { return reinterpret_cast<void *>(pointer); }

//===----------------------------------------------------------------------===//
// Driver and devices
//===----------------------------------------------------------------------===//

struct ErrorRow {
  Result result;
  const char *name;
  const char *text;
};

static constexpr ErrorRow kErrors[] = {
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidPTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kStreamCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error"},
    {kUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static const ErrorRow *find(Result result) {
  const ErrorRow *row =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorRow &row) { return row.result == result; });
  return row == std::end(kErrors) ? nullptr : row;
}

Result cuGetErrorName(Result error, const char **name) {
  const ErrorRow *row = find(error);
  *name = row ? row->name : nullptr;
  return row ? kSuccess : kInvalidValue;
}

Result cuGetErrorString(Result error, const char **text) {
  const ErrorRow *row = find(error);
  *text = row ? row->text : nullptr;
  return row ? kSuccess : kInvalidValue;
}

Result cuDriverGetVersion(int *version) {
  *version = engine().settings.version;
  return kSuccess;
}

Result cuInit(unsigned) {
  ENTER(WITHOUT_CONTEXT);
  return engine().settings.devices ? kSuccess : kNoDevice;
}

Result cuDeviceGetCount(int *count) {
  ENTER(WITHOUT_CONTEXT);
  *count = engine().settings.devices;
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  ENTER(WITHOUT_CONTEXT);
  *device = ordinal;
  return ordinal < engine().settings.devices ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetName(char *name, int bytes, DeviceNumber) {
  ENTER(WITHOUT_CONTEXT);
  std::snprintf(name, static_cast<size_t>(bytes), "Stand-in");
  return kSuccess;
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber) {
  ENTER(WITHOUT_CONTEXT);
  *bytes = engine().settings.memory;
  return kSuccess;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute which, DeviceNumber) {
  ENTER(WITHOUT_CONTEXT);
  const StandInSettings &settings = engine().settings;
  const std::map<DeviceAttribute, int> values = {{kMultiprocessors, 108},
                                                 {kCapabilityMajor, settings.major},
                                                 {kCapabilityMinor, settings.minor},
                                                 {kSharedBytesPerBlock, settings.sharedBytes}};
  auto found = values.find(which);
  if (found == values.end())
    return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceNumber) {
  ENTER(WITHOUT_CONTEXT);
  if (engine().retained++ == 0)
    engine().made("context", &engine().context);
  *context = &engine().context;
  return kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  Result result = engine().enter(__func__, WITHOUT_CONTEXT);
  for (const auto &[kind, count] : engine().alive)
    if (kind != "context" && engine().retained == 1)
      engine().violate("context released before " + kind);
  if (--engine().retained == 0)
    engine().gone("context", &engine().context);
  return result;
}

Result cuCtxPushCurrent_v2(ContextHandle) {
  ENTER(WITHOUT_CONTEXT);
  ++engine().pushed;
  return engine().retained ? kSuccess : kInvalidContext;
}

Result cuCtxPopCurrent_v2(ContextHandle *context) {
  Result result = engine().enter(__func__, WITHOUT_CONTEXT);
  *context = &engine().context;
  --engine().pushed;
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// All streams that are alive; no work may be pending when memory goes.
static std::set<StreamObject *> streams;

static void checkQuiet(const char *call) {
  for (StreamObject *stream : streams) {
    if (engine().lost == kSuccess && !stream->waiting.empty())
      engine().violate(std::string(call) + " while work is pending");
    if (stream->capture)
      engine().violate(std::string(call) + " in a capture");
  }
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER();
  *total = engine().settings.memory;
  *free = *total - engine().used();
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  ENTER();
  void *block = engine().allocate("memory", bytes);
  *pointer = reinterpret_cast<DevicePointer>(block);
  return block ? kSuccess : kOutOfMemory;
}

Result cuMemFree_v2(DevicePointer pointer) {
  Result result = engine().enter(__func__);
  checkQuiet(__func__);
  return engine().release("memory", host(pointer)) ? result : kInvalidValue;
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER();
  *pointer = engine().allocate("pinned memory", bytes);
  return *pointer ? kSuccess : kOutOfMemory;
}

Result cuMemFreeHost(void *pointer) {
  Result result = engine().enter(__func__);
  checkQuiet(__func__);
  return engine().release("pinned memory", pointer) ? result : kInvalidValue;
}

Result cuMemHostGetDevicePointer_v2(DevicePointer *pointer, void *memory, unsigned) {
  ENTER();
  *pointer = reinterpret_cast<DevicePointer>(memory);
  return kSuccess;
}

Result cuMemcpyAsync(DevicePointer destination, DevicePointer source, size_t bytes, StreamHandle stream) {
  ENTER();
  stream->add([=] {
    if (engine().checkRange(host(source), bytes, "a copy's source") &&
        engine().checkRange(host(destination), bytes, "a copy's destination"))
      std::memmove(host(destination), host(source), bytes);
  });
  return kSuccess;
}

Result cuMemcpyDtoHAsync_v2(void *destination, DevicePointer source, size_t bytes, StreamHandle stream) {
  ENTER();
  stream->add([=] {
    if (engine().checkRange(host(source), bytes, "a download's source"))
      std::memcpy(destination, host(source), bytes);
  });
  return kSuccess;
}

/// Fills `height` rows, `pitch` bytes apart, with `width` values each.
template <typename T>
static Result fill(DevicePointer destination, size_t pitch, T value, size_t width, size_t height, StreamHandle stream) {
  stream->add([=] {
    auto *row = static_cast<std::byte *>(host(destination));
    if (!engine().checkRange(row, (height - 1) * pitch + width * sizeof(T), "a fill's destination"))
      return;
    for (size_t y = 0; y < height; ++y, row += pitch)
      std::fill_n(reinterpret_cast<T *>(row), width, value);
  });
  return kSuccess;
}

Result cuMemsetD8Async(DevicePointer destination, unsigned char value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD16Async(DevicePointer destination, unsigned short value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD32Async(DevicePointer destination, unsigned value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD2D32Async(DevicePointer destination, size_t pitch, unsigned value, size_t width, size_t height,
                          StreamHandle stream) {
  ENTER();
  return fill(destination, pitch, value, width, height, stream);
}

//===----------------------------------------------------------------------===//
// Streams, events, graphs
//===----------------------------------------------------------------------===//

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  ENTER();
  streams.insert(*stream = new StreamObject());
  engine().made("stream", *stream);
  return kSuccess;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  Result result = engine().enter(__func__);
  if (!engine().gone("stream", stream))
    return kInvalidValue;
  streams.erase(stream);
  delete stream;
  return result;
}

Result cuStreamSynchronize(StreamHandle stream) {
  ENTER();
  stream->runTo(stream->added);
  return engine().lost;
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  ENTER();
  // The event as it is now: a later record is another place.
  stream->add([place = *event] {
    if (streams.contains(place.stream))
      place.wait();
  });
  return kSuccess;
}

Result cuStreamBeginCapture_v2(StreamHandle stream, CaptureMode) {
  ENTER();
  if (stream->capture)
    return kInvalidValue;
  stream->capture = std::make_unique<GraphObject>();
  return kSuccess;
}

Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  Result result = engine().enter(__func__);
  *graph = result == kSuccess ? stream->capture.release() : nullptr;
  stream->capture.reset();
  if (*graph)
    engine().made("graph", *graph);
  return result;
}

Result cuEventCreate(EventHandle *event, unsigned) {
  ENTER();
  engine().made("event", *event = new EventObject());
  return kSuccess;
}

Result cuEventDestroy_v2(EventHandle event) {
  Result result = engine().enter(__func__);
  if (!engine().gone("event", event))
    return kInvalidValue;
  delete event;
  return result;
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER();
  if (stream->capture)
    engine().violate("an event of the queue in a capture");
  *event = {stream, stream->added};
  return kSuccess;
}

Result cuEventSynchronize(EventHandle event) {
  ENTER();
  event->wait();
  return engine().lost;
}

Result cuGraphInstantiateWithFlags(GraphExecHandle *exec, GraphHandle graph, unsigned long long) {
  ENTER();
  *exec = new GraphExecObject{std::make_shared<const std::vector<Operation>>(graph->operations)};
  engine().made("executable graph", *exec);
  return kSuccess;
}

Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  ENTER();
  if (!engine().has("executable graph", exec))
    return kInvalidValue;
  stream->add([operations = exec->operations] {
    for (const Operation &operation : *operations)
      operation();
  });
  return kSuccess;
}

Result cuGraphDestroy(GraphHandle graph) {
  Result result = engine().enter(__func__);
  if (!engine().gone("graph", graph))
    return kInvalidValue;
  delete graph;
  return result;
}

Result cuGraphExecDestroy(GraphExecHandle exec) {
  Result result = engine().enter(__func__);
  if (!engine().gone("executable graph", exec))
    return kInvalidValue;
  delete exec;
  return result;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

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

Result cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned optionCount, JitOption *options,
                          void **values) {
  ENTER();
  std::string text = static_cast<const char *>(image);
  if (text.find("wrong") != std::string::npos) {
    for (unsigned i = 0; i < optionCount; ++i)
      if (options[i] == kErrorLog)
        std::strcpy(static_cast<char *>(values[i]), "ptxas fatal: line 3\n  unexpected 'wrong'\n");
    return kInvalidPTX;
  }
  engine().made("module", *module = new ModuleObject{readEntries(text)});
  return kSuccess;
}

Result cuModuleUnload(ModuleHandle module) {
  Result result = engine().enter(__func__);
  checkQuiet(__func__);
  if (!engine().gone("module", module))
    return kInvalidValue;
  delete module;
  return result;
}

Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  ENTER();
  auto found = module->functions.find(name);
  if (found == module->functions.end())
    return kNotFound;
  *function = &found->second;
  return kSuccess;
}

Result cuFuncSetAttribute(FunctionHandle, FunctionAttribute which, int value) {
  ENTER();
  engine().calls.back() += "(" + std::to_string(which) + "=" + std::to_string(value) + ")";
  return kSuccess;
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
    if (engine().lost == kSuccess)
      engine().run(name, buffers, grid);
  });
  return kSuccess;
}

} // namespace mp::cuda
