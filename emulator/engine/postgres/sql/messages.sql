-- What an update changes is found by ANY($n) of one array, and its values by the places in it, never by a join: the
-- planner knows little of tables that are empty at one moment and full at the next, and might walk a whole queue.
-- {message} stands for the columns of a message, see rows.MESSAGE, and {add} for the statement `add`.

-- Messages

-- :name draw
SELECT nextval('message_seq') FROM generate_series(1, $1::int)

-- :name insert_sequenced
-- Into groups that are locked; with the heads of those that are new.
WITH heads AS (UPDATE message_group SET head_seq = ($14::bigint[])[array_position($13, group_id)],
                                        opens_ms = ($15::bigint[])[array_position($13, group_id)]
                WHERE queue_id = $1 AND group_id = ANY($13::text[]))
INSERT INTO message (queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id,
                     sent_ms, due_ms, place, dead_letter_source_arn, hidden, sequenced)
SELECT $1, n.seq, n.message_id, n.body, n.attributes, n.sender_id, n.trace_header, n.group_id, n.deduplication_id,
       n.sent_ms, n.due_ms, n.seq, n.dead_letter_source_arn, n.hidden, true
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::text[],
              $9::text[], $10::bigint[], $11::bigint[], $12::text[], $16::smallint[])
       AS n(seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id, sent_ms, due_ms,
            dead_letter_source_arn, hidden)

-- :name append_standard
-- Numbers are drawn in the order of the arrays. No row for a queue that is gone.
INSERT INTO message (queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id,
                     sent_ms, due_ms, place, dead_letter_source_arn, hidden, sequenced)
SELECT d.id, d.seq, d.message_id, d.body, d.attributes, d.sender_id, d.trace_header, d.group_id, d.deduplication_id,
       d.sent_ms, d.due_ms, d.seq, d.dead_letter_source_arn, d.hidden, false
  FROM (SELECT q.id, nextval('message_seq') AS seq, n.*
          FROM queue q, unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[],
                               $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::smallint[])
               AS n(message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id, sent_ms,
                    due_ms, dead_letter_source_arn, hidden)
         WHERE q.id = $1) d
RETURNING seq

-- :name visible
SELECT {message} FROM message WHERE queue_id = $1 AND hidden = 0 AND NOT sequenced AND place > $2
 ORDER BY place LIMIT $3 FOR UPDATE SKIP LOCKED

-- :name receive
UPDATE message
   SET hidden = ($3::smallint[])[array_position($2, seq)], due_ms = ($4::bigint[])[array_position($2, seq)],
       received_ms = ($5::bigint[])[array_position($2, seq)],
       first_received_ms = COALESCE(first_received_ms, ($5::bigint[])[array_position($2, seq)]),
       receive_count = receive_count + 1, place = ($6::bigint[])[array_position($2, seq)], attempt_id = $7
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- :name receive_sequenced
-- receive, with the heads of the groups that the messages are of.
WITH heads AS (UPDATE message_group SET head_seq = ($9::bigint[])[array_position($8, group_id)],
                                        opens_ms = ($10::bigint[])[array_position($8, group_id)]
                WHERE queue_id = $1 AND group_id = ANY($8::text[]))
UPDATE message
   SET hidden = ($3::smallint[])[array_position($2, seq)], due_ms = ($4::bigint[])[array_position($2, seq)],
       received_ms = ($5::bigint[])[array_position($2, seq)],
       first_received_ms = COALESCE(first_received_ms, ($5::bigint[])[array_position($2, seq)]),
       receive_count = receive_count + 1, place = ($6::bigint[])[array_position($2, seq)], attempt_id = $7
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- :name receipts
SELECT {message} FROM message WHERE queue_id = $1 AND seq = ANY($2::bigint[]) ORDER BY seq FOR UPDATE

-- :name set_due
UPDATE message
   SET hidden = ($3::smallint[])[array_position($2, seq)], due_ms = ($4::bigint[])[array_position($2, seq)],
       attempt_id = COALESCE($5, attempt_id)
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- :name dead_letter
-- On a standard queue SentTimestamp stays, and with it the retention (spec 3.9).
UPDATE message
   SET queue_id = $3, seq = ($4::bigint[])[array_position($2, seq)], place = ($4::bigint[])[array_position($2, seq)],
       received_ms = NULL, due_ms = 0, dead_letter_source_arn = $5, dead_since_ms = $6
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- :name dead_letter_fifo
-- The deduplication id becomes the message id, and the retention starts anew (spec 3.9).
UPDATE message
   SET queue_id = $3, seq = ($4::bigint[])[array_position($2, seq)], place = ($4::bigint[])[array_position($2, seq)],
       received_ms = NULL, due_ms = $6, dead_letter_source_arn = $5, deduplication_id = message_id, sent_ms = $6
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- :name move_messages
-- A moved message is a new one: new id, new time, never received, without a source (spec 3.12).
UPDATE message
   SET queue_id = $3, seq = ($4::bigint[])[array_position($2, seq)], place = ($4::bigint[])[array_position($2, seq)],
       message_id = ($5::text[])[array_position($2, seq)], sent_ms = $6::bigint,
       due_ms = CASE WHEN $7 THEN $6::bigint ELSE 0 END, first_received_ms = NULL, received_ms = NULL,
       receive_count = 0, dead_since_ms = NULL, dead_letter_source_arn = NULL, attempt_id = NULL, hidden = 0,
       sequenced = $7
 WHERE queue_id = $1 AND seq = ANY($2::bigint[])

