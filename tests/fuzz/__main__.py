"""``python tests/fuzz [NAME ...] [--minutes M | --cases N] [--seed S]``: run the fuzzers and print how their cases ended."""
