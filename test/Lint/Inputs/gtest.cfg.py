# A suite of the gtest programs in the folder that it is copied into, for the test of the runner.
import lit.formats
import os

config.name = "gtest"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = config.test_exec_root = os.path.dirname(__file__)
