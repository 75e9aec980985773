"""Single training runs, with evaluation and run folders."""
