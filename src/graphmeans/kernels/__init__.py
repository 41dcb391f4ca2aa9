"""Compiled inner loops: the only place that imports numba. Kernels own no memory and know no objects."""
