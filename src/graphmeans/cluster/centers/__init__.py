"""Centers in fixed frames, and how far each has moved."""
