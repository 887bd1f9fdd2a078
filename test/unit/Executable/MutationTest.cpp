// Damaged and hostile files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1,000 files damaged as they are, which the hash refuses, and 3,000 whose hash was made right again: 1,000 of them
// with bytes of the table changed, 2,000 with fields changed. What the reader still accepts is then laid out and walked
// as a runtime would, each slice touched at both ends. Under the address sanitizer (preset asan) a rule that is missing
// in the verifier shows as an access out of bounds.

#include "Executable/Sample.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <random>

using namespace mp;
using namespace mp::executable;

namespace {

using Random = std::mt19937_64;

constexpr int kMutations = 1000;

/// Numbers at which checks tend to be wrong, and the old value moved a little.
uint64_t pickNumber(Random &random, uint64_t old) {
  const uint64_t numbers[] = {
      0,     1,      2,       3,        4,        63,         64,         65,           128,
      255,   256,    1 << 16, 1u << 31, ~0u,      1ull << 32, 1ull << 47, 1ull << 62,   1ull << 63,
      ~0ull, ~63ull, old + 1, old - 1,  old + 64, old - 64,   old * 2,    random() % 8, random()};
  return numbers[random() % std::size(numbers)];
}

// What a runtime does with an accepted file

/// Memory of one variant, each part allocated alone so that the sanitizer sees each end.
class Runtime {
public:
  Runtime(const LoadedExecutable &file, const VariantT &variant) : file(file), variant(variant) {}

  /// False if the variant asks for more memory than a test should take.
  bool layOut();
  void run();

private:
  std::byte *address(const BufferSlice &slice);
  void touch(const BufferSlice &slice, Access access);

  const LoadedExecutable &file;
  const VariantT &variant;
  std::vector<sample::Bytes> state, arguments, results;
  sample::Bytes arena;
};

bool Runtime::layOut() {
  uint64_t total = variant.arena_bytes;
  auto add = [&](const TensorTypeT &type) { return total += *byteCount(type); };
  for (const auto &entry : file.table.state)
    add(*entry->type);
  for (const auto &argument : variant.arguments)
    add(*argument->type);
  for (const auto &result : variant.results)
    add(*result->type);
  EXPECT_LE(total, uint64_t(1) << 47) << "sums of sizes cannot overflow";
  if (total > 64 << 20)
    return false;

  arena.resize(variant.arena_bytes);
  for (const auto &entry : file.table.state)
    state.emplace_back(*byteCount(*entry->type));
  for (const auto &argument : variant.arguments)
    arguments.emplace_back(argument->kind == ArgumentKind::State ? 0 : *byteCount(*argument->type));
  for (const auto &result : variant.results)
    results.emplace_back(result->kind == ResultKind::Next ? 0 : *byteCount(*result->type));
  return true;
}

std::byte *Runtime::address(const BufferSlice &slice) {
  switch (slice.space()) {
  case Space::Arena:
    return arena.data() + slice.offset();
  case Space::State:
    return state[slice.index()].data() + slice.offset();
  case Space::Argument:
    return arguments[slice.index()].data() + slice.offset();
  case Space::Result:
    return results[slice.index()].data() + slice.offset();
  case Space::Constant:
    return const_cast<std::byte *>(file.blob(variant.constants).data()) + slice.offset();
  }
  ADD_FAILURE() << "unknown space";
  return nullptr;
}

void Runtime::touch(const BufferSlice &slice, Access access) {
  std::byte *start = address(slice);
  if (slice.bytes() == 0)
    return;
  for (std::byte *end : {start, start + slice.bytes() - 1}) {
    volatile std::byte *byte = end;
    std::byte value = *byte;
    if (access != Access::Read)
      *byte = value;
  }
}

void Runtime::run() {
  for (const auto &command : variant.commands) {
    if (const LaunchT *launch = command->what.AsLaunch()) {
      for (std::byte byte : file.blob(launch->blob)) {
        [[maybe_unused]] volatile std::byte value = byte;
      }
      ASSERT_GE(launch->grid, 1u);
      for (const Buffer &buffer : launch->buffers)
        touch(buffer.slice(), buffer.access());
    } else if (const CopyT *copy = command->what.AsCopy()) {
      ASSERT_EQ(copy->source->bytes(), copy->destination->bytes());
      if (copy->source->bytes())
        std::memcpy(address(*copy->destination), address(*copy->source), copy->source->bytes());
    } else if (const FillT *fill = command->what.AsFill()) {
      std::byte *start = address(*fill->destination);
      for (uint64_t i = 0; i < fill->destination->bytes(); i += fill->pattern_bytes)
        std::memcpy(start + i, &fill->pattern, fill->pattern_bytes);
    } else {
      FAIL() << "a command of no kind";
    }
  }
}

/// Counts of what became of the files.
struct Tally {
  std::map<std::string, int> refusals;
  int accepted = 0;
  int ran = 0;

