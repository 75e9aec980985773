"""Learners, their exact evaluation, and the command `cardwar`."""
