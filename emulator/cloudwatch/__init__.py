"""Amazon CloudWatch, as far as it is about queues: metrics of the namespace AWS/SQS and alarms on them.

Imported when the first request for it comes.
"""
