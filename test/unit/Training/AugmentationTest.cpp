// Tests of changed training images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Augmentation.h"
#include "mp/Training/Data/BatchLoader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

using namespace mp;

/// Images of [6, 5] pixels of two bytes, each of which says its row, its place and which of the two it is; none is 0.
static Dataset placesData(unsigned rows) {
  Dataset data{"places", {6, 5, 2}, {}, {}};
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned pixel = 0; pixel < 30; ++pixel)
      for (unsigned colour = 0; colour < 2; ++colour)
        data.images.push_back(std::byte(1 + (row * 31 + pixel * 2 + colour) % 255));
    data.labels.push_back(row);
  }
  return data;
}

using Image = std::vector<std::byte>;

static Image imageOf(const Dataset &data, const std::string &words, uint64_t epoch, uint64_t row, uint64_t seed = 1) {
  Image image(data.imageBytes());
  augmentRow(*parseAugmentation(words), data, seed, epoch, row, image);
  return image;
}

/// The image's pixel at a place, or zeros outside of it.
static std::pair<std::byte, std::byte> pixelOf(const Dataset &data, uint64_t row, int y, int x) {
  if (y < 0 || y >= 6 || x < 0 || x >= 5)
    return {std::byte(0), std::byte(0)};
  const std::byte *pixel = data.images.data() + row * 60 + unsigned(y * 5 + x) * 2;
  return {pixel[0], pixel[1]};
}

/// The row mirrored if told so, then moved.
static Image moved(const Dataset &data, uint64_t row, bool isMirrored, int moveY, int moveX) {
  Image image;
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 5; ++x) {
      int from = isMirrored ? 4 - (x + moveX) : x + moveX;
      auto [first, second] = pixelOf(data, row, y + moveY, from);
      image.push_back(first);
      image.push_back(second);
    }
  return image;
}

TEST(Augmentation, ReadsWordsInAnyOrder) {
  EXPECT_EQ(*parseAugmentation("flip,crop:4,cutout:8"), (Augmentation{true, 4, 8}));
  EXPECT_EQ(*parseAugmentation("cutout:8"), (Augmentation{false, 0, 8}));
  EXPECT_EQ(formatAugmentation(*parseAugmentation("cutout:8,crop:4,flip")), "flip,crop:4,cutout:8");
  EXPECT_EQ(formatAugmentation(*parseAugmentation("crop:12")), "crop:12");
  EXPECT_EQ(formatAugmentation({}), "");
  auto message = [](const char *text) { return parseAugmentation(text).message(); };
  EXPECT_EQ(message("flop"), "unknown word 'flop'; expected flip, crop:PIXELS or cutout:PIXELS; did you mean 'flip'?");
  EXPECT_EQ(message(""), "unknown word ''; expected flip, crop:PIXELS or cutout:PIXELS");
  EXPECT_EQ(message("flip,"), "unknown word ''; expected flip, crop:PIXELS or cutout:PIXELS");
  EXPECT_EQ(message("flip:2"), "'flip' takes no number");
  EXPECT_EQ(message("flip,flip"), "'flip' is given twice");
  EXPECT_EQ(message("crop:4,crop:4"), "'crop' is given twice");
  EXPECT_EQ(message("crop"), "'crop' needs a number of pixels, as in crop:4");
  for (const char *number : {"0", "-1", "x", "", "4x", "99999999999999999999"})
    EXPECT_EQ(message(("cutout:" + std::string(number)).c_str()),
              "'cutout:" + std::string(number) + "' has no number of pixels of at least 1, as in cutout:8");
}

TEST(Augmentation, FitsTheImages) {
  Dataset data = placesData(1);
  auto message = [&](const char *words) { return checkAugmentation(*parseAugmentation(words), data).message(); };
  EXPECT_EQ(message("flip,crop:4,cutout:5"), "");
  EXPECT_EQ(message("crop:5"), "crop:5 of images of 6x5, expected at most 4");
  EXPECT_EQ(message("cutout:6"), "cutout:6 of images of 6x5, expected at most 5");
  data.imageShape = {60};
  EXPECT_EQ(message("flip"), "rows of places are tensor<60xui8>, no images; expected [y, x] or [y, x, colour]");
  EXPECT_TRUE(checkAugmentation({}, data).ok());
}

TEST(Augmentation, MirrorsHalfOfTheImages) {
  Dataset data = placesData(1000);
  int mirrored = 0;
  for (uint64_t row = 0; row < 1000; ++row) {
    Image image = imageOf(data, "flip", 0, row);
    bool isMirrored = image == moved(data, row, true, 0, 0);
    ASSERT_TRUE(isMirrored || image == moved(data, row, false, 0, 0)) << row;
    mirrored += isMirrored;
  }
  EXPECT_NEAR(mirrored, 500, 4 * std::sqrt(250.0));
}

