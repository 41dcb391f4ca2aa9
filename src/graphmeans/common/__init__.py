"""The largest common subgraph of two or more graphs: which attributes must agree, the search, and what it finds."""
