"""`python -m graphmeans` is the command `graphmeans`."""

from graphmeans.cli import main

if __name__ == "__main__":
    main()
