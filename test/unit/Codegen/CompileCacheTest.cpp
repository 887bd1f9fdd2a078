// Entries that are believed, and those that are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Build/CompileCache.h"
#include "Codegen/Build/BuildId.h"

#include "WithoutPrivileges.h"

#include "gtest/gtest.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

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

  void store(const char *content, const char *symbol) const {
    Status stored = cache.store(content, symbol, example());
    EXPECT_TRUE(stored.ok()) << stored.message();
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const fs::directory_entry &file : fs::directory_iterator(folder))
      paths.push_back(file.path());
    return paths;
  }
  static std::string bytes(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
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
  store("text", "mp_a");
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
  store("text", "mp_a");
  EXPECT_FALSE(cache.find("text ", "mp_a"));
  EXPECT_FALSE(cache.find("text", "mp_b"));
  EXPECT_FALSE(cache.find("extmp_at", "")) << "the same bytes, cut elsewhere";
  EXPECT_FALSE(CompileCache(folder.string(), "avx512").find("text", "mp_a"));
}

TEST_F(CompileCacheTest, NoDamagedEntryIsBelieved) {
  store("text", "mp_a");
  const fs::path path = entries().front();
  const std::string whole = bytes(path);
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
        store("text", "mp_a");
        std::optional<CachedKernel> found = cache.find("text", "mp_a");
        wrong += !found || found->code != example().code;
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(CompileCacheTest, NoOtherKernelsEntryIsBelieved) {
  store("text", "mp_a");
  store("other", "mp_a");
  store("text", "mp_b");
  const std::vector<fs::path> paths = entries();
  std::vector<std::string> contents;
  for (const fs::path &path : paths)
    contents.push_back(bytes(path));
  for (size_t shift = 1; shift < paths.size(); ++shift) {
    for (size_t i = 0; i < paths.size(); ++i)
      write(paths[i], contents[(i + shift) % paths.size()]);
    EXPECT_FALSE(cache.find("text", "mp_a") || cache.find("other", "mp_a") || cache.find("text", "mp_b"));
    EXPECT_TRUE(entries().empty());
  }
  store("text", "mp_a");
  EXPECT_TRUE(cache.find("text", "mp_a"));
}

/// What has the name of an entry without being one makes room for it.
TEST_F(CompileCacheTest, WhatIsNoFileIsReplaced) {
  store("text", "mp_a");
  const fs::path path = entries().front();
  const std::string name = path.string();
  const std::function<void()> kinds[] = {
      [&] { fs::create_directory(path); },
      [&] { ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0); },
      [&] { fs::create_symlink("/dev/zero", path); },
      [&] { fs::create_symlink("nothing", path); },
      [&] { fs::create_symlink(path.filename(), path); },
      [&] { // more than an entry has, where the file system and ulimit allow it; otherwise an empty file
        std::ofstream(path).close();
        std::error_code refused;
        auto before = std::signal(SIGXFSZ, SIG_IGN);
        fs::resize_file(path, (1ULL << 30) + 1, refused);
        std::signal(SIGXFSZ, before);
      },
  };
  for (const auto &make : kinds) {
    fs::remove(path);
    make();
    EXPECT_FALSE(cache.find("text", "mp_a"));
    store("text", "mp_a");
    EXPECT_TRUE(cache.find("text", "mp_a"));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  }
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(CompileCacheTest, AnEntryThatMayNotBeReadIsReplaced) {
  store("text", "mp_a");
  ASSERT_EQ(::chmod(entries().front().c_str(), 0), 0);
  WithoutPrivileges none;
  EXPECT_FALSE(cache.find("text", "mp_a"));
  store("text", "mp_a");
  EXPECT_TRUE(cache.find("text", "mp_a"));
}

TEST_F(CompileCacheTest, AFolderThatCannotBeWrittenIsAnError) {
  write(folder, "a file where the folder should be");
  EXPECT_TRUE(cache.store("text", "mp_a", example()).message().ends_with(": cannot write: Not a directory"));
  EXPECT_FALSE(cache.find("text", "mp_a"));
  cache.prune();
  CompileCache beyond((folder / "below").string(), "avx2");
  EXPECT_EQ(beyond.store("text", "mp_a", example()).message(),
            (folder / "below").string() + ": cannot make the folder: Not a directory");
  EXPECT_FALSE(beyond.find("text", "mp_a"));
  CompileCache none("", "avx2");
  EXPECT_TRUE(none.store("text", "mp_a", example()).ok());
  EXPECT_FALSE(none.find("text", "mp_a"));
}

TEST_F(CompileCacheTest, OnlyItsOwnerEntersTheFolder) {
  store("text", "mp_a");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST(BuildId, IsKnown) { EXPECT_GE(buildId().size(), 16U); }
