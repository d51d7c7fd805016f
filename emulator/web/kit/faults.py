"""Planned misbehaviour: rules of an account, or the server's, which hold for accounts that have none."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from emulator.faults.faults import Faults, PlannedFault
from emulator.faults.reading_rules import rule_of
from emulator.faults.rules import FaultRule, InvalidRule
from emulator.web.kit.calls import Call, Parts, Visit
from emulator.web.kit.places import Account
from emulator.web.kit.problems import Problem
from emulator.worlds import World


class WhoseFaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    account: Account | None = None


class OneFault(WhoseFaults, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str


class ProfileChoice(WhoseFaults, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules of a profile replace those of another; `none` takes them away. Rules set one by one stay.

    An account with `none` has no faults of the server's either.
    """

    profile: Literal["aws", "hostile", "none"]


class FaultView(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that is set, and how often it was for a call or message, and acted."""

    name: str
    kind: str
    rule: FaultRule
    matched: int
    acted: int


class FaultList(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    faults: list[FaultView]
    account: Annotated[str, Meta(description="Whose own rules they are; absent for the server's.")] | None = (
        None
    )


async def list_faults(visit: Visit, whose: WhoseFaults) -> FaultList:
    return _list(visit.parts, whose)


async def add_faults(visit: Visit, whose: WhoseFaults, sent: Any) -> FaultList:
    """All of them, or none if one is refused. The answer has those that were added."""
    is_list = isinstance(sent, list)
    rules = []
    for number, one in enumerate(sent if is_list else [sent]):
        try:
            rules.append(rule_of(one))
        except InvalidRule as error:
            raise Problem(400, f"[{number}]: {error}" if is_list else str(error)) from error
    world = _world(visit.parts, whose)
    added = _add(world, rules)
    return FaultList(
        faults=[FaultView(name=rule.name, kind=rule.kind, rule=rule, matched=0, acted=0) for rule in added]
    )


def _add(world: World, rules: Sequence[FaultRule]) -> list[FaultRule]:
    faults = Faults(world.chance) if world.faults is None else world.faults
    added: list[FaultRule] = []
    try:
        for rule in rules:
            added.append(faults.add(rule))  # noqa: PERF401 (those before a bad one are known then)
    except InvalidRule as error:
        for rule in added:
            faults.remove(rule.name)
        raise Problem(409, str(error)) from error
    world.faults = faults if faults else None
    return added


async def remove_fault(visit: Visit, one: OneFault) -> FaultList:
    world = _world(visit.parts, one)
    if world.faults is None or not world.faults.remove(one.name):
        whose = "the server" if one.account is None else f"account {one.account}"
        raise Problem(404, f"name: {whose} has no fault named {one.name}")
    if not world.faults:
        world.faults = None
    return _list(visit.parts, one)


async def clear_faults(visit: Visit, whose: WhoseFaults) -> FaultList:
    _world(visit.parts, whose).faults = None
    return _list(visit.parts, whose)


async def use_profile(visit: Visit, choice: ProfileChoice) -> FaultList:
    world = _world(visit.parts, choice)
    faults = Faults(world.chance) if world.faults is None else world.faults
    try:
        faults.use_profile(choice.profile)
    except InvalidRule as error:
        raise Problem(409, str(error)) from error
    keeps_out = world is not visit.parts.worlds.server and visit.parts.worlds.server.faults is not None
    world.faults = faults if faults or keeps_out else None
    return _list(visit.parts, choice)


def _world(parts: Parts, whose: WhoseFaults) -> World:
    return parts.worlds.server if whose.account is None else parts.worlds.of(whose.account)


def _list(parts: Parts, whose: WhoseFaults) -> FaultList:
    """The rules that hold."""
    world = _world(parts, whose)
    planned = [] if world.faults_here is None else world.faults_here.rules()
    return FaultList(
        faults=[_view(one) for one in planned], account=None if world.faults is None else whose.account
    )


def _view(planned: PlannedFault) -> FaultView:
    rule = planned.rule
    return FaultView(name=rule.name, kind=rule.kind, rule=rule, matched=planned.matched, acted=planned.acted)


CALLS = (
    Call(
        method="GET",
        path="/_emulator/faults",
        run=list_faults,
        parameters=WhoseFaults,
        answers=FaultList,
        summary="The rules that hold for an account, or the server's",
    ),
    Call(
        method="POST",
        path="/_emulator/faults",
        run=add_faults,
        parameters=WhoseFaults,
        body=FaultRule | list[FaultRule],
        decodes=Any,
        answers=FaultList,
        summary="Plan one fault or several; the first of an account replace the server's for it",
        problems=(409,),
    ),
    Call(
        method="DELETE",
        path="/_emulator/faults",
        run=clear_faults,
        parameters=WhoseFaults,
        answers=FaultList,
        summary="Take all rules away; for an account the server's hold again",
    ),
    Call(
        method="DELETE",
        path="/_emulator/faults/{name}",
        run=remove_fault,
        parameters=OneFault,
        answers=FaultList,
        summary="Take one rule away",
        problems=(404,),
    ),
    Call(
        method="PUT",
        path="/_emulator/faults/profile",
        run=use_profile,
        body=ProfileChoice,
        answers=FaultList,
        summary="Plan what AWS itself documents, or the worst that it allows",
        problems=(409,),
    ),
)