  void read(const sample::Bytes &file);
};

void Tally::read(const sample::Bytes &file) {
  ErrorOr<LoadedExecutable> loaded = readExecutable(std::span<const std::byte>(file));
  if (!loaded) {
    ASSERT_FALSE(loaded.message().empty());
    ASSERT_EQ(loaded.message().find('\n'), std::string::npos) << "messages are one line";
    ++refusals[loaded.message()];
    return;
  }
  ++accepted;
  for (const auto &entry : loaded->table.state)
    if (auto values = loaded->values(*entry)) {
      ASSERT_EQ(values->size(), byteCount(*entry->type)) << "a row is filled whole";
      for (std::byte byte : *values) {
        [[maybe_unused]] volatile std::byte value = byte;
      }
    }
  for (const auto &program : loaded->table.programs)
    for (const auto &variant : program->variants) {
      Runtime runtime(*loaded, *variant);
      if (!runtime.layOut())
        continue;
      runtime.run();
      ++ran;
    }
}

// Fields

/// Every number of a table with a way to set it, and every list with a way to disturb it.
class Fields {
public:
  Fields(ExecutableT &table, Random &random) : random(random) { collect(table); }

  void changeOne() { changes[random() % changes.size()](); }

private:
  template <typename T> void number(T &field) {
    changes.push_back([this, &field] { field = static_cast<T>(pickNumber(random, static_cast<uint64_t>(field))); });
  }

  void text(std::string &field) {
    changes.push_back([this, &field] {
      const std::string texts[] = {"", "kernel", "x", "rng", "reference", "cpu", "a\nb", std::string(5000, 'a')};
      field = texts[random() % std::size(texts)];
    });
  }

  /// Drops, doubles or swaps elements.
  template <typename T> void list(std::vector<std::unique_ptr<T>> &elements) {
    changes.push_back([this, &elements] {
      if (elements.empty())
        return;
      size_t at = random() % elements.size();
      switch (random() % 3) {
      case 0:
        elements.erase(elements.begin() + at);
        return;
      case 1:
        elements.push_back(std::make_unique<T>(*elements[at]));
        return;
      default:
        std::swap(elements[at], elements[random() % elements.size()]);
      }
    });
  }

  void changeSlice(std::function<BufferSlice()> get, std::function<void(BufferSlice)> set) {
    changes.push_back([this, get, set] {
      BufferSlice p = get();
      Space space = p.space();
      uint32_t index = p.index();
      uint64_t offset = p.offset();
      uint64_t bytes = p.bytes();
      switch (random() % 4) {
      case 0:
        space = static_cast<Space>(random() % 6);
        break;
      case 1:
        index = static_cast<uint32_t>(pickNumber(random, index));
        break;
      case 2:
        offset = pickNumber(random, offset);
        break;
      default:
        bytes = pickNumber(random, bytes);
      }
      set(BufferSlice(space, index, offset, bytes));
    });
  }

  void type(TensorTypeT &type) {
    number(type.element);
    for (int64_t &size : type.shape)
      number(size);
    changes.push_back([this, &type] { type.shape.resize(random() % 4, 4); });
  }

  void collect(ExecutableT &table);
  void collect(VariantT &variant);
  void collect(CommandT &command);

