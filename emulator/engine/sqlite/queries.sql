-- Queues

-- :name find_queue
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags,
       deduplication_scope
  FROM queue WHERE account = ? AND region = ? AND name = ?

-- :name find_queue_by_id
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags,
       deduplication_scope
  FROM queue WHERE id = ?

-- :name all_queues
SELECT id, account, region, name, created_ms, modified_ms, purged_ms, attributes, tags,
       deduplication_scope
  FROM queue

-- :name insert_queue
INSERT INTO queue (account, region, name, created_ms, modified_ms, attributes, tags, dead_letter_arn,
                   deduplication_scope)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- :name update_queue
UPDATE queue SET modified_ms = ?, purged_ms = ?, attributes = ?, tags = ?, dead_letter_arn = ? WHERE id = ?

-- :name delete_queue
DELETE FROM queue WHERE id = ?

-- :name list_queues
-- A prefix is a range of names: every name that starts with it sorts at or after it, and before prefix || U+10FFFF.
SELECT name FROM queue
 WHERE account = ? AND region = ? AND name >= ? AND name < ? || char(1114111) AND name > ?
 ORDER BY name LIMIT ?

-- :name dead_letter_sources
SELECT account, region, name FROM queue
 WHERE dead_letter_arn = ? AND name > ? ORDER BY name LIMIT ?

-- :name deleted_at
SELECT deleted_ms FROM deleted_queue WHERE account = ? AND region = ? AND name = ?

-- :name remember_deleted
INSERT INTO deleted_queue (account, region, name, deleted_ms) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET deleted_ms = excluded.deleted_ms

-- :name forget_deleted
DELETE FROM deleted_queue WHERE account = ? AND region = ? AND name = ?

-- :name delete_messages_of
DELETE FROM message WHERE queue_id = ?

-- :name delete_groups_of
DELETE FROM message_group WHERE queue_id = ?

-- :name delete_deduplication_of
DELETE FROM deduplication WHERE queue_id = ?

-- :name delete_attempts_of
DELETE FROM receive_attempt WHERE queue_id = ?

-- :name standings
SELECT id, grouped FROM queue

-- :name set_grouped
UPDATE queue SET grouped = 1 WHERE id = ?

-- :name count
SELECT COUNT(*) FROM message WHERE queue_id = ?

-- :name oldest_sent
SELECT sent_ms FROM message WHERE queue_id = ? ORDER BY sent_ms LIMIT 1

-- :name hidden
SELECT COALESCE(SUM(receive_count > 0), 0), COALESCE(SUM(receive_count = 0), 0)
  FROM message WHERE queue_id = ? AND due_ms > 0

-- :name hidden_now
-- FIFO queues: messages in flight and delayed ones, which is the part of the index that lies in the future.
SELECT COALESCE(SUM(receive_count > 0), 0), COALESCE(SUM(receive_count = 0), 0)
  FROM message WHERE queue_id = ? AND due_ms > ?

-- Messages

-- :name insert_message
INSERT INTO message (seq, queue_id, message_id, body, attributes, sender_id, trace_header, group_id,
                     deduplication_id, sent_ms, due_ms, place, sequenced)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- :name visible
-- Walks message_due from its start, so its cost grows neither with the backlog nor with what is in flight.
SELECT seq, message_id, body, attributes, sender_id, sent_ms, first_received_ms, receive_count, trace_header,
       group_id, deduplication_id, dead_letter_source_arn
  FROM message WHERE queue_id = ? AND due_ms = 0 ORDER BY place LIMIT ?

-- :name reveal
-- Messages of a standard queue whose delay or visibility timeout is over take their places again, in slices:
-- recorded, an older message whose timeout ended comes before one that was sent in the meantime.
UPDATE message SET due_ms = 0 WHERE seq IN
    (SELECT seq FROM message WHERE queue_id = ? AND due_ms > 0 AND due_ms <= ? ORDER BY due_ms LIMIT ?)
RETURNING receive_count

-- :name hide
UPDATE message SET due_ms = ?, received_ms = ?, first_received_ms = COALESCE(first_received_ms, ?),
                   receive_count = receive_count + 1
 WHERE seq = ?

