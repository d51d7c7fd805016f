"""The test kit over HTTP: one file for each area, and `app.py`, which lists all of its calls.

Imported at the first visit, as Starlette is: nothing on the AWS path needs it.
"""
