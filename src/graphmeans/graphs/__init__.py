"""What is clustered: `Graph`, its encoding into packed arrays, and the ways in and out."""
