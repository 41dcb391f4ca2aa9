"""Benchmarks of single steps over the history of the repository, for airspeed velocity: `asv run`, `asv publish`."""
