"""Learners, exact evaluation of what they learn, and the command `cardwar`."""
