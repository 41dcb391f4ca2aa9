"""The pictures of a page: means, members, the map, charts, and the tree of merged means."""
