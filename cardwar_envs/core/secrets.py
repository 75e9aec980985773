"""Environment variables for child processes, without those that look like secrets."""

from __future__ import annotations

import os
import re

# Names such as OPENAI_API_KEY, HF_TOKEN or DB_PASSWORD.
SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def without_secrets(**more: str) -> dict[str, str]:
    """This process's environment variables without those whose names look like secrets, plus `more`."""
    return {name: value for name, value in os.environ.items() if not SECRET.search(name)} | more
