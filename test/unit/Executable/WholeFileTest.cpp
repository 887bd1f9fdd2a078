//===- WholeFileTest.cpp - whole files, read and written --------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mp/Executable/WholeFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include <sys/stat.h>

using namespace mp;

namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::TestWithParam<TemporaryName> {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/whole.XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }

  Status write(const std::string &path, std::initializer_list<std::string> texts) {
    std::vector<std::span<const std::byte>> pieces;
    for (const std::string &text : texts)
      pieces.push_back(std::as_bytes(std::span(text)));
    return writeWholeFile(path, pieces, GetParam());
  }

  size_t filesInFolder() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }

  fs::path folder;
};

/// The text of a file, or why it cannot be read.
std::string contents(const std::string &path) {
  std::string text;
  Status read = readWholeFile(path, [&](size_t size) {
    text.resize(size);
    return reinterpret_cast<std::byte *>(text.data());
  });
  return read.ok() ? text : read.message();
}

TEST_P(WholeFile, IsItsPiecesAndNothingBeside) {
  ASSERT_TRUE(write(path("f"), {"old and long"}).ok());
  ASSERT_TRUE(write(path("f"), {"one", "", "two"}).ok());
  EXPECT_EQ(contents(path("f")), "onetwo");
  EXPECT_EQ(filesInFolder(), 1u);
  ASSERT_TRUE(write(path("empty"), {}).ok());
  EXPECT_EQ(contents(path("empty")), "");
}

TEST_P(WholeFile, IsForWhomTheUmaskSays) {
  mode_t mask = ::umask(027);
  Status written = write(path("f"), {"text"});
  ::umask(mask);
  ASSERT_TRUE(written.ok()) << written.message();
  struct stat info;
  ASSERT_EQ(::stat(path("f").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_P(WholeFile, AFailureLeavesNothingBeside) {
  fs::create_directory(path("d"));
  EXPECT_EQ(write(path("d"), {"text"}).message(), path("d") + ": cannot write: Is a directory");
  EXPECT_EQ(filesInFolder(), 1u);
  EXPECT_EQ(write(path("none/f"), {"text"}).message(),
            path("none/f") + ": cannot write beside it: No such file or directory");
}

/// What a killed process left beside does not get into the file.
TEST_P(WholeFile, WhatAnotherAttemptLeftDoesNotMatter) {
  std::ofstream(path("f.partial")) << "what is longer than the text";
  ASSERT_TRUE(write(path("f"), {"text"}).ok());
  EXPECT_EQ(contents(path("f")), "text");
  EXPECT_EQ(fs::exists(path("f.partial")), GetParam() == TemporaryName::Unique);
}

TEST_P(WholeFile, OnlyARegularFileIsRead) {
  EXPECT_EQ(contents(path("f")), path("f") + ": cannot open: No such file or directory");
  EXPECT_EQ(contents(folder), folder.string() + ": not a regular file");
  // A pipe to which nobody writes would be waited for.
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(contents(path("pipe")), path("pipe") + ": not a regular file");
  ASSERT_TRUE(write(path("f"), {"text"}).ok());
  EXPECT_EQ(readWholeFile(path("f"), [](size_t) { return nullptr; }).message(), path("f") + ": no memory for 4 bytes");
}

INSTANTIATE_TEST_SUITE_P(Names, WholeFile, testing::Values(TemporaryName::Fixed, TemporaryName::Unique),
                         [](const auto &info) { return info.param == TemporaryName::Fixed ? "Fixed" : "Unique"; });

} // namespace
