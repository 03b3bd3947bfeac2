"""Tests of the trainer. A package, because without this file pytest would take the folder above for the package
`grpo`."""
