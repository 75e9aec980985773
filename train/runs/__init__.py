"""Single runs: training, evaluation and run folders."""
