"""Benchmarks of the emulator: `python -m bench`, `python -m bench.depth`, `python -m bench.polls`."""
