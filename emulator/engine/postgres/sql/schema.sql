-- Schema version 1, in a schema of its own (by the search path). A change goes in here and, for databases that
-- exist, into schema.MIGRATIONS. Only standard features: no procedures, no triggers, no extensions.

CREATE TABLE meta (name text PRIMARY KEY, value bytea NOT NULL);

-- Both grow and are never set back: a number is never used again. A sequence of messages has no cache: in a FIFO
-- group, numbers are drawn while the group's row is locked, so they grow in the order of commits.
CREATE SEQUENCE message_seq AS bigint CACHE 1;
CREATE SEQUENCE queue_id AS bigint CACHE 1;

CREATE TABLE queue (
    id bigint PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    region text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    created_ms bigint NOT NULL,
    modified_ms bigint NOT NULL,
    purged_ms bigint,
    attributes text NOT NULL,
    tags text NOT NULL,
    deduplication_scope text,  -- that of its creation, which is the one that counts (recorded R5)
    grouped boolean NOT NULL DEFAULT false,  -- true once a message with a group was sent: a fair queue, if standard
    dead_letter_arn text,
    begins_ms bigint NOT NULL,  -- of the minute that runs (engine/state/diary.py)
    opened boolean NOT NULL DEFAULT true,  -- the queue was created in it
    UNIQUE (account, region, name)
) WITH (fillfactor = 50);
CREATE INDEX queue_dead_letter ON queue (dead_letter_arn, name) WHERE dead_letter_arn IS NOT NULL;

CREATE TABLE deleted_queue (
    account text NOT NULL,
    region text NOT NULL,
    name text NOT NULL,
    deleted_ms bigint NOT NULL,
    PRIMARY KEY (account, region, name)
);

-- How many messages a queue has: the sum of its rows. Each connection adds to the row of its own slot, so that
-- no two transactions wait for each other. Beside it, what callers did since the last minute was written down.
CREATE TABLE tally (
    queue_id bigint NOT NULL,
    slot int NOT NULL,
    messages bigint NOT NULL,
    in_flight bigint NOT NULL,
    delayed bigint NOT NULL,
    sent bigint NOT NULL,
    sent_bytes bigint NOT NULL,
    smallest_bytes bigint NOT NULL,
    largest_bytes bigint NOT NULL,
    received bigint NOT NULL,
    empty_receives bigint NOT NULL,
    deleted bigint NOT NULL,
    deduplicated bigint NOT NULL,
    PRIMARY KEY (queue_id, slot)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE TABLE message (
    queue_id bigint NOT NULL,
    seq bigint NOT NULL,
    message_id text NOT NULL,
    body text NOT NULL,
    attributes bytea,
    sender_id text NOT NULL,
    trace_header text,
    group_id text COLLATE "C",
    deduplication_id text,
    sent_ms bigint NOT NULL,
    due_ms bigint NOT NULL,  -- the meaning of the times, of place and of hidden: engine/state/message.py
    place bigint NOT NULL,
    dead_letter_source_arn text,
    first_received_ms bigint,
    received_ms bigint,
    receive_count bigint NOT NULL DEFAULT 0,
    dead_since_ms bigint,
    hidden smallint NOT NULL DEFAULT 0,
    attempt_id text,
    sequenced boolean NOT NULL,  -- in a FIFO queue
    PRIMARY KEY (queue_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_analyze_scale_factor = 0.5);
-- No index but the key and that of groups has seq in it: the planner may not take another one to find it.
CREATE INDEX message_visible ON message (queue_id, place) WHERE hidden = 0 AND NOT sequenced;
CREATE INDEX message_hidden ON message (queue_id, due_ms) WHERE hidden > 0;
CREATE INDEX message_sent ON message (queue_id, sent_ms);
CREATE INDEX message_of_group ON message (queue_id, group_id, seq) WHERE sequenced;

-- FIFO queues: one row for each group that has messages. Its head is its oldest message, and opens_ms the moment
-- at which that is, was or will be visible. Whoever adds, hides or removes a message of a group has its row
-- locked, so a claim touches only groups it takes from, and each group changes in one order for all nodes.
CREATE TABLE message_group (
    queue_id bigint NOT NULL,
    group_id text COLLATE "C" NOT NULL,
    head_seq bigint NOT NULL,
    opens_ms bigint NOT NULL,
    PRIMARY KEY (queue_id, group_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX message_group_opens ON message_group (queue_id, opens_ms, head_seq);

CREATE TABLE deduplication (
    queue_id bigint NOT NULL,
    deduplication_key text COLLATE "C" NOT NULL,
    message_id text NOT NULL,
    seq bigint NOT NULL,
    until_ms bigint NOT NULL,
    PRIMARY KEY (queue_id, deduplication_key)
);
CREATE INDEX deduplication_until ON deduplication (queue_id, until_ms);

CREATE TABLE receive_attempt (
    queue_id bigint NOT NULL,
    attempt_id text NOT NULL,
    until_ms bigint NOT NULL,
    due_ms bigint NOT NULL,  -- what the receive set; any other value means that visibility was changed
    messages text NOT NULL,  -- [[seq, receive_count], ...] as JSON, in the order of delivery
    PRIMARY KEY (queue_id, attempt_id)
);
CREATE INDEX receive_attempt_until ON receive_attempt (queue_id, until_ms);

CREATE TABLE move_task (
    number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    task_id text NOT NULL UNIQUE,
    source_arn text NOT NULL,
    destination_arn text,
    max_per_second bigint,
    status text NOT NULL,
    moved bigint NOT NULL DEFAULT 0,
    to_move bigint NOT NULL,
    failure_reason text,
    started_ms bigint NOT NULL,
    node text,  -- which drives it, until its lease ends, which it renews (engine.LEASE_S)
    leased_until timestamptz
);
CREATE INDEX move_task_source ON move_task (source_arn, number);
CREATE INDEX move_task_active ON move_task (number) WHERE status IN ('RUNNING', 'CANCELLING');

-- What CloudWatch knows: what changed in a queue in a minute (domain/activity.py, as JSON), and the alarms.
CREATE TABLE minute (
    queue_id bigint NOT NULL,
    start_ms bigint NOT NULL,
    minute text NOT NULL,
    PRIMARY KEY (queue_id, start_ms)
);

CREATE TABLE alarm (
    account text COLLATE "C" NOT NULL,
    region text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    alarm text NOT NULL,
    PRIMARY KEY (account, region, name)
);

-- Clocks that were adjusted (emulator/clock.py): those of accounts, and the server's under ''. They go by the
-- database's clock, so that all nodes show the same time.
CREATE TABLE clock (
    account text PRIMARY KEY,
    base_us bigint NOT NULL,  -- nanoseconds of the year 9999 would not fit
    since_us bigint NOT NULL,
    frozen boolean NOT NULL,
    speed double precision NOT NULL
);
