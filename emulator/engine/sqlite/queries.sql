-- Reading everything, when a file is opened

-- :name all_queues
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags, deduplication_scope, grouped
  FROM queue

-- :name last_queue_id
SELECT seq FROM sqlite_sequence WHERE name = 'queue'

-- :name all_deleted_names
SELECT account, region, name, deleted_ms FROM deleted_queue

-- :name all_messages
SELECT queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id, sent_ms,
       due_ms, place, dead_letter_source_arn, first_received_ms, received_ms, receive_count,
       dead_since_ms
  FROM message ORDER BY seq

-- :name all_seen
SELECT queue_id, deduplication_key, message_id, seq, until_ms FROM deduplication ORDER BY until_ms

-- :name all_attempts
SELECT queue_id, attempt_id, until_ms, due_ms, messages FROM receive_attempt ORDER BY until_ms

-- :name all_move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task ORDER BY number

-- :name all_minutes
SELECT queue_id, minute FROM minute ORDER BY queue_id, start_ms

-- :name all_alarms
SELECT alarm FROM alarm

-- :name meta
SELECT value FROM meta WHERE name = ?

-- Writing what has changed

-- :name set_meta
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value

-- :name set_last_queue_id
INSERT INTO sqlite_sequence (name, seq) VALUES ('queue', ?)

-- :name forget_last_queue_id
DELETE FROM sqlite_sequence WHERE name = 'queue'

-- :name put_queue
INSERT INTO queue (id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags,
                   deduplication_scope)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET modified_ms = excluded.modified_ms, purged_ms = excluded.purged_ms,
                               attributes = excluded.attributes, tags = excluded.tags

-- :name delete_queue
DELETE FROM queue WHERE id = ?

-- :name set_grouped
UPDATE queue SET grouped = 1 WHERE id = ?

-- :name put_deleted_name
INSERT INTO deleted_queue (account, region, name, deleted_ms) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET deleted_ms = excluded.deleted_ms

-- :name forget_deleted_name
DELETE FROM deleted_queue WHERE account = ? AND region = ? AND name = ?

-- :name delete_messages_of
DELETE FROM message WHERE queue_id = ?

-- :name delete_seen_of
DELETE FROM deduplication WHERE queue_id = ?

-- :name delete_attempts_of
DELETE FROM receive_attempt WHERE queue_id = ?

-- :name insert_message
INSERT INTO message (queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id,
                     sent_ms, due_ms, place, dead_letter_source_arn, first_received_ms, received_ms, receive_count,
                     dead_since_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- :name update_message
UPDATE message SET due_ms = ?, place = ?, first_received_ms = ?, received_ms = ?, receive_count = ? WHERE seq = ?

-- :name delete_message
DELETE FROM message WHERE seq = ?

-- :name put_seen
INSERT INTO deduplication (queue_id, deduplication_key, message_id, seq, until_ms) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET message_id = excluded.message_id, seq = excluded.seq, until_ms = excluded.until_ms

-- :name delete_seen
DELETE FROM deduplication WHERE queue_id = ? AND deduplication_key = ?

-- :name put_attempt
INSERT INTO receive_attempt (queue_id, attempt_id, until_ms, due_ms, messages) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET until_ms = excluded.until_ms, due_ms = excluded.due_ms, messages = excluded.messages

-- :name delete_attempt
DELETE FROM receive_attempt WHERE queue_id = ? AND attempt_id = ?

-- :name put_move_task
INSERT INTO move_task (task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason,
                       started_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (task_id) DO UPDATE SET status = excluded.status, moved = excluded.moved,
                                    failure_reason = excluded.failure_reason

-- :name delete_move_task
DELETE FROM move_task WHERE task_id = ?

-- :name put_minute
INSERT INTO minute (queue_id, start_ms, minute) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET minute = excluded.minute

-- :name delete_minute
DELETE FROM minute WHERE queue_id = ? AND start_ms = ?

-- :name delete_minutes_of
DELETE FROM minute WHERE queue_id = ?

-- :name put_alarm
INSERT INTO alarm (account, region, name, alarm) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET alarm = excluded.alarm

-- :name delete_alarm
DELETE FROM alarm WHERE account = ? AND region = ? AND name = ?

-- Forgetting everything, for a reset or before a snapshot is written in its place

-- :name forget_queues
DELETE FROM queue

-- :name forget_deleted_names
DELETE FROM deleted_queue

-- :name forget_messages
DELETE FROM message

-- :name forget_seen
DELETE FROM deduplication

-- :name forget_attempts
DELETE FROM receive_attempt

-- :name forget_move_tasks
DELETE FROM move_task

-- :name forget_minutes
DELETE FROM minute

-- :name forget_alarms
DELETE FROM alarm
