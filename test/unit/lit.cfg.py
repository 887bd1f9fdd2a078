# The gtest programs of a build, each test counted by itself.

import lit.formats

config.name = "Halfstep-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = config.test_exec_root = config.mp_unit_dir

if "long" in lit_config.params:
    config.environment["HALFSTEP_LONG"] = "1"
