"""A shard: a part of the collection with its labels, alignments and bounds, and the operations on it."""
