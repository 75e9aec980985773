"""One run of a study, in a process of its own that does not outlive the study.

Usage: python -m train.studies.study_run WORDS, with the words that stand after `cardwar train`.
"""

from __future__ import annotations

import os
import sys
import threading

from train.cli import main


def _end_with_study() -> None:
    """The study holds the other end of standard input, which is closed with it, however it ends."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_study, daemon=True).start()
    main(["train", *sys.argv[1:]])
