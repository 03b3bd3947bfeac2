"""What the tests and benchmarks of the policy server share: made-up policies, and a server in a thread."""
