// A program whose main is in a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern "C" int MP_MAIN(int argc, char **argv);

int main(int argc, char **argv) { return MP_MAIN(argc, argv); }
