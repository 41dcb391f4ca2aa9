"""What is said of a cluster: in what its graphs differ from others, their shapes, and what sets two clusters apart."""
