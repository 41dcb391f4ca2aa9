"""The card of each cluster, and what cards of molecules and of networks show besides."""
