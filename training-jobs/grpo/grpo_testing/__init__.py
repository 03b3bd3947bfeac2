"""Small policies, batches and job folders for the trainer's tests and benchmarks."""
