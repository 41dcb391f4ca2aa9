"""What a page knows: a sample of the graphs, how far they are from the centers, their map, silhouettes and figures."""