-- :name move_to_the_back
UPDATE message SET place = ? WHERE seq = ?

-- :name next_due
SELECT due_ms FROM message WHERE queue_id = ? AND due_ms > ? ORDER BY due_ms LIMIT 1

-- :name in_flight
-- FIFO queues. Counts no further than the limit.
SELECT COUNT(*) FROM (SELECT 1 FROM message WHERE queue_id = ? AND due_ms > ? AND receive_count > 0 LIMIT ?)

-- :name receipt
SELECT receive_count, due_ms, received_ms, group_id FROM message WHERE seq = ? AND queue_id = ?

-- :name delete_message
DELETE FROM message WHERE seq = ? AND queue_id = ?

-- :name delete_standard_message
DELETE FROM message WHERE seq = ? AND queue_id = ? RETURNING due_ms

-- :name set_due
UPDATE message SET due_ms = ? WHERE seq = ?

-- :name dead_letter
-- On a standard queue SentTimestamp stays, and with it the retention (spec 3.9).
UPDATE message SET queue_id = ?, seq = ?, place = ?, due_ms = 0, received_ms = NULL, dead_letter_source_arn = ?
 WHERE seq = ?

-- :name dead_letter_fifo
-- The deduplication id becomes the message id, and the retention starts anew (spec 3.9).
UPDATE message SET queue_id = ?, seq = ?, due_ms = ?, received_ms = NULL, dead_letter_source_arn = ?,
                   deduplication_id = message_id, sent_ms = ?
 WHERE seq = ?

-- :name expired
SELECT seq, group_id, due_ms, receive_count FROM message WHERE queue_id = ? AND sent_ms <= ? ORDER BY sent_ms LIMIT ?

-- Fair queues

-- :name noisy_tenants
-- Shares are taken from the 1,000 in-flight messages hidden longest, which bounds the cost; AWS's are approximate too.
WITH sample AS (SELECT group_id FROM message
                 WHERE queue_id = ? AND due_ms > ? AND receive_count > 0 ORDER BY due_ms DESC LIMIT 1000)
SELECT group_id FROM sample WHERE group_id IS NOT NULL
 GROUP BY group_id HAVING COUNT(*) >= ? AND COUNT(*) * 10 > (SELECT COUNT(*) FROM sample)
 ORDER BY COUNT(*), group_id

-- :name visible_of_quiet
-- Looks past 10,000 messages of noisy tenants at most.
SELECT seq, message_id, body, attributes, sender_id, sent_ms, first_received_ms, receive_count, trace_header,
       group_id, deduplication_id, dead_letter_source_arn
  FROM (SELECT * FROM message WHERE queue_id = ? AND due_ms = 0 ORDER BY place LIMIT 10000)
 WHERE group_id IS NULL OR group_id NOT IN (SELECT value FROM json_each(?)) LIMIT ?

-- :name visible_of_tenant
SELECT seq, message_id, body, attributes, sender_id, sent_ms, first_received_ms, receive_count, trace_header,
       group_id, deduplication_id, dead_letter_source_arn
  FROM (SELECT * FROM message WHERE queue_id = ? AND due_ms = 0 ORDER BY place LIMIT 10000)
 WHERE group_id = ? LIMIT ?

-- FIFO groups

-- :name open_groups
SELECT group_id FROM message_group
 WHERE queue_id = ? AND head_visible_ms <= ? ORDER BY head_visible_ms, head_seq LIMIT ?

-- :name group_run
SELECT seq, message_id, body, attributes, sender_id, sent_ms, first_received_ms, receive_count, trace_header,
       group_id, deduplication_id, dead_letter_source_arn, due_ms
  FROM message WHERE queue_id = ? AND group_id = ? AND sequenced = 1 ORDER BY seq LIMIT ?

-- :name group_head
SELECT seq, due_ms FROM message WHERE queue_id = ? AND group_id = ? AND sequenced = 1 ORDER BY seq LIMIT 1

