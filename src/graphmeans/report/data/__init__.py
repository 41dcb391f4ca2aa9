"""The data that the scripts of a page read: members, their tables, and the dots of the map."""
