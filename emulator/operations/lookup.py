"""From a queue URL to a queue, and back."""

import functools
import re
from urllib.parse import unquote, urlsplit

from emulator.context import Context
from emulator.domain.handles import receipt_of
from emulator.domain.model import Queue, QueueKey, Receipt, Redrive, key_of_arn
from emulator.domain.redrive import parse_redrive_policy
from emulator.domain.texts import escaped
from emulator.errors import QueueDoesNotExist, ReceiptHandleIsInvalid
from emulator.settings import Settings

_ACCOUNT = re.compile(r"\d{12}")
_REGION = re.compile(r"[a-z]{2}(?:-[a-z]+)+-\d")


def queue_url(ctx: Context, key: QueueKey) -> str:
    return url_under(ctx.base_url, ctx.settings, key)


def url_under(base_url: str, settings: Settings, key: QueueKey) -> str:
    if settings.region_in_urls and key.region != settings.region:
        return f"{base_url}/queue/{key.region}/{key.account}/{key.name}"
    return f"{base_url}/{key.account}/{key.name}"


async def find_queue(ctx: Context, url: str | None) -> Queue:
    """The queue a QueueUrl names. Raises QueueDoesNotExist, also for what is no queue URL at all."""
    key = key_of_url(url or "", ctx.account, ctx.region)
    queue = await ctx.engine.find_queue(key) if key is not None else None
    if queue is None:
        raise QueueDoesNotExist
    return queue


async def find_queue_by_arn(ctx: Context, arn: str) -> Queue | None:
    key = key_of_arn(arn)
    return None if key is None else await ctx.engine.find_queue(key)


@functools.lru_cache(maxsize=4096)
def key_of_url(url: str, account: str, region: str) -> QueueKey | None:
    """Reads every form of queue URL: AWS's own, those of other emulators, a path, a bare name.

    AWS resolves a queue by the path of its URL and ignores the host (recorded, spec 1.1), so the host is free
    and the region is the caller's, unless the path names one (`/queue/{region}/{account}/{name}`).
    """
    if "/" not in url:
        return QueueKey(account, region, url) if url else None
    try:
        parts = [unquote(part) for part in urlsplit(url).path.split("/") if part]
    except ValueError:  # half an IPv6 address, say
        return None
    if len(parts) == 2 and parts[0] == "queue" and not _ACCOUNT.fullmatch(parts[1]):
        return QueueKey(account, region, parts[1])  # ElasticMQ, GoAWS
    if len(parts) < 2 or not _ACCOUNT.fullmatch(parts[-2]):
        return None
    if len(parts) > 3 and parts[-4] == "queue" and _REGION.fullmatch(parts[-3]):
        region = parts[-3]  # LocalStack, and ours with region_in_urls
    return QueueKey(parts[-2], region, parts[-1])


async def redrive_of(ctx: Context, queue: Queue) -> Redrive | None:
    """Where spent messages of this queue go; None without a policy, or when the target is gone."""
    text = queue.attributes.get("RedrivePolicy")
    if text is None:
        return None
    key, max_receive_count = _dead_letter_target(text)
    target = None if key is None else await ctx.engine.find_queue(key)
    if target is None or target.id == queue.id:
        return None  # a queue may name itself (spec 3.9); moving messages to where they are changes nothing
    return Redrive(target.id, max_receive_count)


@functools.lru_cache(maxsize=1024)
def _dead_letter_target(policy_text: str) -> tuple[QueueKey | None, int]:
    """The queue and the count of a stored RedrivePolicy, which every receive asks for."""
    policy = parse_redrive_policy(policy_text, None)
    return key_of_arn(policy.dead_letter_target_arn), policy.max_receive_count


def require_receipt(ctx: Context, queue: Queue, handle: str) -> Receipt:
    """Raises ReceiptHandleIsInvalid for what this server did not issue, or issued for another queue."""
    receipt = receipt_of(ctx.engine.handle_key, handle)
    if receipt is None or receipt.queue_id != queue.id:
        raise ReceiptHandleIsInvalid(escaped(handle))
    return receipt
