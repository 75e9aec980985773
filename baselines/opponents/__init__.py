"""The classic strategies: small classes, each naming its source."""
