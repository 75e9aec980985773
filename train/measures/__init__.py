"""Ways of measuring a policy: exactly, as a lower bound, or in matches. They are never mixed and always named."""
