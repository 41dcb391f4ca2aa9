"""The kernels that search for mappings, for a GPU: CUDA C++ that is compiled when it is first used, or for the host by g++."""
