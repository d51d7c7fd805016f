-- Schema version 3. A change goes in here and, for files that exist, into database.MIGRATIONS.
-- The state is read as a whole when a file is opened, so nothing is searched for: no index but the keys.

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
    grouped INTEGER NOT NULL DEFAULT 0,  -- 1 once a message with a group was sent: a fair queue, if standard
    UNIQUE (account, region, name)
);

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
    sent_ms INTEGER NOT NULL,
    due_ms INTEGER NOT NULL,  -- the meaning of the times and of place: engine/state/message.py
    place INTEGER NOT NULL,
    first_received_ms INTEGER,
    received_ms INTEGER,
    receive_count INTEGER NOT NULL DEFAULT 0,
    dead_since_ms INTEGER
);

CREATE TABLE deduplication (
    queue_id INTEGER NOT NULL,
    deduplication_key TEXT NOT NULL,
    message_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (queue_id, deduplication_key)
) WITHOUT ROWID;

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

-- What CloudWatch knows: what changed in a queue in a minute (domain/activity.py, as JSON), and the alarms.
CREATE TABLE minute (
    queue_id INTEGER NOT NULL,
    start_ms INTEGER NOT NULL,
    minute TEXT NOT NULL,
    PRIMARY KEY (queue_id, start_ms)
) WITHOUT ROWID;

CREATE TABLE alarm (
    account TEXT NOT NULL,
    region TEXT NOT NULL,
    name TEXT NOT NULL,
    alarm TEXT NOT NULL,
    PRIMARY KEY (account, region, name)
) WITHOUT ROWID;
