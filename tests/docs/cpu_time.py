"""A pytest plugin: how much CPU time the call of each test takes, as a property `cpu_s` of the report."""

import time

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    started_s = time.process_time()
    try:
        return (yield)
    finally:
        item.user_properties.append(("cpu_s", time.process_time() - started_s))
