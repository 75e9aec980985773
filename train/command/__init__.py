"""The command `cardwar`: one file for each of its commands."""