-- :name add_group
-- A group that has a head keeps it: the new message stands behind it.
INSERT INTO message_group (queue_id, group_id, head_seq, head_visible_ms) VALUES (?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- :name set_group_head
UPDATE message_group SET head_seq = ?, head_visible_ms = ? WHERE queue_id = ? AND group_id = ?

-- :name remove_group
DELETE FROM message_group WHERE queue_id = ? AND group_id = ?

-- :name next_open_group
SELECT head_visible_ms FROM message_group
 WHERE queue_id = ? AND head_visible_ms > ? ORDER BY head_visible_ms LIMIT 1

-- :name find_duplicate
SELECT message_id, seq FROM deduplication WHERE queue_id = ? AND deduplication_key = ? AND until_ms > ?

-- :name remember_deduplication
INSERT INTO deduplication (queue_id, deduplication_key, message_id, seq, until_ms) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET message_id = excluded.message_id, seq = excluded.seq, until_ms = excluded.until_ms

-- :name forget_deduplication
DELETE FROM deduplication WHERE queue_id = ? AND until_ms <= ?

-- :name reschedule
-- A FIFO queue's new delay holds for messages that are delayed already (spec 3.8).
UPDATE message SET due_ms = sent_ms + ? WHERE queue_id = ? AND due_ms > ? AND receive_count = 0

-- :name reschedule_heads
UPDATE message_group SET head_visible_ms = (SELECT due_ms FROM message WHERE seq = head_seq) WHERE queue_id = ?

-- :name find_attempt
SELECT due_ms, messages FROM receive_attempt WHERE queue_id = ? AND attempt_id = ?

-- :name remember_attempt
INSERT INTO receive_attempt (queue_id, attempt_id, until_ms, due_ms, messages) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET until_ms = excluded.until_ms, due_ms = excluded.due_ms, messages = excluded.messages

-- :name forget_attempts
DELETE FROM receive_attempt WHERE queue_id = ? AND until_ms <= ?

-- :name spoil_attempts
-- The visibility of a message of theirs was changed: they cannot be repeated, even if it is what it was.
UPDATE receive_attempt SET due_ms = -1 WHERE queue_id = ? AND instr(messages, ?)

-- :name in_flight_message
-- As group_run, for one message whose latest receive is the one asked about and whose visibility was not changed.
SELECT seq, message_id, body, attributes, sender_id, sent_ms, first_received_ms, receive_count - 1, trace_header,
       group_id, deduplication_id, dead_letter_source_arn
  FROM message WHERE seq = ? AND queue_id = ? AND receive_count = ? AND due_ms = ?

-- Move tasks

-- :name insert_move_task
INSERT INTO move_task (task_id, source_arn, destination_arn, max_per_second, status, to_move, started_ms)
VALUES (?, ?, ?, ?, ?, ?, ?)

-- :name move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE source_arn = ? ORDER BY number DESC LIMIT ?

-- :name move_task
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE task_id = ?

-- :name active_move_tasks
SELECT task_id, source_arn, destination_arn, max_per_second, status, moved, to_move, failure_reason, started_ms
  FROM move_task WHERE status IN ('RUNNING', 'CANCELLING') ORDER BY number

-- :name active_move_tasks_of_account
SELECT COUNT(*) FROM move_task WHERE status IN ('RUNNING', 'CANCELLING') AND source_arn LIKE '%:' || ? || ':%'

-- :name active_move_task_of
SELECT 1 FROM move_task WHERE source_arn = ? AND status IN ('RUNNING', 'CANCELLING')

-- :name update_move_task
UPDATE move_task SET status = ?, moved = ?, failure_reason = ? WHERE task_id = ?

-- :name forget_old_move_tasks
-- The last ten of a source are kept (spec 2.12).
DELETE FROM move_task WHERE source_arn = ? AND status NOT IN ('RUNNING', 'CANCELLING') AND number NOT IN
    (SELECT number FROM move_task WHERE source_arn = ? ORDER BY number DESC LIMIT 10)

-- :name move_message
-- A moved message is a new one: new id, new time, never received, without a source (spec 3.12).
UPDATE message SET queue_id = ?, seq = ?, place = ?, message_id = ?, sent_ms = ?, due_ms = ?,
                   first_received_ms = NULL, received_ms = NULL, receive_count = 0, dead_letter_source_arn = NULL
 WHERE seq = ?

-- Meta

-- :name meta
SELECT value FROM meta WHERE name = ?

-- :name set_meta
INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value
