// Training images, changed anew in each epoch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Augmentation.h"
#include "mp/Base/NearestName.h"
#include "mp/Base/Text.h"
#include "mp/Numerics/Philox.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace mp;

/// Below the stream of the order of rows, far from those of ops.
static constexpr uint32_t kPlaceStream = kInitializerStream - 2;
static constexpr uint32_t kSquareStream = kInitializerStream - 3;

namespace {

/// A word of the flag, with or without a number of pixels.
struct Word {
  const char *name;
  int64_t Augmentation::*pixels; // null for flip
  int64_t example;
};

} // namespace

static constexpr Word kWords[] = {
    {"flip", nullptr, 0}, {"crop", &Augmentation::crop, 4}, {"cutout", &Augmentation::cutout, 8}};

static Status setWord(Augmentation &augmentation, std::string_view text) {
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  const Word *word = std::ranges::find_if(kWords, [&](const Word &word) { return name == word.name; });
  if (word == std::end(kWords)) {
    std::vector<std::string> names;
    for (const Word &known : kWords)
      names.emplace_back(known.name);
    return makeError("unknown word '", printable(name), "'; expected flip, crop:PIXELS or cutout:PIXELS",
                     suggestName(name, names));
  }
  if (word->pixels ? augmentation.*word->pixels != 0 : augmentation.flip)
    return makeError("'", name, "' is given twice");
  if (!word->pixels) {
    augmentation.flip = true;
    return colon == std::string_view::npos ? Status::success() : makeError("'", name, "' takes no number");
  }
  if (colon == std::string_view::npos)
    return makeError("'", name, "' needs a number of pixels, as in ", name, ":", word->example);
  std::string_view digits = text.substr(colon + 1);
  int64_t pixels = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pixels);
  if (error != std::errc() || end != digits.data() + digits.size() || pixels < 1)
    return makeError("'", printable(text), "' has no number of pixels of at least 1, as in ", name, ":", word->example);
  augmentation.*word->pixels = pixels;
  return Status::success();
}

ErrorOr<Augmentation> mp::parseAugmentation(std::string_view text) {
  Augmentation augmentation;
  while (true) {
    size_t comma = text.find(',');
    if (Status set = setWord(augmentation, text.substr(0, comma)); !set.ok())
      return set;
    if (comma == std::string_view::npos)
      return augmentation;
    text.remove_prefix(comma + 1);
  }
}

std::string mp::formatAugmentation(const Augmentation &augmentation) {
  std::string text = augmentation.flip ? "flip" : "";
  for (const Word &word : kWords)
    if (word.pixels && augmentation.*word.pixels)
      text += (text.empty() ? "" : ",") + std::string(word.name) + ":" + std::to_string(augmentation.*word.pixels);
  return text;
}

Status mp::checkAugmentation(const Augmentation &augmentation, const Dataset &data) {
  if (!augmentation.any())
    return Status::success();
  const std::vector<int64_t> &shape = data.imageShape;
  if (shape.size() != 2 && shape.size() != 3)
    return makeError("rows of ", data.name, " are ", typeName(makeType(data.imageElement, shape)),
                     ", no images; expected [y, x] or [y, x, colour]");
  int64_t side = std::min(shape[0], shape[1]);
  auto check = [&](const char *name, int64_t pixels, int64_t most) {
    if (pixels <= most)
      return Status::success();
    return makeError(name, ":", pixels, " of images of ", shape[0], "x", shape[1], ", expected at most ", most);
  };
  if (Status fits = check("crop", augmentation.crop, side - 1); !fits.ok()) // one that leaves nothing of the image
    return fits;
  return check("cutout", augmentation.cutout, side);
}

namespace {

/// What happens to one image.
struct Draw {
  bool isMirrored = false;
  int64_t moveY = 0, moveX = 0;                     // from a pixel of the result to that of the (mirrored) image
  int64_t top = 0, bottom = 0, left = 0, right = 0; // of the square, with ends behind it; may reach out of the image

  bool isCut(int64_t y, int64_t x) const { return y >= top && y < bottom && x >= left && x < right; }
};

} // namespace

static Draw draw(const Augmentation &augmentation, int64_t height, int64_t width, uint64_t seed, uint64_t epoch,
                 uint64_t row) {
  auto below = [&](uint32_t stream, uint64_t k, int64_t count) {
    return static_cast<int64_t>(uint64_t(randomBits(seed, epoch, stream, 4 * row + k)) * uint64_t(count) >> 32);
  };
  Draw draw;
  draw.isMirrored = augmentation.flip && below(kPlaceStream, 0, 2) == 1;
  if (augmentation.crop) {
    draw.moveY = below(kPlaceStream, 1, 2 * augmentation.crop + 1) - augmentation.crop;
    draw.moveX = below(kPlaceStream, 2, 2 * augmentation.crop + 1) - augmentation.crop;
  }
  if (augmentation.cutout) {
    draw.top = below(kSquareStream, 0, height) - augmentation.cutout / 2;
    draw.left = below(kSquareStream, 1, width) - augmentation.cutout / 2;
    draw.bottom = draw.top + augmentation.cutout;
    draw.right = draw.left + augmentation.cutout;
  }
  return draw;
}

void mp::augmentRow(const Augmentation &augmentation, const Dataset &data, uint64_t seed, uint64_t epoch, uint64_t row,
                    std::span<std::byte> image) {
  int64_t height = data.imageShape[0], width = data.imageShape[1];
  uint64_t pixelBytes = data.imageBytes() / static_cast<uint64_t>(height * width);
  const std::byte *source = data.images.data() + row * data.imageBytes();
  const Draw drawn = draw(augmentation, height, width, seed, epoch, row);
  std::fill(image.begin(), image.end(), std::byte(0));
  for (int64_t y = std::max<int64_t>(0, -drawn.moveY); y < std::min(height, height - drawn.moveY); ++y)
    for (int64_t x = std::max<int64_t>(0, -drawn.moveX); x < std::min(width, width - drawn.moveX); ++x) {
      if (drawn.isCut(y, x))
        continue;
      int64_t fromX = drawn.isMirrored ? width - 1 - (x + drawn.moveX) : x + drawn.moveX;
      int64_t from = (y + drawn.moveY) * width + fromX;
      std::memcpy(image.data() + static_cast<uint64_t>(y * width + x) * pixelBytes,
                  source + static_cast<uint64_t>(from) * pixelBytes, pixelBytes);
    }
}
