"""The sample mean of graphs: four ways to find one, and the frames in which aligned graphs are added up."""
