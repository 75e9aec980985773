"""Simultaneous-move games with ground truth: rules and environments.

Importing this package registers every game with Gymnasium (`cardwar/Jujitsu-v0`) and with
PettingZoo (`cardwar/jujitsu-v0`). Its names, listed in `__init__.pyi`, are imported on first access.
"""

import lazy_loader

from cardwar_envs.envs.registration import register_all

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
__all__ += ["__version__"]

register_all()
