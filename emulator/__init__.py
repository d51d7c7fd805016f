"""An Amazon SQS emulator: the same answers, on your own machine."""

__version__ = "0.1.0"
