"""One run: learn, evaluate exactly, write down."""
