"""An agent in plain Python that plays its first or its last legal move, each with probability 1/2.

cardwar exploit goofspiel num_cards=3 --policy "agent:python3 examples/agents/any_move.py"
"""

import json
import sys


def answer(query):
    """The answer to a query: the probabilities of moves by name."""
    names = [move["name"] for move in query["moves"]]
    chosen = {names[0], names[-1]}
    return {"probabilities": {name: 1 / len(chosen) for name in chosen}}


def main():
    """Reads a query per line and writes an answer per line, until the input ends."""
    for line in sys.stdin:
        query = json.loads(line)
        if query["protocol"] != 1:
            sys.exit(f"unknown protocol {query['protocol']}")
        print(json.dumps(answer(query)), flush=True)  # flush: the program waits for each line


if __name__ == "__main__":
    main()
