// Series of steps as inline SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Curves.h"

#include "Report/Html.h"
#include "Report/Rows.h"

#include <algorithm>
#include <cmath>

namespace mp {

// Of the drawing, and of what is around its axes.
static constexpr double kWidth = 760, kHeight = 220, kLeft = 64, kRight = 12, kTop = 12, kBottom = 28;
/// Points of a curve: more than a screen shows are joined.
static constexpr size_t kMostPoints = 700;
static constexpr size_t kMostMarks = 400;

std::string colourOf(size_t variant) {
  constexpr const char *kColours[] = {"#3366cc", "#dc6900", "#1a8a3c", "#9440a8", "#b8232f", "#00798c", "#6b6b00"};
  return kColours[variant % std::size(kColours)];
}

namespace {

struct Point {
  double step, value;
};

/// Steps to the right, values upwards.
struct Axes {
  double firstStep = INFINITY, lastStep = -INFINITY, low = INFINITY, high = -INFINITY;

  void addSteps(double first, double count) {
    firstStep = std::min(firstStep, first);
    lastStep = std::max(lastStep, first + count - 1);
  }
  void add(const Point &point) {
    low = std::min(low, point.value);
    high = std::max(high, point.value);
  }
  bool isEmpty() const { return low > high; }
  double x(double step) const {
    const double part = lastStep > firstStep ? (step - firstStep) / (lastStep - firstStep) : 0.5;
    return kLeft + part * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    const double part = high > low ? (value - low) / (high - low) : 0.5;
    return kHeight - kBottom - part * (kHeight - kTop - kBottom);
  }
};

} // namespace

static double valueOf(const VariantReport &report, Curve curve, size_t index) {
  return curve == Curve::Loss ? report.losses[index] : std::log2(report.lossScales[index]);
}

/// The finite values; of each run of steps that one column of the drawing would show their least and their largest.
static std::vector<Point> pointsOf(const VariantReport &report, Curve curve) {
  const size_t count = (curve == Curve::Loss ? report.losses : report.lossScales).size();
  const size_t columns = std::min(count, kMostPoints / 2);
  // A variant whose scale is always 1 has none.
  if (curve == Curve::LossScale && std::ranges::all_of(report.lossScales, [](float scale) { return scale == 1; }))
    return {};
  std::vector<Point> points;
  for (size_t column = 0; column < columns; ++column) {
    std::vector<Point> ends;
    for (size_t i = count * column / columns; i < count * (column + 1) / columns; ++i) {
      const Point point{static_cast<double>(report.firstStep) + static_cast<double>(i), valueOf(report, curve, i)};
      if (!std::isfinite(point.value))
        continue;
      if (ends.empty())
        ends = {point, point};
      ends[0] = point.value < ends[0].value ? point : ends[0];
      ends[1] = point.value > ends[1].value ? point : ends[1];
    }
    std::ranges::sort(ends, {}, &Point::step);
    if (ends.size() == 2 && ends[0].step == ends[1].step)
      ends.pop_back();
    points.insert(points.end(), ends.begin(), ends.end());
  }
  return points;
}

static std::string number(double value) { return formatNumber("%.1f", value); }

static std::string label(Curve curve, double value) {
  return curve == Curve::Loss ? formatNumber("%.4g", value) : "2^" + formatNumber("%.4g", value);
}

static std::string drawAxes(const Axes &axes, Curve curve) {
  std::string svg;
  constexpr int kLines = 4;
  for (int i = 0; i <= kLines; ++i) {
    const double value = axes.low + (axes.high - axes.low) * i / kLines, y = axes.y(value);
    svg += "<line class=\"grid\" x1=\"" + number(kLeft) + "\" x2=\"" + number(kWidth - kRight) + "\" y1=\"" +
           number(y) + "\" y2=\"" + number(y) + "\"/><text x=\"" + number(kLeft - 6) + "\" y=\"" + number(y + 4) +
           "\" text-anchor=\"end\">" + label(curve, value) + "</text>";
    if (axes.high <= axes.low)
      break;
  }
  for (double step : {axes.firstStep, axes.lastStep})
    svg += "<text x=\"" + number(axes.x(step)) + "\" y=\"" + number(kHeight - 8) + "\" text-anchor=\"" +
           (step == axes.firstStep ? "start" : "end") + "\">step " + formatNumber("%.0f", step) + "</text>";
  return svg;
}

/// Marks at the bottom, where a loss that is not finite has no place of its own.
static std::string drawSkips(const VariantReport &report, const Axes &axes, size_t variant) {
  std::string svg;
  for (size_t i = 0; i < std::min(kMostMarks, report.skips.size()); ++i) {
    const SkippedStep &skip = report.skips[i];
    const double x = axes.x(std::clamp(static_cast<double>(skip.step), axes.firstStep, axes.lastStep));
    svg += "<path class=\"skip\" fill=\"" + colourOf(variant) + "\" d=\"M" + number(x) + " " +
           number(kHeight - kBottom - 7) + "l4 7h-8z\"><title>" + escapeHtml(report.name) + ": step " +
           std::to_string(skip.step) + " skipped" +
           (skip.gradient.empty() ? "" : ", the gradient of " + escapeHtml(skip.gradient) + " is not finite") +
           "</title></path>";
  }
  return svg;
}

std::string drawCurves(const std::vector<VariantReport> &reports, Curve curve) {
  std::vector<std::vector<Point>> all;
  Axes axes;
  for (const VariantReport &report : reports) {
    if (const size_t count = std::max(report.losses.size(), report.lossScales.size()))
      axes.addSteps(static_cast<double>(report.firstStep), static_cast<double>(count));
    for (const Point &point : all.emplace_back(pointsOf(report, curve)))
      axes.add(point);
  }
  if (axes.isEmpty())
    return "";
  std::string svg = "<svg viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) + "\" role=\"img\" aria-label=\"" +
                    (curve == Curve::Loss ? "loss" : "loss scale") + " of each step\">" + drawAxes(axes, curve);
  for (size_t i = 0; i < reports.size(); ++i) {
    std::string line;
    for (const Point &point : all[i])
      line += (line.empty() ? "" : " ") + number(axes.x(point.step)) + "," + number(axes.y(point.value));
    svg += "<polyline fill=\"none\" stroke=\"" + colourOf(i) + "\" points=\"" + line + "\"><title>" +
           escapeHtml(reports[i].name) + "</title></polyline>" + drawSkips(reports[i], axes, i);
  }
  return svg + "</svg>\n";
}

} // namespace mp
