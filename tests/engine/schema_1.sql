-- Schema version 1, as it was: test_migrations.py makes files of it.

CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: old receipt handles must not fit a new queue
    account TEXT NOT NULL,
    region TEXT NOT NULL,
    name TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    purged_ms INTEGER,
    attributes TEXT NOT NULL,
    tags TEXT NOT NULL,
    deduplication_scope TEXT,  -- that of its creation, which is the one that counts (recorded R5)
    dead_letter_arn TEXT,
    grouped INTEGER NOT NULL DEFAULT 0,  -- 1 once a message with a group was sent: a fair queue, if standard
    UNIQUE (account, region, name)
);
CREATE INDEX queue_dead_letter ON queue (dead_letter_arn, name) WHERE dead_letter_arn IS NOT NULL;

CREATE TABLE deleted_queue (
    account TEXT NOT NULL,
    region TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted_ms INTEGER NOT NULL,
    PRIMARY KEY (account, region, name)
) WITHOUT ROWID;

CREATE TABLE message (
    seq INTEGER PRIMARY KEY,  -- drawn from meta.next_seq: grows over restarts and is never used again
    queue_id INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    body TEXT NOT NULL,
    attributes BLOB,
    sender_id TEXT NOT NULL,
    trace_header TEXT,
    group_id TEXT,
    deduplication_id TEXT,
    dead_letter_source_arn TEXT,
    sent_ms INTEGER NOT NULL,  -- retention counts from here
    due_ms INTEGER NOT NULL,  -- hidden until this moment; 0 in a standard queue: visible
    place INTEGER NOT NULL,  -- its place in the order of a standard queue: its seq, or later (claims.TO_THE_BACK)
    first_received_ms INTEGER,
    received_ms INTEGER,
    receive_count INTEGER NOT NULL DEFAULT 0,
    sequenced INTEGER NOT NULL DEFAULT 0  -- 1 in a FIFO queue
);
-- Visible messages of a standard queue stand at its start (due_ms = 0) in their order, hidden ones behind them.
-- receive_count tells messages in flight from delayed ones.
CREATE INDEX message_due ON message (queue_id, due_ms, place, receive_count);
CREATE INDEX message_sent ON message (queue_id, sent_ms);
CREATE INDEX message_of_group ON message (queue_id, group_id, seq) WHERE sequenced = 1;

-- FIFO queues: one row for each group that has messages. Its head is its oldest undeleted message. A group
-- whose head is in flight or delayed lies in the future of the index and is never touched by a claim.
CREATE TABLE message_group (
    queue_id INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    head_seq INTEGER NOT NULL,
    head_visible_ms INTEGER NOT NULL,
    PRIMARY KEY (queue_id, group_id)
) WITHOUT ROWID;
CREATE INDEX message_group_due ON message_group (queue_id, head_visible_ms, head_seq);

CREATE TABLE deduplication (
    queue_id INTEGER NOT NULL,
    deduplication_key TEXT NOT NULL,
    message_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (queue_id, deduplication_key)
) WITHOUT ROWID;
CREATE INDEX deduplication_until ON deduplication (queue_id, until_ms);

-- FIFO queues: which messages a ReceiveRequestAttemptId got, so that a repeat gets the same.
CREATE TABLE receive_attempt (
    queue_id INTEGER NOT NULL,
    attempt_id TEXT NOT NULL,
    until_ms INTEGER NOT NULL,
    due_ms INTEGER NOT NULL,  -- what the receive set; any other value means that visibility was changed
    messages TEXT NOT NULL,  -- [[seq, receive_count], ...] as JSON, in the order of delivery
    PRIMARY KEY (queue_id, attempt_id)
) WITHOUT ROWID;

CREATE TABLE move_task (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL UNIQUE,
    source_arn TEXT NOT NULL,
    destination_arn TEXT,
    max_per_second INTEGER,
    status TEXT NOT NULL,
    moved INTEGER NOT NULL DEFAULT 0,
    to_move INTEGER NOT NULL,
    failure_reason TEXT,
    started_ms INTEGER NOT NULL
);
CREATE INDEX move_task_source ON move_task (source_arn, number);
CREATE INDEX move_task_active ON move_task (status) WHERE status IN ('RUNNING', 'CANCELLING');
