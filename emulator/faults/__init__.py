"""Planned misbehaviour: rules that make the emulator do what AWS does on a bad day.

Operations and the endpoint import from here only when there are rules.
"""

from emulator.faults.faults import Faults, PlannedFault, declared_faults
from emulator.faults.reading_rules import rule_of
from emulator.faults.rules import FaultRule, InvalidRule

__all__ = ["FaultRule", "Faults", "InvalidRule", "PlannedFault", "declared_faults", "rule_of"]
