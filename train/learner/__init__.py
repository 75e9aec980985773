"""What a learner is: its methods, its arguments, its checkpoints."""
