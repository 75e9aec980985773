"""Agents in any language: programs that read queries as lines of JSON and answer each query with a line of JSON."""

# Prefix that marks a policy on the command line as the command of a program.
AGENT = "agent:"
# Environment variable: time limit in seconds for each answer of a program.
SECONDS_VARIABLE = "CARDWAR_AGENT_SECONDS"
# Environment variable set in processes whose arguments come from a file; these processes start no program.
FROM_FILE = "CARDWAR_ARGUMENTS_FROM_FILE"
