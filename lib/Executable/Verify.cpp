//===- Verify.cpp - The meaning of an executable's table --------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"

using namespace mp;
using namespace mp::executable;

static Status verifyBlobs(const ExecutableT &table, uint64_t blobsEnd) {
  for (size_t i = 0; i < table.blobs.size(); ++i) {
    const BlobT &blob = *table.blobs[i];
    if (blob.kind > BlobKind::MAX)
      return makeError("blob ", i, ": unknown kind ", static_cast<unsigned>(blob.kind));
    if (blob.offset % kAlignment != 0 || blob.offset < sizeof(format::Header) || blob.offset > blobsEnd ||
        blob.length > blobsEnd - blob.offset)
      return makeError("blob ", i, ": ", blob.length, " bytes at ", blob.offset, " are outside the file's blobs");
  }
  return Status::success();
}

Status mp::verifyExecutable(const ExecutableT &table, uint64_t blobsEnd) { return verifyBlobs(table, blobsEnd); }