  Random &random;
  std::vector<std::function<void()>> changes;
};

void Fields::collect(ExecutableT &table) {
  number(table.version);
  list(table.state);
  list(table.programs);
  list(table.blobs);
  for (auto &entry : table.state) {
    text(entry->name);
    text(entry->derived_of);
    type(*entry->type);
    number(entry->role);
    number(entry->values);
    changes.push_back([&entry] { entry->initializer.reset(); });
    if (entry->initializer) {
      number(entry->initializer->kind);
      number(entry->initializer->a);
    }
  }
  for (auto &blob : table.blobs) {
    number(blob->kind);
    number(blob->offset);
    number(blob->length);
  }
  for (auto &program : table.programs) {
    text(program->name);
    list(program->variants);
    for (auto &variant : program->variants)
      collect(*variant);
  }
}

void Fields::collect(VariantT &variant) {
  text(variant.target);
  number(variant.batch);
  number(variant.arena_bytes);
  number(variant.constants);
  list(variant.arguments);
  list(variant.results);
  list(variant.commands);
  for (auto &argument : variant.arguments) {
    text(argument->name);
    type(*argument->type);
    number(argument->kind);
    changes.push_back([&argument] { argument->batched = !argument->batched; });
  }
  for (auto &result : variant.results) {
    text(result->name);
    type(*result->type);
    number(result->kind);
    changes.push_back([&result] { result->batched = !result->batched; });
  }
  for (auto &command : variant.commands)
    collect(*command);
}

void Fields::collect(CommandT &command) {
  if (LaunchT *launch = command.what.AsLaunch()) {
    text(launch->symbol);
    number(launch->blob);
    number(launch->grid);
    number(launch->scratch_bytes);
    number(launch->threads);
    number(launch->shared_bytes);
    number(launch->cluster);
    changes.push_back([launch] { launch->buffers_in_memory = !launch->buffers_in_memory; });
    for (Buffer &buffer : launch->buffers) {
      changeSlice([&buffer] { return buffer.slice(); },
                  [&buffer](BufferSlice slice) { buffer = Buffer(slice, buffer.access()); });
      changes.push_back([this, &buffer] { buffer = Buffer(buffer.slice(), static_cast<Access>(random() % 4)); });
    }
  } else if (CopyT *copy = command.what.AsCopy()) {
    for (std::unique_ptr<BufferSlice> *end : {&copy->source, &copy->destination})
      changeSlice([end] { return **end; }, [end](BufferSlice slice) { **end = slice; });
  } else if (FillT *fill = command.what.AsFill()) {
    changeSlice([fill] { return *fill->destination; }, [fill](BufferSlice slice) { *fill->destination = slice; });
    number(fill->pattern_bytes);
  }
}

// Tests

/// Changes one to four bytes, or a whole number, at random bytes from `begin` on.
void changeBytes(sample::Bytes &file, size_t begin, Random &random) {
  size_t at = begin + random() % (file.size() - begin);
  if (random() % 2) {
    uint64_t old = 0;
    size_t bytes = std::min<size_t>(size_t(1) << random() % 4, file.size() - at);
    std::memcpy(&old, file.data() + at, bytes);
    uint64_t value = pickNumber(random, old);
    std::memcpy(file.data() + at, &value, bytes);
    return;
  }
  for (size_t i = 0; i <= random() % 4; ++i)
    file[begin + random() % (file.size() - begin)] = std::byte(random());
}

TEST(Mutation, EveryDamagedFileIsRefused) {
  const sample::Bytes good = sample::unverifiedFile(sample::table());
  Random random(1);
  for (int done = 0; done < kMutations;) {
    sample::Bytes file = good;
    switch (random() % 4) {
    case 0: // any bytes, header included
      changeBytes(file, 0, random);
      break;
    case 1: // one bit
      file[random() % file.size()] ^= std::byte(1 << random() % 8);
      break;
    case 2: // an end lost
      file.resize(random() % file.size());
      break;
    default: // an end added
      file.resize(file.size() + 1 + random() % 100);
    }
    if (file == good)
      continue;
    ++done;
    // A copy of exactly that size, so that the sanitizer sees its end.
    ErrorOr<LoadedExecutable> loaded = readExecutable(std::span<const std::byte>(file));
    ASSERT_FALSE(loaded);
    ASSERT_FALSE(loaded.message().empty());
  }
}

TEST(Mutation, ChangedBytesWithARightHash) {
  const sample::Bytes good = sample::unverifiedFile(sample::table());
  size_t tableOffset = sample::tableOffset(good);
  Random random(2);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    sample::Bytes file = good;
    changeBytes(file, tableOffset, random);
    sample::rehash(file);
    ASSERT_NO_FATAL_FAILURE(tally.read(file));
  }
  // Neither structure nor meaning is what refuses everything, and some changes (of texts, say) do no harm.
  EXPECT_GT(tally.refusals["the table is not a well-formed FlatBuffer of this schema"], 20);
  EXPECT_GT(tally.refusals.size(), 20u);
  EXPECT_GT(tally.accepted, 20);
  EXPECT_GT(tally.ran, 20);
}

TEST(Mutation, ChangedFieldsWithARightHash) {
  Random random(3);
  Tally tally;
  for (int i = 0; i < 2 * kMutations; ++i) {
    ExecutableT table = sample::table();
    for (size_t changes = 1 + random() % 2; changes > 0; --changes)
      Fields(table, random).changeOne();
    ASSERT_NO_FATAL_FAILURE(tally.read(sample::unverifiedFile(table)));
  }
  EXPECT_EQ(tally.refusals["the table is not a well-formed FlatBuffer of this schema"], 0);
  EXPECT_GT(tally.refusals.size(), 80u) << "rules that were broken";
  EXPECT_GT(tally.accepted, 20);
  EXPECT_GT(tally.ran, 20);
}

} // namespace
