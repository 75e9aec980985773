"""Lets tests import the helper modules in `helpers`.

The folder `tests` itself must stay off the path: `tests/baselines` would hide `baselines`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "helpers"))
