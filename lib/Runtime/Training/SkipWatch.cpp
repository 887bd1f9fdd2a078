//===- SkipWatch.cpp - steps skipped one after another --------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Training/SkipWatch.h"

#include <charconv>

using namespace mp;

/// A count that programs keep in the state; 0 where they keep none.
static ErrorOr<uint64_t> countIn(Session &session, const char *name) {
  if (!session.hasState(name))
    return uint64_t(0);
  ErrorOr<HostTensor> value = session.state(name);
  if (!value)
    return value.status();
  return static_cast<uint64_t>(value->count() ? elementAt(*value, 0) : 0);
}

ErrorOr<SkipWatch> SkipWatch::create(Session &session) {
  SkipWatch watch;
  if (const std::string *text = session.metadata("skip_limit")) {
    auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), watch.limit);
    if (error != std::errc() || end != text->data() + text->size())
      return makeError("metadata skip_limit is '", *text, "', expected a number");
  }
  ErrorOr<uint64_t> total = countIn(session, "skipped_steps");
  ErrorOr<uint64_t> consecutive = countIn(session, "consecutive_skips");
  if (!total || !consecutive)
    return total ? consecutive.status() : total.status();
  watch.totalCount = *total;
  watch.consecutive = *consecutive;
  return watch;
}

Status SkipWatch::note(uint64_t step, const std::string *gradient) {
  if (!gradient) {
    consecutive = 0;
    run.clear();
    return Status::success();
  }
  totalCount += 1;
  consecutive += 1;
  run.push_back({step, *gradient});
  if (limit == 0 || consecutive < limit)
    return Status::success();

  // Neighbours of one name are one entry: "dense.kernel (steps 3 to 51)".
  std::string names;
  for (size_t first = 0, last; first < run.size(); first = last + 1) {
    for (last = first; last + 1 < run.size() && run[last + 1].gradient == run[first].gradient;)
      ++last;
    names += (names.empty() ? "" : ", ") + run[first].gradient;
    names += last == first ? " (step " : " (steps " + std::to_string(run[first].step) + " to ";
    names += std::to_string(run[last].step) + ")";
  }
  return makeError(consecutive, " consecutive steps were skipped, the last is step ", step,
                   "; first gradient that was not finite at each: ", names);
}
