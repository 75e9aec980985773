"""Agents outside Python: programs that read questions as lines of JSON and answer with a line each."""

# Before the command of a program, where a person types a policy.
AGENT = "agent:"
# Environment variable: seconds that a program may take to answer.
SECONDS_VARIABLE = "CARDWAR_AGENT_SECONDS"
# Set for processes whose arguments come from a file; no program is started there.
FROM_FILE = "CARDWAR_ARGUMENTS_FROM_FILE"
