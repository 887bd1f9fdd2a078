# A lit suite of the folder that it is copied into, for the test of the runner.
import lit.formats
import os

config.name = "suite"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".sh"]
config.test_source_root = config.test_exec_root = os.path.dirname(__file__)
if "long" in lit_config.params:
    config.available_features.add("long")
