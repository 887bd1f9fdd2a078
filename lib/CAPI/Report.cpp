// Reports for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/Status.h"

#include "mp/Report/Comparison.h"

#include <sstream>

using namespace mp;

static std::string render(const Comparison &comparison, MpReportForm form) {
  if (form == MP_REPORT_HTML)
    return writePage(comparison);
  if (form == MP_REPORT_JSON)
    return writeJson(comparison);
  std::ostringstream text;
  printReport(text, comparison.variants);
  printSummary(text, comparison);
  return text.str();
}

MpStatus *mpRenderReport(const char *runs, size_t size, MpReportForm form, MpBytes **report) {
  return guarded([&]() -> Status {
    for (Status given : {needs(size ? runs : "", "runs"), needs(report, "report")})
      if (!given.ok())
        return given;
    if (form < MP_REPORT_HTML || form > MP_REPORT_TEXT)
      return makeError("form ", static_cast<int>(form), " is none of a report's");
    ErrorOr<Comparison> comparison = readRuns(std::string_view(size ? runs : "", size));
    if (!comparison)
      return comparison.status();
    *report = new MpBytes{render(*comparison, form), {}};
    return Status::success();
  });
}
