"""Three ways of measuring a policy: exactly, by a lower bound, and in matches. Every output names the one it used."""
