-- Queues

-- :name find_queue
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags, deduplication_scope
  FROM queue WHERE account = $1 AND region = $2 AND name = $3

-- :name find_queue_by_id
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags, deduplication_scope
  FROM queue WHERE id = $1

-- :name all_queues
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags, deduplication_scope
  FROM queue
 WHERE ($1::text IS NULL OR account = $1) AND ($2::text IS NULL OR region = $2) ORDER BY account, region, name

-- :name insert_queue
INSERT INTO queue (id, account, region, name, created_ms, modified_ms, attributes, tags, deduplication_scope,
                   dead_letter_arn, begins_ms)
VALUES (nextval('queue_id'), $1, $2, $3, $4, $4, $5, $6, $7, $8, $9)
ON CONFLICT (account, region, name) DO NOTHING RETURNING id

-- :name update_queue
UPDATE queue SET modified_ms = $2, purged_ms = $3, attributes = $4, tags = $5, dead_letter_arn = $6 WHERE id = $1

-- :name delete_queue
DELETE FROM queue WHERE id = $1

-- :name list_queues
-- A prefix is a range of names: every name that starts with it sorts at or after it, and before prefix || U+10FFFF.
SELECT name FROM queue
 WHERE account = $1 AND region = $2 AND name >= $3 AND name < $3 || U&'\+10FFFF' AND name > $4
 ORDER BY name LIMIT $5

-- :name dead_letter_sources
SELECT account, region, name FROM queue WHERE dead_letter_arn = $1 AND name > $2 ORDER BY name LIMIT $3

-- :name deleted_at
SELECT deleted_ms FROM deleted_queue WHERE account = $1 AND region = $2 AND name = $3

-- :name remember_deleted
INSERT INTO deleted_queue (account, region, name, deleted_ms) VALUES ($1, $2, $3, $4)
ON CONFLICT (account, region, name) DO UPDATE SET deleted_ms = excluded.deleted_ms

-- :name forget_deleted
DELETE FROM deleted_queue WHERE account = $1 AND region = $2 AND name = $3

-- :name delete_messages_of
DELETE FROM message WHERE queue_id = $1

-- :name delete_groups_of
DELETE FROM message_group WHERE queue_id = $1

-- :name delete_seen_of
DELETE FROM deduplication WHERE queue_id = $1

-- :name delete_attempts_of
DELETE FROM receive_attempt WHERE queue_id = $1

-- :name delete_minutes_of
DELETE FROM minute WHERE queue_id = $1

-- :name delete_tallies_of
DELETE FROM tally WHERE queue_id = $1

-- :name empty_tallies_of
UPDATE tally SET messages = 0, in_flight = 0, delayed = 0 WHERE queue_id = $1

-- :name orphans
SELECT DISTINCT queue_id FROM tally t WHERE NOT EXISTS (SELECT 1 FROM queue WHERE id = t.queue_id)

-- :name mark_grouped
UPDATE queue SET grouped = true WHERE id = $1 AND NOT grouped

-- Alarms

-- :name put_alarm
INSERT INTO alarm (account, region, name, alarm) VALUES ($1, $2, $3, $4)
ON CONFLICT (account, region, name) DO UPDATE SET alarm = excluded.alarm

-- :name alarms
SELECT alarm FROM alarm WHERE ($1::text IS NULL OR account = $1) AND ($2::text IS NULL OR region = $2)
 ORDER BY account, region, name

-- :name delete_alarms
DELETE FROM alarm WHERE account = $1 AND region = $2 AND name = ANY($3::text[])

-- Move tasks

-- :name lock
SELECT pg_advisory_xact_lock($1)

-- :name lock_shared
SELECT pg_advisory_xact_lock_shared($1)

-- :name insert_move_task
INSERT INTO move_task (task_id, source_arn, destination_arn, max_per_second, status, to_move, started_ms,
                       node, leased_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + $9::int * interval '1 second')

-- :name move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE source_arn = $1 ORDER BY number DESC LIMIT $2

-- :name move_task
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE task_id = $1 FOR UPDATE

