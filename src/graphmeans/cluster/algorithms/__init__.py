"""The algorithms: lloyd, elkan and gvr of the paper, interval, and how they start, restart and stop."""
