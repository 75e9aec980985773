"""Adapters that turn any game into AEC, Parallel, Gymnasium and batched environments."""
