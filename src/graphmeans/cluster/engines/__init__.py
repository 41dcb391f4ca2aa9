"""Who holds the shards, and lets all of them do the same thing."""
