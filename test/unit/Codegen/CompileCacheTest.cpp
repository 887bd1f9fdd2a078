//===- CompileCacheTest.cpp - entries that are believed, and those that are not ----------------------------===//

#include "Codegen/Cache/CompileCache.h"
#include "Codegen/Cache/BuildId.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace mp;
namespace fs = std::filesystem;

namespace {

class CompileCacheTest : public testing::Test {
protected:
  CompileCacheTest() : folder(fs::temp_directory_path() / ("mp-cache-" + std::to_string(getpid()))) {
    fs::remove_all(folder);
  }
  ~CompileCacheTest() override { fs::remove_all(folder); }

  static CachedKernel example() {
    CachedKernel kernel;
    kernel.launch.grid = 7;
    kernel.launch.scratchBytes = 4096;
    kernel.launch.threads = 128;
    kernel.launch.sharedBytes = 1 << 15;
    kernel.code = std::string("code\0with a zero", 16);
    return kernel;
  }

  /// The one entry in the folder.
  fs::path entry() const {
    for (const fs::directory_entry &file : fs::directory_iterator(folder))
      return file.path();
    return {};
  }
  std::string bytes() const {
    std::ifstream in(entry(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const fs::path &path, const std::string &content) const {
    std::ofstream(path, std::ios::binary) << content;
  }

  fs::path folder;
  CompileCache cache{folder.string(), "avx2"};
};

} // namespace

TEST_F(CompileCacheTest, GivesBackWhatWasStored) {
  EXPECT_FALSE(cache.find("text", "mp_a"));
  cache.store("text", "mp_a", example());
  std::optional<CachedKernel> found = cache.find("text", "mp_a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launch.symbol, "mp_a");
  EXPECT_EQ(found->launch.grid, 7);
  EXPECT_EQ(found->launch.scratchBytes, 4096);
  EXPECT_EQ(found->launch.threads, 128);
  EXPECT_EQ(found->launch.sharedBytes, 1 << 15);
  EXPECT_EQ(found->code, example().code);
}

TEST_F(CompileCacheTest, ADifferentKernelSymbolOrTargetIsAnotherEntry) {
  cache.store("text", "mp_a", example());
  EXPECT_FALSE(cache.find("text ", "mp_a"));
  EXPECT_FALSE(cache.find("text", "mp_b"));
  EXPECT_FALSE(cache.find("extmp_at", "")) << "the same bytes, cut elsewhere";
  EXPECT_FALSE(CompileCache(folder.string(), "avx512").find("text", "mp_a"));
}

TEST_F(CompileCacheTest, NoDamagedEntryIsBelieved) {
  cache.store("text", "mp_a", example());
  const std::string whole = bytes();
  const fs::path path = entry();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(path, damaged);
    EXPECT_FALSE(cache.find("text", "mp_a")) << "byte " << at;
    EXPECT_FALSE(fs::exists(path)) << "a damaged entry is removed";
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    write(path, whole.substr(0, length));
    EXPECT_FALSE(cache.find("text", "mp_a")) << length << " bytes";
  }
  write(path, whole + "x");
  EXPECT_FALSE(cache.find("text", "mp_a"));
  write(path, whole);
  EXPECT_TRUE(cache.find("text", "mp_a")) << "the very bytes again";
}

TEST_F(CompileCacheTest, ManyWritersLeaveWholeEntriesAndNothingElse) {
  std::vector<std::thread> writers;
  std::atomic<int> wrong = 0;
  for (int writer = 0; writer < 8; ++writer)
    writers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        cache.store("text", "mp_a", example());
        std::optional<CachedKernel> found = cache.find("text", "mp_a");
        wrong += !found || found->code != example().code;
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(CompileCacheTest, AFolderThatCannotBeWrittenKeepsNothing) {
  write(folder, "a file where the folder should be");
  cache.store("text", "mp_a", example());
  EXPECT_FALSE(cache.find("text", "mp_a"));
  cache.prune();
  CompileCache none("", "avx2");
  none.store("text", "mp_a", example());
  EXPECT_FALSE(none.find("text", "mp_a"));
}

TEST_F(CompileCacheTest, OnlyItsOwnerEntersTheFolder) {
  cache.store("text", "mp_a", example());
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST(BuildId, IsKnown) { EXPECT_GE(buildId().size(), 16U); }
