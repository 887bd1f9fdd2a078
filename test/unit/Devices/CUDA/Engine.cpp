// What the driver's stand-in works with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Engine.h"

#include <cstdlib>
#include <cstring>

using namespace mp;
using namespace mp::test;
using namespace mp::cuda;

Engine &test::engine() {
  static Engine engine;
  return engine;
}

extern "C" __attribute__((visibility("default"))) StandIn *halfstepStandIn() { return &engine(); }

void StreamObject::add(Operation operation) {
  if (capture) {
    capture->operations.push_back(std::move(operation));
    return;
  }
  waiting.push_back(std::move(operation));
  ++added;
}

void StreamObject::runTo(uint64_t position) {
  while (passed < position && !waiting.empty()) {
    Operation operation = std::move(waiting.front());
    waiting.pop_front();
    if (engine().lost == Result::Success)
      operation();
    ++passed;
  }
}

void Engine::reset() {
  settings = {};
  kernels.clear();
  failingKernels.clear();
  failAt = 0;
  calls.clear();
  alive.clear();
  violations.clear();
  for (const auto &[block, bytes] : blocks)
    std::free(const_cast<std::byte *>(block));
  blocks.clear();
  objects.clear();
  usedBytes = 0;
  retained = pushed = 0;
  lost = Result::Success;
}

Result Engine::enter(const char *call, bool needsContext) {
  calls.push_back(call);
  if (failAt == calls.size())
    return static_cast<Result>(failWith);
  if (needsContext && pushed == 0)
    return Result::InvalidContext;
  return needsContext ? lost : Result::Success;
}

void Engine::made(const char *kind, const void *object) {
  objects.insert({kind, object});
  ++alive[kind];
}

bool Engine::gone(const char *kind, const void *object) {
  if (objects.erase({kind, object}) == 0) {
    violate(std::string("no such ") + kind);
    return false;
  }
  if (--alive[kind] == 0)
    alive.erase(kind);
  return true;
}

void *Engine::allocate(const char *kind, size_t bytes) {
  if (bytes == 0 || bytes > settings.memory - usedBytes)
    return nullptr;
  // What the driver returns is not zero.
  auto *block = static_cast<std::byte *>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  std::memset(block, 0xcd, bytes);
  blocks[block] = bytes;
  usedBytes += bytes;
  made(kind, block);
  return block;
}

bool Engine::release(const char *kind, void *block) {
  if (!gone(kind, block))
    return false;
  auto found = blocks.find(static_cast<std::byte *>(block));
  usedBytes -= found->second;
  std::memset(block, 0xdd, found->second);
  blocks.erase(found);
  std::free(block);
  return true;
}

bool Engine::checkRange(const void *begin, size_t bytes, const char *what) {
  auto at = static_cast<const std::byte *>(begin);
  auto next = blocks.upper_bound(at);
  bool inside = next != blocks.begin();
  if (inside) {
    --next;
    inside = at + bytes <= next->first + next->second;
  }
  if (!inside)
    violate(std::string(what) + " outside of any block");
  return inside;
}

void Engine::run(const std::string &name, std::vector<void *> buffers, uint64_t grid) {
  if (auto failing = failingKernels.find(name); failing != failingKernels.end()) {
    lost = static_cast<Result>(failing->second);
    return;
  }
  auto kernel = kernels.find(name);
  if (kernel == kernels.end())
    return violate("no code for kernel " + name);
  for (void *buffer : buffers)
    if (!checkRange(buffer, 1, "a kernel's buffer"))
      return;
  std::vector<std::byte> scratch(kernel->second.scratchBytes);
  buffers.push_back(scratch.data());
  for (uint64_t block = 0; block < grid; ++block)
    kernel->second.code(buffers.data(), static_cast<int64_t>(block));
}

void Engine::checkQuiet(const char *call) {
  for (StreamObject *stream : streams) {
    if (lost == Result::Success && !stream->waiting.empty())
      violate(std::string(call) + " while work is pending");
    if (stream->capture)
      violate(std::string(call) + " in a capture");
  }
}
