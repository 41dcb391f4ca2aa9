"""Collections, labels and predictions as Parquet, read and written a part at a time."""
