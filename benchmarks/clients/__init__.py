"""Runs other people's programs on our environments, each in an environment of its own, for `docs/clients.md`."""
