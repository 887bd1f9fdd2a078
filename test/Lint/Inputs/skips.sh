#!/bin/sh
# A gtest program of two tests, of which it skips one, as lit asks for them: the first shard runs both.
if [ "$1" = --gtest_list_tests ]; then
  printf 'Suite.\n  one\n  two\n'
  exit
fi
[ "$GTEST_SHARD_INDEX" = 0 ] && tests='
  {"name": "one", "file": "a.cpp", "line": 1, "result": "COMPLETED", "time": "0s"},
  {"name": "two", "file": "a.cpp", "line": 2, "result": "SKIPPED", "time": "0s"}'
echo "{\"testsuites\": [{\"name\": \"Suite\", \"testsuite\": [$tests]}]}" > "${GTEST_OUTPUT#json:}"
