// What a process asks of the file system.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library for LD_PRELOAD. Each call that changes a file below the folder $RECORD_BELOW adds a line to the file
// $RECORD_TO: "write PATH", "sync PATH", "rename PATH PATH", "remove PATH", with tabs between; of a file that is
// open, the path that it has then.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int isBelow(const char *path) {
  const char *folder = getenv("RECORD_BELOW");
  size_t length = folder ? strlen(folder) : 0;
  return length && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static void record(const char *what, const char *path, const char *other) {
  char line[2 * PATH_MAX + 16];
  int length = snprintf(line, sizeof(line), "%s\t%s%s%s\n", what, path, *other ? "\t" : "", other);
  int file = open(getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  if (file < 0 || real(file, line, (size_t)length) != length)
    abort();
  close(file);
}

static void recordOpen(const char *what, int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof(path) - 1);
  path[length < 0 ? 0 : length] = 0;
  if (isBelow(path))
    record(what, path, "");
}

ssize_t write(int file, const void *bytes, size_t size) {
  recordOpen("write", file);
  ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
  return real(file, bytes, size);
}

int fsync(int file) {
  recordOpen("sync", file);
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  return real(file);
}

int fdatasync(int file) {
  recordOpen("sync", file);
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  return real(file);
}

int rename(const char *from, const char *to) {
  if (isBelow(to))
    record("rename", from, to);
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
  return real(from, to);
}

int remove(const char *path) {
  if (isBelow(path))
    record("remove", path, "");
  int (*real)(const char *) = dlsym(RTLD_NEXT, "remove");
  return real(path);
}

int unlink(const char *path) {
  if (isBelow(path))
    record("remove", path, "");
  int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
  return real(path);
}
