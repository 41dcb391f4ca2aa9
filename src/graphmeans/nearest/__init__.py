"""Which graphs of a collection are nearest to a given one: a cascade of bounds, the cheapest first, and then matchings."""
