"""Ground truth for each game: equilibria, best responses, exploitability, classic strategies.

The names of this package, listed in `__init__.pyi`, are imported on first access.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
