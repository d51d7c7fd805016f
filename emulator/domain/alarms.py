"""CloudWatch alarms. (Placeholder until helper A's file replaces it.)"""

import msgspec


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    account: str
    region: str
    name: str
