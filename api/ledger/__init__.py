"""The ledger: what became of every request, summed up from what the job's buckets publish."""
