"""An agent in plain Python: mixes evenly over its cheapest and its dearest move. It imports nothing but json and sys.

cardwar exploit goofspiel num_cards=3 --policy "agent:python3 examples/agents/any_move.py"
"""

import json
import sys


def answer(query):
    """Probabilities of moves by name."""
    names = [move["name"] for move in query["moves"]]
    chosen = {names[0], names[-1]}
    return {"probabilities": {name: 1 / len(chosen) for name in chosen}}


def main():
    """Answers a line with a line until there are no more."""
    for line in sys.stdin:
        query = json.loads(line)
        if query["protocol"] != 1:
            sys.exit(f"unknown protocol {query['protocol']}")
        print(json.dumps(answer(query)), flush=True)  # flush: the program waits for each line


if __name__ == "__main__":
    main()
