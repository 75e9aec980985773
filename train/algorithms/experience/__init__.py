"""The learners' experience: games played, and buffers of their results."""
