// Whole files, read and written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/WholeFile.h"

#include "WithoutPrivileges.h"

#include <gtest/gtest.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

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
    std::vector<std::span<const std::byte>> chunks;
    for (const std::string &text : texts)
      chunks.push_back(std::as_bytes(std::span(text)));
    return writeWholeFile(path, chunks, GetParam());
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

TEST_P(WholeFile, IsItsChunksAndNothingBeside) {
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

TEST_P(WholeFile, KeepsThePermissionsOfTheOldFile) {
  for (mode_t mode : {0600U, 0640U, 0666U, 0755U, 0200U}) {
    std::ofstream(path("f")) << "old";
    ASSERT_EQ(::chmod(path("f").c_str(), mode), 0);
    ASSERT_TRUE(write(path("f"), {"new"}).ok());
    struct stat info;
    ASSERT_EQ(::stat(path("f").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, mode);
    fs::remove(path("f"));
  }
}

TEST_P(WholeFile, ALinkStaysAndWhatItPointsToIsReplaced) {
  fs::create_directory(path("d"));
  std::ofstream(path("d/f")) << "old";
  fs::create_symlink("d/f", path("relative"));
  fs::create_symlink(path("d/f"), path("absolute"));
  fs::create_symlink("relative", path("chain"));
  fs::create_directory_symlink("d", path("folder"));
  fs::create_symlink("../relative", path("d/back"));
  for (const char *link : {"relative", "absolute", "chain", "folder/f", "folder/back"}) {
    const bool wasLink = fs::is_symlink(path(link));
    ASSERT_TRUE(write(path(link), {link}).ok());
    EXPECT_EQ(fs::is_symlink(path(link)), wasLink);
    EXPECT_FALSE(fs::is_symlink(path("d/f")));
    EXPECT_EQ(contents(path("d/f")), link);
  }
  EXPECT_EQ(filesInFolder(), 5u);
}

TEST_P(WholeFile, ALinkToNothingMakesTheFile) {
  fs::create_directory(path("d"));
  fs::create_symlink("d/f", path("link"));
  ASSERT_TRUE(write(path("link"), {"text"}).ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(contents(path("d/f")), "text");
  fs::create_symlink("none/f", path("lost"));
  EXPECT_EQ(write(path("lost"), {"text"}).message(),
            path("lost") + ": cannot write beside it: No such file or directory");
}

TEST_P(WholeFile, LinksInALoopAreAnError) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_EQ(write(path("a"), {"text"}).message(), path("a") + ": cannot write: Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(path("a")));
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_P(WholeFile, AnotherHardLinkKeepsTheOldContent) {
  std::ofstream(path("f")) << "old";
  fs::create_hard_link(path("f"), path("other"));
  ASSERT_TRUE(write(path("f"), {"new"}).ok());
  EXPECT_EQ(contents(path("f")), "new");
  EXPECT_EQ(contents(path("other")), "old");
}

/// All that somebody writes to a pipe, if that begins within five seconds.
std::string readPipe(int pipe) {
  std::string text;
  char bytes[4096];
  pollfd waiting{pipe, POLLIN, 0};
  while (::poll(&waiting, 1, 5000) == 1) {
    ssize_t got = ::read(pipe, bytes, sizeof(bytes));
    if (got <= 0)
      break;
    text.append(bytes, static_cast<size_t>(got));
  }
  return text;
}

TEST_P(WholeFile, APipeIsWrittenThrough) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", path("link"));
  const std::string large(1 << 18, 'x'); // more than a pipe holds at once
  for (const char *name : {"pipe", "link"}) {
    int pipe = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(pipe, 0);
    auto reader = std::async(std::launch::async, readPipe, pipe);
    EXPECT_TRUE(write(path(name), {"text", large}).ok());
    EXPECT_EQ(reader.get(), "text" + large);
    ::close(pipe);
    ASSERT_TRUE(fs::is_fifo(path("pipe")));
  }
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_P(WholeFile, ADeviceBehindALinkIsWrittenThrough) {
  fs::create_symlink("/dev/null", path("null"));
  EXPECT_TRUE(write(path("null"), {"text"}).ok());
  fs::create_symlink("/dev/full", path("full"));
  EXPECT_EQ(write(path("full"), {"text"}).message(), path("full") + ": cannot write: No space left on device");
  EXPECT_TRUE(fs::is_symlink(path("null")) && fs::is_symlink(path("full")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_P(WholeFile, ADeviceStaysADevice) {
  if (::mknod(path("null").c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0 || !std::ofstream(path("null")).is_open())
    GTEST_SKIP() << "needs the right to make a device";
  EXPECT_TRUE(write(path("null"), {"text"}).ok());
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_P(WholeFile, ASocketIsAnError) {
  int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  // An address holds about 100 bytes, the path of a folder for tests may be longer.
  int inside = ::open(folder.c_str(), O_PATH | O_DIRECTORY);
  const std::string name = "/proc/self/fd/" + std::to_string(inside) + "/s";
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
  EXPECT_EQ(write(path("s"), {"text"}).message(), path("s") + ": cannot write: No such device or address");
  EXPECT_TRUE(fs::is_socket(path("s")));
  ::close(inside);
  ::close(listener);
}

/// What a shell has opened for a program is the file that it gets, wherever its name has gone meanwhile.
TEST_P(WholeFile, AnOpenFileIsAppendedTo) {
  std::ofstream(path("f")) << "old";
  int file = ::open(path("f").c_str(), O_WRONLY);
  for (const char *folder : {"/dev/fd/", "/proc/self/fd/"})
    ASSERT_TRUE(write(folder + std::to_string(file), {"new"}).ok());
  struct stat named, opened;
  ASSERT_EQ(::stat(path("f").c_str(), &named) | ::fstat(file, &opened), 0);
  EXPECT_EQ(named.st_ino, opened.st_ino);
  EXPECT_EQ(contents(path("f")), "oldnewnew");
  fs::remove(path("f"));
  ASSERT_TRUE(write("/dev/fd/" + std::to_string(file), {"new"}).ok());
  EXPECT_EQ(filesInFolder(), 0u);
  ::close(file);
}

TEST_P(WholeFile, AFileThatMayNotBeWrittenIsAnError) {
  std::ofstream(path("f")) << "old";
  ASSERT_EQ(::chmod(path("f").c_str(), 0444), 0);
  {
    WithoutPrivileges none;
    EXPECT_EQ(write(path("f"), {"new"}).message(), path("f") + ": cannot write: Permission denied");
  }
  EXPECT_EQ(contents(path("f")), "old");
  ASSERT_EQ(::chmod(path("f").c_str(), 0666) | ::chmod(folder.c_str(), 0555), 0);
  {
    WithoutPrivileges none;
    EXPECT_EQ(write(path("f"), {"new"}).message(), path("f") + ": cannot write beside it: Permission denied");
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(contents(path("f")), "old");
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_P(WholeFile, WhereThereIsNoSpaceTheOldFileStays) {
  std::ofstream(path("f")) << "old";
  auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{100, limit.rlim_max};
  const std::string large(101, 'x');
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status fits = write(path("fits"), {large.substr(1)});
  Status tooLarge = write(path("f"), {large});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_TRUE(fits.ok()) << fits.message();
  EXPECT_EQ(tooLarge.message(), path("f") + ": cannot write: File too large");
  EXPECT_EQ(contents(path("f")), "old");
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_P(WholeFile, ANameMayBeAsLongAsTheSystemAllows) {
  const std::string longest(NAME_MAX, 'n');
  ASSERT_TRUE(write(path(longest.c_str()), {"text"}).ok());
  EXPECT_EQ(contents(path(longest.c_str())), "text");
  EXPECT_EQ(filesInFolder(), 1u);
  EXPECT_EQ(write(path((longest + "n").c_str()), {"text"}).message(),
            path((longest + "n").c_str()) + ": cannot write: File name too long");
  EXPECT_EQ(write("", {"text"}).message(), "expected the path of a file to write, found an empty one");
}

/// What lies where the file beside goes is not written to.
TEST_P(WholeFile, ALinkUnderTheNameBesideIsNotFollowed) {
  std::ofstream(path("other")) << "other";
  fs::create_symlink("other", path("f.partial"));
  ASSERT_TRUE(write(path("f"), {"text"}).ok());
  EXPECT_EQ(contents(path("f")), "text");
  EXPECT_FALSE(fs::is_symlink(path("f")));
  EXPECT_EQ(contents(path("other")), "other");
}

INSTANTIATE_TEST_SUITE_P(Names, WholeFile, testing::Values(TemporaryName::Fixed, TemporaryName::Unique),
                         [](const auto &info) { return info.param == TemporaryName::Fixed ? "Fixed" : "Unique"; });

} // namespace
