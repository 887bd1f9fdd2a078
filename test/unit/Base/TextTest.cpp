// Text from files, before it is shown.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/Text.h"

#include <gtest/gtest.h>

using namespace mp;

TEST(Text, PlainIsUTF8WithoutControlCharacters) {
  for (const char *text : {"", "dense.kernel", "a b~", "\xc2\xa0", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xef\xbf\xbd",
                           "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80"}) {
    EXPECT_TRUE(isPlainText(text)) << text;
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Text, WhatIsNotPlainIsShownAsQuestionMarks) {
  const std::pair<std::string_view, const char *> rows[] = {
      {{"a\0b", 3}, "a?b"},
      {"a\nb\x1b[2J\x7f", "a?b?[2J?"},
      {"\xc2\x80\xc2\x9b", "????"}, // control characters of two bytes
      {"\x80\xff\xfe\xf8\x88\x80\x80\x80", "????????"},
      {"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "?????????"}, // a slash in too many bytes
      {"\xed\xa0\x80\xed\xbf\xbf", "??????"},                // halves of UTF-16
      {"\xf4\x90\x80\x80", "????"},                          // beyond the last character
      {"\xe2\x82", "??"},                                    // cut off
      {"\xe2\x82z\xc3", "??z?"},
  };
  for (auto [text, shown] : rows) {
    EXPECT_FALSE(isPlainText(text)) << shown;
    EXPECT_EQ(printable(text), shown);
  }
}

TEST(Text, AMessageHasTheBeginningOfALongText) {
  EXPECT_EQ(printable(std::string(81, 'x')), std::string(80, 'x'));
  EXPECT_EQ(printable(std::string(78, 'x') + "\xc3\xbc"), std::string(78, 'x') + "\xc3\xbc");
}

TEST(Text, ACutIsBetweenCharacters) {
  EXPECT_EQ(printable(std::string(79, 'x') + "\xc3\xbc"), std::string(79, 'x'));
  EXPECT_EQ(printable("a\xc3\xa9\xe2\x82\xac", 5), "a\xc3\xa9");
  EXPECT_EQ(printable("a\xc3\xa9\xe2\x82\xac", 6), "a\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(printable("\xe9\xc2\x85z", 2), "??");
  EXPECT_EQ(printable("\xc3\xa9", 1), "");
}
