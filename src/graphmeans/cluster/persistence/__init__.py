"""What is written while a fit lasts, so that a killed one can go on."""
