"""Runs other libraries on our environments, each in a virtual environment of its own, for `docs/clients.md`."""
