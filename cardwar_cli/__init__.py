"""The command `cardwar`: one file per subcommand."""
