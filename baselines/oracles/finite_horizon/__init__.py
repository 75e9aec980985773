"""Games of many rounds over few positions, round by round."""
