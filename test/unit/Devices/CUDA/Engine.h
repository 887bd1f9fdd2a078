// What the driver's stand-in works with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_DEVICES_CUDA_ENGINE_H
#define MP_TEST_DEVICES_CUDA_ENGINE_H

#include "Devices/CUDA/DriverTypes.h"
#include "Devices/CUDA/StandIn.h"

#include <deque>
#include <functional>
#include <memory>
#include <set>

namespace mp::cuda {

using Operation = std::function<void()>;

struct GraphObject {
  std::vector<Operation> operations;
};

struct GraphExecObject {
  std::shared_ptr<const std::vector<Operation>> operations;
};

struct ContextObject {};

/// Operations wait here until someone asks for them.
struct StreamObject {
  std::deque<Operation> waiting;
  uint64_t added = 0;
  uint64_t passed = 0;
  std::unique_ptr<GraphObject> capture; // null when not capturing

  void add(Operation operation);
  void runTo(uint64_t position);
};

/// A position in a stream; before it is recorded, one that has been passed.
struct EventObject {
  StreamObject *stream = nullptr;
  uint64_t position = 0;

  void wait() const {
    if (stream)
      stream->runTo(position);
  }
};

struct FunctionObject {
  std::string name;
  size_t parameters;
};

struct ModuleObject {
  std::map<std::string, FunctionObject> functions;
};

} // namespace mp::cuda

namespace mp::test {

class Engine final : public StandIn {
public:
  void reset() override;

  /// Notes a call; the result that it fails with, or Result::Success. `needsContext`: one must be current.
  cuda::Result enter(const char *call, bool needsContext = true);

  /// Notes that an object of a kind was made or is gone; false where it was not there.
  void made(const char *kind, const void *object);
  bool gone(const char *kind, const void *object);
  bool has(const char *kind, const void *object) const { return objects.contains({kind, object}); }

  /// A block of memory; nothing where there is not that much.
  void *allocate(const char *kind, size_t bytes);
  bool release(const char *kind, void *block);

  /// Whether bytes are in one live block; notes where they are not.
  bool checkRange(const void *begin, size_t bytes, const char *what);

  /// Notes where work is pending, or a capture open, while something goes.
  void checkQuiet(const char *call);

  void violate(const std::string &what) { violations.push_back(what); }

  /// Runs every block of a kernel, unless it is one that fails.
  void run(const std::string &name, std::vector<void *> buffers, uint64_t grid);

  size_t used() const { return usedBytes; }

  std::set<cuda::StreamObject *> streams; // alive
  cuda::ContextObject context;
  int retained = 0;
  int pushed = 0;
  cuda::Result lost = cuda::Result::Success; // by a kernel that failed

private:
  std::set<std::pair<std::string, const void *>> objects;
  std::map<const std::byte *, size_t> blocks;
  size_t usedBytes = 0;
};

Engine &engine();

} // namespace mp::test

#endif // MP_TEST_DEVICES_CUDA_ENGINE_H
