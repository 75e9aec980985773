"""How well a policy does: exactly, as a lower bound, or in matches. The three are never mixed and always named."""
