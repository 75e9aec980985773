"""Agents outside Python: programs that read queries as lines of JSON and answer each with a line."""

# Prefix of a program's command where a person types a policy.
AGENT = "agent:"
# Environment variable: seconds that a program may take to answer.
SECONDS_VARIABLE = "CARDWAR_AGENT_SECONDS"
# Set in processes whose arguments come from a file; they start no program.
FROM_FILE = "CARDWAR_ARGUMENTS_FROM_FILE"