-- Fair queues

-- :name noisy_tenants
-- Shares are taken from the 1,000 in-flight messages hidden longest, which bounds the cost; AWS's are approximate too.
WITH sample AS (SELECT group_id FROM message
                 WHERE queue_id = $1 AND hidden > 0 AND hidden = 1 ORDER BY due_ms DESC LIMIT 1000)
SELECT group_id FROM sample WHERE group_id IS NOT NULL
 GROUP BY group_id HAVING COUNT(*) >= $2 AND COUNT(*) * 10 > (SELECT COUNT(*) FROM sample)
 ORDER BY COUNT(*), group_id

-- :name hidden_of_tenants
SELECT COUNT(*) FILTER (WHERE hidden = 0), COUNT(*) FILTER (WHERE hidden = 1), COUNT(*) FILTER (WHERE hidden = 2)
  FROM message WHERE queue_id = $1 AND group_id = ANY($2::text[])

-- :name line
-- The line of a queue as it stands, without locks.
SELECT seq, group_id, receive_count, place FROM message
 WHERE queue_id = $1 AND hidden = 0 AND NOT sequenced AND place > $2 ORDER BY place LIMIT $3

-- :name visible_among
SELECT {message} FROM message WHERE queue_id = $1 AND hidden = 0 AND NOT sequenced AND seq = ANY($2::bigint[])
 ORDER BY place FOR UPDATE SKIP LOCKED

-- FIFO groups

-- :name take_groups
-- Locks groups, made if need be, in their order. A group that has a head keeps it.
INSERT INTO message_group AS g (queue_id, group_id, head_seq, opens_ms)
SELECT $1, group_id, 0, 9223372036854775807 FROM unnest($2::text[]) AS n(group_id)
ON CONFLICT (queue_id, group_id) DO UPDATE SET head_seq = g.head_seq
RETURNING group_id, head_seq

-- :name take_groups_and_draw
-- take_groups, then so many numbers: each row has one, and the groups that are new. No rows: the queue is gone.
WITH locked AS (
         INSERT INTO message_group AS g (queue_id, group_id, head_seq, opens_ms)
         SELECT q.id, n.group_id, 0, 9223372036854775807 FROM queue q, unnest($2::text[]) AS n(group_id) WHERE q.id = $1
         ON CONFLICT (queue_id, group_id) DO UPDATE SET head_seq = g.head_seq
         RETURNING group_id, head_seq),
     done AS MATERIALIZED (
         SELECT COUNT(*) AS groups, array_agg(group_id) FILTER (WHERE head_seq = 0) AS new_groups FROM locked)
SELECT nextval('message_seq'), new_groups FROM done CROSS JOIN generate_series(1, $3::int) WHERE groups > 0

-- :name lock_groups_of
SELECT group_id FROM message_group
 WHERE queue_id = $1 AND group_id = ANY(ARRAY(
       SELECT group_id FROM message WHERE queue_id = $1 AND seq = ANY($2::bigint[])))
 ORDER BY group_id FOR UPDATE

-- :name lock_groups
SELECT group_id FROM message_group WHERE queue_id = $1 AND group_id = ANY($2::text[]) ORDER BY group_id FOR UPDATE

-- :name open_groups
SELECT group_id FROM message_group WHERE queue_id = $1 AND opens_ms <= $2 AND group_id <> ALL($4::text[])
 ORDER BY opens_ms, head_seq LIMIT $3 FOR UPDATE SKIP LOCKED

-- :name has_open_group
SELECT 1 FROM message_group WHERE queue_id = $1 AND opens_ms <= $2 AND group_id <> ALL($3::text[]) LIMIT 1

-- :name first_open_group
-- Waits for whoever has it locked. It is chosen first: a search that locks would keep each row that it passes.
SELECT group_id FROM message_group
 WHERE queue_id = $1 AND group_id = (
       SELECT group_id FROM message_group WHERE queue_id = $1 AND opens_ms <= $2 ORDER BY opens_ms, head_seq LIMIT 1)
   FOR UPDATE

