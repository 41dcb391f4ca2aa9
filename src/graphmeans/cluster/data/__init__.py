"""Where the graphs of a fit are, and which of them are copies."""
