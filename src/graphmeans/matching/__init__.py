"""How two graphs are aligned: the matchers, lower bounds of the distance, and many pairs on threads."""
