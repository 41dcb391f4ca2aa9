"""k-means on graphs: the estimator, the algorithms behind it, and their starts."""