-- :name runs
-- The first messages of each group, in the order of the groups.
SELECT m.* FROM unnest($2::text[]) WITH ORDINALITY AS g(group_id, place)
  CROSS JOIN LATERAL (SELECT {message} FROM message
                       WHERE queue_id = $1 AND group_id = g.group_id AND sequenced AND seq > $4
                       ORDER BY seq LIMIT $3) m
 ORDER BY g.place, m.seq

-- :name refresh_groups
-- Brings the rows of locked groups in line with their oldest messages; without messages a group has no row.
WITH gone AS (
         DELETE FROM message_group g WHERE queue_id = $1 AND group_id = ANY($2::text[]) AND (
             SELECT seq FROM message WHERE queue_id = $1 AND group_id = g.group_id AND sequenced
              ORDER BY seq LIMIT 1) IS NULL)
UPDATE message_group g SET (head_seq, opens_ms) = (
           SELECT seq, due_ms FROM message WHERE queue_id = $1 AND group_id = g.group_id AND sequenced
            ORDER BY seq LIMIT 1)
 WHERE queue_id = $1 AND group_id = ANY($2::text[]) AND (
       SELECT seq FROM message WHERE queue_id = $1 AND group_id = g.group_id AND sequenced
        ORDER BY seq LIMIT 1) IS NOT NULL
RETURNING g.opens_ms

-- :name delayed_messages
SELECT seq, sent_ms, group_id FROM message WHERE queue_id = $1 AND hidden > 0 AND hidden = 2

-- Deduplication and attempts

-- :name remember_seen
-- The keys that were not seen in the time that counts. Sorted, so that no two batches wait for each other.
INSERT INTO deduplication AS d (queue_id, deduplication_key, message_id, seq, until_ms)
SELECT $1, n.key, n.message_id, n.seq, n.until_ms
  FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS n(key, message_id, seq, until_ms)
ON CONFLICT (queue_id, deduplication_key) DO UPDATE
   SET message_id = excluded.message_id, seq = excluded.seq, until_ms = excluded.until_ms
 WHERE d.until_ms <= excluded.until_ms - $6
RETURNING deduplication_key

-- :name seen
SELECT deduplication_key, message_id, seq, until_ms FROM deduplication
 WHERE queue_id = $1 AND deduplication_key = ANY($2::text[])

-- :name forget_seen
DELETE FROM deduplication WHERE (queue_id, deduplication_key) IN
    (SELECT queue_id, deduplication_key FROM deduplication WHERE queue_id = $1 AND until_ms <= $2
      ORDER BY until_ms LIMIT $3 FOR UPDATE SKIP LOCKED)

-- :name lock_attempt
SELECT pg_advisory_xact_lock(hashtextextended($1::bigint || ' ' || $2::text, 0))

-- :name find_attempt
SELECT until_ms, due_ms, messages FROM receive_attempt WHERE queue_id = $1 AND attempt_id = $2

-- :name remember_attempt
INSERT INTO receive_attempt (queue_id, attempt_id, until_ms, due_ms, messages) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (queue_id, attempt_id) DO UPDATE
   SET until_ms = excluded.until_ms, due_ms = excluded.due_ms, messages = excluded.messages

-- :name attempts
SELECT attempt_id, messages FROM receive_attempt WHERE queue_id = $1 AND attempt_id = ANY($2::text[])
 ORDER BY attempt_id FOR UPDATE

-- :name spoil_attempts
UPDATE receive_attempt SET due_ms = -1 WHERE queue_id = $1 AND attempt_id = ANY($2::text[])

-- :name forget_attempts
DELETE FROM receive_attempt WHERE (queue_id, attempt_id) IN
    (SELECT queue_id, attempt_id FROM receive_attempt WHERE queue_id = $1 AND until_ms <= $2
      ORDER BY until_ms LIMIT $3 FOR UPDATE SKIP LOCKED)

-- Looking on

-- :name peek
-- `locked`: an earlier message of the group is in flight or delayed, and not too old.
SELECT {message}, state FROM (
    SELECT m.*, CASE WHEN m.hidden > 0 AND m.due_ms > $2 THEN CASE m.hidden WHEN 1 THEN 'in-flight' ELSE 'delayed' END
                     WHEN m.sequenced AND EXISTS (
                         SELECT 1 FROM message h WHERE h.queue_id = $1 AND h.group_id = m.group_id AND h.sequenced
                            AND h.seq < m.seq AND h.hidden > 0 AND h.due_ms > $2 AND h.sent_ms > $3) THEN 'locked'
                     ELSE 'visible' END AS state
      FROM message m WHERE m.queue_id = $1 AND m.seq > $4 AND m.sent_ms > $3) seen
 WHERE state = ANY($5::text[]) ORDER BY seq LIMIT $6
