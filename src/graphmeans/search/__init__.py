"""Search in collections of graphs: the nearest of a given one, all within a radius, duplicates."""