/// Each of the places is as likely as another, mirrored or not.
TEST(Augmentation, CropsEverywhere) {
  Dataset data = placesData(5000);
  std::map<std::tuple<bool, int, int>, int> counts;
  for (uint64_t row = 0; row < 5000; ++row) {
    Image image = imageOf(data, "flip,crop:2", 3, row);
    int found = 0;
    for (bool isMirrored : {false, true})
      for (int y = -2; y <= 2; ++y)
        for (int x = -2; x <= 2; ++x)
          if (image == moved(data, row, isMirrored, y, x)) {
            counts[{isMirrored, y, x}] += 1;
            found += 1;
          }
    ASSERT_EQ(found, 1) << row;
  }
  EXPECT_EQ(counts.size(), 50u);
  for (auto [place, count] : counts)
    EXPECT_NEAR(count, 100, 5 * std::sqrt(100.0));
}

/// The square is where its pixel is, cut at the border; all else stays.
TEST(Augmentation, CutsSquaresOut) {
  Dataset data = placesData(3000);
  for (int side : {1, 2, 3}) {
    std::map<std::pair<int, int>, int> counts;
    for (uint64_t row = 0; row < 3000; ++row) {
      Image image = imageOf(data, "cutout:" + std::to_string(side), 0, row);
      int found = 0;
      for (int centreY = 0; centreY < 6; ++centreY)
        for (int centreX = 0; centreX < 5; ++centreX) {
          Image expected = moved(data, row, false, 0, 0);
          for (int y = std::max(0, centreY - side / 2); y < std::min(6, centreY - side / 2 + side); ++y)
            for (int x = std::max(0, centreX - side / 2); x < std::min(5, centreX - side / 2 + side); ++x)
              expected[unsigned(y * 5 + x) * 2] = expected[unsigned(y * 5 + x) * 2 + 1] = std::byte(0);
          if (image == expected) {
            counts[{centreY, centreX}] += 1;
            found += 1;
          }
        }
      ASSERT_EQ(found, 1) << row;
    }
    EXPECT_EQ(counts.size(), 30u);
    for (auto [centre, count] : counts)
      EXPECT_NEAR(count, 100, 5 * std::sqrt(100.0));
  }
}

TEST(Augmentation, DependsOnSeedEpochAndRow) {
  Dataset data = placesData(200);
  for (uint64_t row = 1; row < 200; ++row) // one image, again and again
    std::copy_n(data.images.begin(), 60, data.images.begin() + int64_t(row) * 60);
  auto images = [&](uint64_t seed, uint64_t epoch, uint64_t first) {
    std::vector<Image> all;
    for (uint64_t row = first; row < first + 100; ++row)
      all.push_back(imageOf(data, "flip,crop:2,cutout:3", epoch, row, seed));
    return all;
  };
  EXPECT_EQ(images(1, 0, 0), images(1, 0, 0));
  EXPECT_NE(images(1, 0, 0), images(1, 0, 100));
  EXPECT_NE(images(1, 0, 0), images(1, 1, 0));
  EXPECT_NE(images(1, 0, 0), images(2, 0, 0));
  EXPECT_NE(images(1, 0, 0), images(1, uint64_t(1) << 32, 0));
}

/// The images that a loader gives, by epoch and label.
static std::map<std::pair<uint64_t, int>, Image> loaded(const Dataset &data, int64_t batch, uint64_t batches,
                                                        BatchOrder order) {
  DataBinding binding;
  binding.imageType = makeType(ElementType::UI8, {batch, 6, 5, 2});
  binding.labelArgument = 1;
  binding.labelType = makeType(ElementType::I32, {batch});
  BatchLoader loader(data, binding, order, *parseAugmentation("flip,crop:2,cutout:2"));
  std::map<std::pair<uint64_t, int>, Image> images;
  for (uint64_t i = 0; i < batches; ++i) {
    const Batch &given = loader.next();
    const int32_t *labels = reinterpret_cast<const int32_t *>(given.labels.data());
    for (int64_t row = 0; row < batch; ++row)
      images[{given.epoch, labels[row]}] = Image(given.images.begin() + row * 60, given.images.begin() + row * 60 + 60);
  }
  return images;
}

TEST(Augmentation, IsTheSameInEveryBatch) {
  Dataset data = placesData(24);
  auto whole = loaded(data, 8, 6, {.seed = 5});
  ASSERT_EQ(whole.size(), 48u);
  for (const auto &[key, image] : whole)
    EXPECT_EQ(image, imageOf(data, "flip,crop:2,cutout:2", key.first, uint64_t(key.second), 5));
  EXPECT_EQ(loaded(data, 3, 16, {.seed = 5}), whole);
  auto second = loaded(data, 8, 2, {.seed = 5, .firstEpoch = 1, .firstBatch = 1});
  for (const auto &[key, image] : second)
    EXPECT_EQ(image, whole.at(key));
}

TEST(Augmentation, MovesFloatsWhole) {
  Dataset data{"floats", {2, 2, 1}, {}, {0}, ElementType::F32};
  const float values[] = {1.5f, 2.5f, 3.5f, 4.5f};
  std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  data.images.assign(bytes.begin(), bytes.end());
  bool isSeen = false;
  for (uint64_t epoch = 0; epoch < 20; ++epoch) {
    Image image = imageOf(data, "flip", epoch, 0);
    const float *floats = reinterpret_cast<const float *>(image.data());
    isSeen |= floats[0] == 2.5f && floats[1] == 1.5f && floats[2] == 4.5f && floats[3] == 3.5f;
  }
  EXPECT_TRUE(isSeen);
}
