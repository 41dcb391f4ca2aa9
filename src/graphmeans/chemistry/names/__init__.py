"""Words of chemists: ring systems, functional groups and substituents by their names, and a name for a series of molecules."""
