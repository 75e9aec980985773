"""Forwards to `baselines.papers.documents`."""

import sys
import warnings

from baselines.papers.documents import main

warnings.warn("baselines.reproduction.documents is now baselines.papers.documents", DeprecationWarning, stacklevel=1)

if __name__ == "__main__":
    main(sys.argv[1:])
