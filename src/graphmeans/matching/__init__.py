"""How two graphs are aligned: the matchers, and many pairs on threads."""
