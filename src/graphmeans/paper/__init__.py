"""The experiments of Jain & Obermayer, *Elkan's k-Means for Graphs* (2009), run again.

`protocol` says which runs there are, `run` does one, `results` keeps a row for each, `tables` and `plots` show them beside
what the paper printed (`published`), `page` writes it all down.
"""
