"""What layers are made of: modules, and the parameters and states in them. Users have halfstep.nn."""

from halfstep.hints.elsewhere import PACKAGE
from halfstep_runtime._keywords import tell

tell(__name__, (), globals(), absent=lambda name: PACKAGE["models"])
