// A comparison as one page of HTML.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page holds its styles, its one script and its drawings, and its policy lets it load nothing. What comes of files
// goes through escapeHtml, and none of it into the script.

#include "Report/Curves.h"
#include "Report/Html.h"
#include "Report/Rows.h"
#include "Report/Summary.h"
#include "mp/Base/Text.h"

#include <algorithm>

namespace mp {

// Of what a page shows. More would be a page that no browser scrolls.
static constexpr size_t kMostVariants = 32, kMostOps = 4000, kMostLines = 200, kMostText = size_t(1) << 18;

static constexpr const char *kHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Halfstep report</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em; color: #1c1c1c; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top }
.numbers td, .numbers th { text-align: right } .numbers th:first-child { text-align: left }
.verdict li:first-child { font-weight: 600 }
svg { width: 100%; font: 11px system-ui, sans-serif; fill: #555 }
svg .grid { stroke: #e4e4e4 } svg polyline { stroke-width: 1.5 } svg .skip { opacity: .75 }
.legend span { display: inline-block; margin-right: 1.4em } .legend i { display: inline-block; width: 1.6em; height: .25em; vertical-align: middle; margin-right: .4em }
.bar { display: inline-block; height: .7em; background: #3366cc }
pre { overflow: auto; max-height: 40em; background: #f6f6f6; padding: .8em; font-size: 12px }
input { font: inherit; width: 24em; max-width: 100% } summary { cursor: pointer } .note { color: #555 }
</style></head><body>
)html";

static constexpr const char *kScript = R"html(<script>
const filter = document.getElementById("filter");
if (filter) filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const row of document.querySelectorAll("#ops tbody tr")) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  document.getElementById("shown").textContent = shown;
});
</script>
)html";

static std::string element(const char *tag, std::string_view text) {
  return std::string("<") + tag + ">" + escapeHtml(text) + "</" + tag + ">";
}

static std::string heading(const char *text) { return element("h2", text) + "\n"; }

static std::string writeList(const std::vector<std::string> &lines, const char *kind) {
  std::string html = std::string("<ul class=\"") + kind + "\">\n";
  for (const std::string &line : lines)
    html += element("li", line) + "\n";
  return html + "</ul>\n";
}

static std::string writeNames(const std::vector<VariantReport> &reports) {
  std::string html;
  for (const VariantReport &report : reports)
    html += element("th", report.name);
  return html;
}

static std::string writeTable(const std::vector<VariantReport> &reports) {
  std::string html = "<table class=\"numbers\">\n";
  for (const ReportRow &row : makeRows(reports)) {
    html += "<tr>" + element("th", row.name);
    for (const VariantReport &report : reports)
      html += element(row.name.empty() ? "th" : "td", row.cell(report));
    html += "</tr>\n";
  }
  html += "</table>\n";
  for (const VariantReport &report : reports) {
    // What a policy chose by itself is said in the words in which one would ask for it.
    const std::string &policy = report.isByCost ? report.compiledPolicy : report.policy;
    if (policy != report.name)
      html += "<p class=\"note\">" + escapeHtml(report.name + " is " + policy) + "</p>\n";
  }
  return html;
}

static std::string writeCurves(const std::vector<VariantReport> &reports) {
  std::string html, legend = "<p class=\"legend\">";
  for (size_t i = 0; i < reports.size(); ++i)
    legend += "<span><i style=\"background: " + colourOf(i) + "\"></i>" + escapeHtml(reports[i].name) + "</span>";
  legend += "</p>\n";
  for (auto [curve, title] : {std::pair{Curve::Loss, "Loss"}, {Curve::LossScale, "Loss scale"}})
    if (std::string drawn = drawCurves(reports, curve); !drawn.empty())
      html += heading(title) + legend + drawn;
  std::string skips;
  for (const VariantReport &report : reports)
    if (!report.skips.empty())
      skips += element("h3", report.name) + writeList(describeSkippedSteps(report, kMostLines), "skips");
  if (!skips.empty())
    html += heading("Skipped steps") +
            "<p class=\"note\">Triangles in the curves. Of each step the first gradient that was not finite.</p>\n" +
            skips;
  return html;
}

static std::string writeMemory(const std::vector<VariantReport> &reports) {
  std::vector<std::string> kinds;
  uint64_t most = 1;
  for (const VariantReport &report : reports)
    for (const MemoryReport &part : report.memory) {
      most = std::max(most, part.bytes);
      if (std::ranges::find(kinds, part.kind) == kinds.end() && kinds.size() < kMostLines)
        kinds.push_back(part.kind);
    }
  if (kinds.empty())
    return "";
  std::string html = heading("Memory") + "<table class=\"numbers\"><tr><th></th>" + writeNames(reports) + "</tr>\n";
  for (const std::string &kind : kinds) {
    html += "<tr>" + element("th", kind);
    for (const VariantReport &report : reports) {
      auto part = std::ranges::find(report.memory, kind, &MemoryReport::kind);
      if (part == report.memory.end()) {
        html += "<td>-</td>";
        continue;
      }
      const double width = 6 * static_cast<double>(part->bytes) / static_cast<double>(most);
      html += "<td>" + formatBytes(part->bytes) + " <span class=\"bar\" style=\"width: " + formatNumber("%.2f", width) +
              "em\"></span></td>";
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

static std::string writeKernels(const std::vector<VariantReport> &reports) {
  std::vector<std::map<std::string, double>> seconds;
  std::map<std::string, double> most;
  for (const VariantReport &report : reports)
    for (const auto &[kind, time] : seconds.emplace_back(secondsOfKinds(report)))
      most[kind] = std::max(most[kind], time);
  std::vector<std::string> kinds;
  for (const auto &[kind, time] : most)
    kinds.push_back(kind);
  std::ranges::sort(kinds,
                    [&](const auto &a, const auto &b) { return std::pair(-most[a], a) < std::pair(-most[b], b); });
  kinds.resize(std::min(kinds.size(), kMostLines));
  if (kinds.empty())
    return "";
  std::string html = heading("Kernels of a training step") +
                     "<p class=\"note\">Milliseconds of all kernels of a kind, each run by itself.</p>\n"
                     "<table class=\"numbers\"><tr><th></th>" +
                     writeNames(reports) + "</tr>\n";
  for (const std::string &kind : kinds) {
    html += "<tr>" + element("th", kind);
    for (const auto &own : seconds) {
      auto found = own.find(kind);
      html += "<td>" + (found == own.end() ? "-" : formatNumber("%.3f", 1e3 * found->second)) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

static std::string writeOps(const std::vector<VariantReport> &reports) {
  size_t all = 0, shown = 0;
  std::string rows;
  for (const VariantReport &report : reports) {
    all += report.ops.size();
    for (const OpReport &op : report.ops) {
      if (shown == kMostOps)
        break;
      ++shown;
      rows += "<tr>";
      for (const std::string &cell : {report.name, op.function, op.place, op.op, op.type, op.sums, op.why})
        rows += element("td", cell);
      rows += "</tr>\n";
    }
  }
  if (shown == 0)
    return "";
  return heading("Which op computes in which type") +
         "<p><input id=\"filter\" type=\"search\" placeholder=\"filter: words that a row has\"> <span id=\"shown\">" +
         std::to_string(shown) + "</span> of " + std::to_string(all) + " ops</p>\n<table id=\"ops\"><thead><tr>" +
         "<th>variant</th><th>function</th><th>place</th><th>op</th><th>type</th><th>sums</th><th>why</th></tr></"
         "thead>" +
         "<tbody>\n" + rows + "</tbody></table>\n";
}

/// The start of a text, cut between two characters of UTF-8.
static std::string cut(const std::string &text, size_t most) {
  if (text.size() <= most)
    return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80)
    --most;
  return text.substr(0, most) + "\n... and " + std::to_string(text.size() - most) + " bytes more";
}

static std::string writeStages(const std::vector<VariantReport> &reports) {
  std::string html;
  for (const VariantReport &report : reports)
    for (size_t i = 0; i < std::min(kMostLines, report.stages.size()); ++i)
      html += "<details><summary>" + escapeHtml(report.name + ": " + report.stages[i].name) + "</summary>" +
              element("pre", cut(report.stages[i].text, kMostText)) + "</details>\n";
  return html.empty() ? "" : heading("The model behind each stage of the compiler") + html;
}

std::string writePage(const Comparison &comparison) {
  std::vector<VariantReport> reports = comparison.variants;
  const size_t left = reports.size() - std::min(reports.size(), kMostVariants);
  reports.resize(reports.size() - left);
  std::string html = kHead;
  html += element("h1", reports.size() > 1 ? "Training under several policies" : "A training run") + "\n";
  html += writeList(describeVerdict(comparison), "verdict");
  html += writeTable(reports);
  if (const std::string data = describeData(comparison); !data.empty())
    html += "<p class=\"note\">" + escapeHtml(data) + "</p>\n";
  if (left != 0)
    html += "<p class=\"note\">" + std::to_string(left) + " more variants are not shown.</p>\n";
  html += writeCurves(reports);
  html += writeKernels(reports);
  html += writeMemory(reports);
  html += writeOps(reports);
  html += writeStages(reports);
  if (!comparison.device.empty())
    html +=
        "<p class=\"note\">" +
        escapeHtml("Device " + comparison.device + (comparison.commit.empty() ? "" : ", commit " + comparison.commit)) +
        "</p>\n";
  return html + kScript + "</body></html>\n";
}

} // namespace mp
