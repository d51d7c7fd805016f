"""The console: pages under `/_emulator/` to look at queues, and to act on them as any caller would."""
