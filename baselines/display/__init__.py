"""What results look like: optimal play at a state as data, as pictures and as HTML."""
