// Text that a user gives: models and plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/InputText.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

using namespace mp;

std::unique_ptr<llvm::MemoryBuffer> mp::openInputText(llvm::StringRef path, std::string *error) {
  namespace fs = llvm::sys::fs;
  fs::file_status status;
  const bool isStandardInput = path == "-";
  if (!isStandardInput && (fs::status(path, status) || fs::is_regular_file(status) || fs::is_directory(status)))
    return mlir::openInputFile(path, error); // which says what is wrong with a path
  auto fail = [&](const llvm::Twine &why) {
    *error = ("cannot read '" + path + "': " + why).str();
    return nullptr;
  };
  fs::file_t file = fs::getStdinHandle();
  if (!isStandardInput) {
    llvm::Expected<fs::file_t> opened = fs::openNativeFileForRead(path);
    if (!opened)
      return fail(llvm::toString(opened.takeError()));
    file = *opened;
  }
  llvm::SmallVector<char, 0> text;
  constexpr size_t kChunk = 1 << 16;
  llvm::Error failed = llvm::Error::success();
  for (size_t count = 1; count > 0 && text.size() <= kMostStreamedText && !failed;) {
    const size_t before = text.size();
    text.resize_for_overwrite(before + kChunk);
    llvm::Expected<size_t> read = fs::readNativeFile(file, {text.data() + before, kChunk});
    count = read ? *read : 0;
    if (!read)
      failed = read.takeError();
    text.truncate(before + count);
  }
  if (!isStandardInput)
    llvm::consumeError(llvm::errorCodeToError(fs::closeFile(file))); // what was read is there
  if (failed)
    return fail(llvm::toString(std::move(failed)));
  if (text.size() > kMostStreamedText)
    return fail("does not end within " + llvm::Twine(kMostStreamedText) + " bytes; expected a file of text");
  return llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}, isStandardInput ? "<stdin>" : path);
}