-- :name lease_move_task
-- No row: another node drives it.
UPDATE move_task SET node = $2, leased_until = clock_timestamp() + $3::int * interval '1 second'
 WHERE task_id = $1 AND (node IS NULL OR node = $2 OR leased_until <= clock_timestamp()) RETURNING task_id

-- :name adopt_move_tasks
-- Those that this node drives, and those that nobody does.
UPDATE move_task SET node = $1, leased_until = clock_timestamp() + $2::int * interval '1 second'
 WHERE status IN ('RUNNING', 'CANCELLING') AND (node IS NULL OR node = $1 OR leased_until <= clock_timestamp())
RETURNING task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms, number

-- :name active_move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE status IN ('RUNNING', 'CANCELLING') ORDER BY number

-- :name update_move_task
UPDATE move_task SET status = $2, moved = $3, failure_reason = $4 WHERE task_id = $1

-- :name forget_old_move_tasks
-- The last ten of a source are kept (spec 2.12).
DELETE FROM move_task WHERE source_arn = $1 AND status NOT IN ('RUNNING', 'CANCELLING') AND number NOT IN
    (SELECT number FROM move_task WHERE source_arn = $1 ORDER BY number DESC LIMIT $2)

-- :name delete_move_tasks
DELETE FROM move_task WHERE task_id = ANY($1::text[])

-- :name all_move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task ORDER BY number

-- Forgetting, and reading everything

-- :name forget_everything
TRUNCATE queue, deleted_queue, tally, message, message_group, deduplication, receive_attempt, move_task, minute, alarm

-- :name forget_clocks
-- $1: of all accounts, if there is none; the server's stays.
DELETE FROM clock WHERE account <> '' AND ($1::text IS NULL OR account = $1)

-- :name forget_deleted_names
DELETE FROM deleted_queue WHERE ($1::text IS NULL OR account = $1) AND ($2::text IS NULL OR region = $2)

-- :name forget_alarms
DELETE FROM alarm WHERE ($1::text IS NULL OR account = $1) AND ($2::text IS NULL OR region = $2)

-- :name all_grouped
SELECT id FROM queue WHERE grouped

-- :name all_deleted_names
SELECT account, region, name, deleted_ms FROM deleted_queue

-- :name all_messages
SELECT {message} FROM message ORDER BY queue_id, seq

-- :name all_seen
SELECT queue_id, deduplication_key, message_id, seq, until_ms FROM deduplication ORDER BY until_ms, deduplication_key

-- :name all_attempts
SELECT queue_id, attempt_id, until_ms, due_ms, messages FROM receive_attempt ORDER BY until_ms, attempt_id

-- :name all_minutes
SELECT queue_id, minute FROM minute ORDER BY queue_id, start_ms

-- :name numbers
-- Of messages and queues: those that come next.
SELECT m.last_value + m.is_called::int, q.last_value + q.is_called::int FROM message_seq m, queue_id q

-- :name skip_numbers
SELECT setval('message_seq', $1, false), setval('queue_id', $2, false)

-- :name handle_key
SELECT value FROM meta WHERE name = 'handle_key'

-- :name set_handle_key
UPDATE meta SET value = $1 WHERE name = 'handle_key'

-- :name size_bytes
SELECT pg_database_size(current_database())

-- :name database_now_ns
SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint * 1000

-- :name new_node
SELECT gen_random_uuid()::text

-- :name check
-- Something that has to be stored, to see whether it can be.
INSERT INTO meta (name, value) VALUES ('checked', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- Clocks

-- :name clocks
SELECT account, base_us, since_us, frozen, speed FROM clock

-- :name clock
SELECT base_us, since_us, frozen, speed FROM clock WHERE account = $1

-- :name put_clock
INSERT INTO clock (account, base_us, since_us, frozen, speed) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account) DO UPDATE SET base_us = excluded.base_us, since_us = excluded.since_us,
                                    frozen = excluded.frozen, speed = excluded.speed

-- :name forget_clock
DELETE FROM clock WHERE account = $1
