/* What tests of the C API expect, in C.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef MP_TEST_CAPI_EXPECT_H
#define MP_TEST_CAPI_EXPECT_H

#include "mp-c/Runtime.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "not so: %s\n", what);
    failures += 1;
  }
}

/* Success, or the message is printed. */
static void succeed(MpStatus *status, const char *what) {
  if (status)
    fprintf(stderr, "%s\n", mpStatusMessage(status));
  expect(status == NULL, what);
  mpStatusDestroy(status);
}

/* An error of exactly that message. */
static void fail(MpStatus *status, const char *message) {
  expect(status != NULL && strcmp(mpStatusMessage(status), message) == 0, message);
  if (status && strcmp(mpStatusMessage(status), message) != 0)
    fprintf(stderr, "  but: %s\n", mpStatusMessage(status));
  mpStatusDestroy(status);
}

#endif /* MP_TEST_CAPI_EXPECT_H */
