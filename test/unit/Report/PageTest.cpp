// Pages of HTML.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Report/Comparison.h"

#include "Report/Curves.h"
#include "Report/Examples.h"
#include "Report/Html.h"

#include <gtest/gtest.h>

using namespace mp;

static size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

TEST(Page, NoTextOfAFileIsMarkup) {
  const std::string plain = writePage(exampleComparison());
  for (const char *text : {"<script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>",
                           "\"><svg onload=alert(1)>", "'><b>", "]]><!--", "&lt;b&gt;"}) {
    const std::string page = writePage(exampleComparison(text));
    EXPECT_EQ(count(page, "<"), count(plain, "<")) << text;
    EXPECT_EQ(count(page, "\""), count(plain, "\"")) << text;
    EXPECT_EQ(count(page, text), 0u) << text;
    EXPECT_GT(count(page, escapeHtml(text)), 8u) << text;
  }
}

TEST(Page, NothingIsLoaded) {
  const std::string page = writePage(exampleComparison());
  for (const char *part : {"http:", "https:", "//", "src=", "href=", "url(", "@import", "<link", "<iframe"})
    EXPECT_EQ(count(page, part), 0u) << part;
  EXPECT_EQ(count(page, "default-src 'none'"), 1u);
}

TEST(Page, TheVerdictComesFirst) {
  const std::string page = writePage(exampleComparison());
  EXPECT_LT(page.find("class=\"verdict\""), page.find("<table"));
  EXPECT_LT(page.find("<table"), page.find("<svg"));
}

TEST(Page, ModelDataAndSeedAreNamed) {
  EXPECT_EQ(
      count(writePage(exampleComparison("&")), "model clothes &amp;, 800 rows of folder/&amp;, tested on 100, seed 3"),
      1u);
}

TEST(Page, ControlCharactersAreReplaced) {
  EXPECT_EQ(escapeHtml(std::string_view("a\0b\x1b\n\t", 6)), "a\xEF\xBF\xBD"
                                                             "b\xEF\xBF\xBD\n\t");
}

/// The height of a value of 0.25, drawn beside one of 2 and one of 0.
TEST(Curves, PointsAreWhereTheirValuesAre) {
  std::vector<VariantReport> reports(1);
  reports[0].losses = {2, 0, 0.25f, NAN};
  const std::string svg = drawCurves(reports, Curve::Loss);
  // From y 12 (of 2) to y 192 (of 0): 192 - 180 / 8. From x 64 (of step 1) to x 748 (of step 4, which has no loss).
  EXPECT_NE(svg.find("points=\"64.0,12.0 292.0,192.0 520.0,169.5\""), std::string::npos) << svg;
}

TEST(Curves, LongSeriesKeepTheirLargestAndTheirLeastValue) {
  std::vector<VariantReport> reports(1);
  reports[0].losses.assign(100000, 1);
  reports[0].losses[54321] = 9;
  reports[0].losses[54322] = -3;
  const std::string svg = drawCurves(reports, Curve::Loss);
  EXPECT_LT(svg.size(), 20000u);
  EXPECT_EQ(count(svg, ",12.0"), 1u);
  EXPECT_EQ(count(svg, ",192.0"), 1u);
}

TEST(Curves, NothingIsDrawnOfNothing) {
  std::vector<VariantReport> reports(2);
  reports[0].losses = {NAN, INFINITY};
  reports[0].lossScales = {1, 1};
  EXPECT_EQ(drawCurves(reports, Curve::Loss), "");
  EXPECT_EQ(drawCurves(reports, Curve::LossScale), "");
}

TEST(Curves, OneStepAndOneValueAreDrawn) {
  std::vector<VariantReport> reports(1);
  reports[0].losses = {3};
  reports[0].skips = {{UINT64_MAX, "w"}};
  EXPECT_EQ(count(drawCurves(reports, Curve::Loss), "nan"), 0u);
}
