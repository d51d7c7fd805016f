-- Counts

-- :name add_tallies
INSERT INTO tally AS t (queue_id, slot, messages, in_flight, delayed, sent, sent_bytes, smallest_bytes, largest_bytes,
                        received, empty_receives, deleted, deduplicated)
VALUES {rows}
{add}

-- :name add
-- What stands for {add}: t is the row that is there.
ON CONFLICT (queue_id, slot) DO UPDATE SET
    messages = t.messages + excluded.messages, in_flight = t.in_flight + excluded.in_flight,
    delayed = t.delayed + excluded.delayed,
    smallest_bytes = CASE WHEN t.sent = 0 THEN excluded.smallest_bytes WHEN excluded.sent = 0 THEN t.smallest_bytes
                          ELSE LEAST(t.smallest_bytes, excluded.smallest_bytes) END,
    largest_bytes = GREATEST(t.largest_bytes, excluded.largest_bytes),
    sent = t.sent + excluded.sent, sent_bytes = t.sent_bytes + excluded.sent_bytes,
    received = t.received + excluded.received, empty_receives = t.empty_receives + excluded.empty_receives,
    deleted = t.deleted + excluded.deleted, deduplicated = t.deduplicated + excluded.deduplicated

-- :name counts
SELECT COALESCE(SUM(messages), 0)::bigint, COALESCE(SUM(in_flight), 0)::bigint, COALESCE(SUM(delayed), 0)::bigint
  FROM tally WHERE queue_id = $1

-- :name running_tally
SELECT COALESCE(SUM(sent), 0)::bigint, COALESCE(SUM(sent_bytes), 0)::bigint,
       COALESCE(MIN(smallest_bytes) FILTER (WHERE sent > 0), 0)::bigint, COALESCE(MAX(largest_bytes), 0)::bigint,
       COALESCE(SUM(received), 0)::bigint, COALESCE(SUM(empty_receives), 0)::bigint,
       COALESCE(SUM(deleted), 0)::bigint, COALESCE(SUM(deduplicated), 0)::bigint
  FROM tally WHERE queue_id = $1

-- :name lock_tallies
SELECT 1 FROM tally WHERE queue_id = $1 FOR UPDATE

-- :name clear_tallies
UPDATE tally SET sent = 0, sent_bytes = 0, smallest_bytes = 0, largest_bytes = 0, received = 0, empty_receives = 0,
                 deleted = 0, deduplicated = 0
 WHERE queue_id = $1

-- :name standing
-- All that a claim has to know of a queue beforehand, each by one look at an index.
SELECT q.grouped, q.begins_ms,
       (SELECT due_ms FROM message WHERE queue_id = q.id AND hidden > 0 ORDER BY due_ms LIMIT 1) AS due_ms,
       (SELECT sent_ms FROM message WHERE queue_id = q.id ORDER BY sent_ms LIMIT 1) AS sent_ms,
       (SELECT COALESCE(SUM(in_flight), 0)::bigint FROM tally WHERE queue_id = q.id) AS in_flight
  FROM queue q WHERE q.id = $1

-- :name standings
-- The same of many queues, with what gauges are made of.
SELECT q.id, q.grouped, q.begins_ms, q.opened,
       (SELECT due_ms FROM message WHERE queue_id = q.id AND hidden > 0 ORDER BY due_ms LIMIT 1) AS due_ms,
       (SELECT sent_ms FROM message WHERE queue_id = q.id ORDER BY sent_ms LIMIT 1) AS sent_ms,
       (SELECT COALESCE(dead_since_ms, sent_ms) FROM message WHERE queue_id = q.id
           AND (sequenced OR dead_since_ms IS NOT NULL OR receive_count < 3) ORDER BY seq LIMIT 1) AS oldest_ms,
       CASE WHEN q.name LIKE '%.fifo' THEN (
           SELECT COUNT(DISTINCT group_id) FROM message WHERE queue_id = q.id AND hidden > 0 AND hidden = 1)
       END AS groups_in_flight
  FROM queue q WHERE q.id = ANY($1::bigint[])

-- :name running_tallies
-- Of many queues: how many messages there are, and what running_tally says.
SELECT queue_id, SUM(messages)::bigint AS messages, SUM(in_flight)::bigint AS in_flight,
       SUM(delayed)::bigint AS delayed, SUM(sent)::bigint, SUM(sent_bytes)::bigint,
       COALESCE(MIN(smallest_bytes) FILTER (WHERE sent > 0), 0)::bigint, MAX(largest_bytes)::bigint,
       SUM(received)::bigint, SUM(empty_receives)::bigint, SUM(deleted)::bigint, SUM(deduplicated)::bigint
  FROM tally WHERE queue_id = ANY($1::bigint[]) GROUP BY queue_id

-- :name minutes_of_many
-- minutes_since, of many queues, each since a moment of its own.
SELECT q.id, m.minute FROM unnest($1::bigint[], $2::bigint[]) AS q(id, from_ms)
  CROSS JOIN LATERAL (SELECT start_ms, minute FROM minute WHERE queue_id = q.id AND start_ms >= COALESCE(
      (SELECT start_ms FROM minute WHERE queue_id = q.id AND start_ms <= q.from_ms - 60000
        ORDER BY start_ms DESC LIMIT 1), 0)) m
 ORDER BY q.id, m.start_ms

-- :name is_there
SELECT 1 FROM queue WHERE id = $1

-- :name next_due
SELECT due_ms FROM message WHERE queue_id = $1 AND hidden > 0 ORDER BY due_ms LIMIT 1

-- :name oldest_sent
SELECT sent_ms FROM message WHERE queue_id = $1 ORDER BY sent_ms LIMIT 1

-- Minutes

-- :name lock_minute
SELECT begins_ms, opened FROM queue WHERE id = $1 FOR UPDATE

-- :name running_minute
SELECT begins_ms, opened FROM queue WHERE id = $1

-- :name set_minute
UPDATE queue SET begins_ms = $2, opened = $3 WHERE id = $1

-- :name last_minute
SELECT minute FROM minute WHERE queue_id = $1 ORDER BY start_ms DESC LIMIT 1

-- :name put_minute
INSERT INTO minute (queue_id, start_ms, minute) VALUES ($1, $2, $3)
ON CONFLICT (queue_id, start_ms) DO UPDATE SET minute = excluded.minute

-- :name forget_minutes_before
-- All but the last of those that began before this moment.
DELETE FROM minute WHERE queue_id = $1
   AND start_ms < (SELECT start_ms FROM minute WHERE queue_id = $1 AND start_ms < $2 ORDER BY start_ms DESC LIMIT 1)

-- :name forget_minutes_from
DELETE FROM minute WHERE queue_id = $1 AND start_ms >= $2

-- :name minutes_since
SELECT minute FROM minute WHERE queue_id = $1 AND start_ms >= COALESCE(
    (SELECT start_ms FROM minute WHERE queue_id = $1 AND start_ms <= $2::bigint - 60000
      ORDER BY start_ms DESC LIMIT 1), 0)
 ORDER BY start_ms

-- :name oldest
-- The message whose age counts: not one that went to the back, unless this is a dead-letter queue (spec 3.18).
SELECT COALESCE(dead_since_ms, sent_ms) FROM message
 WHERE queue_id = $1 AND (sequenced OR dead_since_ms IS NOT NULL OR receive_count < 3)
   AND (group_id IS NULL OR group_id <> ALL($2::text[]))
 ORDER BY seq LIMIT 1

-- :name groups_in_flight
SELECT COUNT(DISTINCT group_id) FROM message WHERE queue_id = $1 AND hidden > 0 AND hidden = 1

-- What time alone changes

-- :name expired
SELECT seq, group_id FROM message WHERE queue_id = $1 AND sent_ms <= $2 ORDER BY sent_ms LIMIT $3
   FOR UPDATE SKIP LOCKED

-- :name expired_groups
SELECT seq, group_id FROM message WHERE queue_id = $1 AND sent_ms <= $2 ORDER BY sent_ms LIMIT $3

-- :name delete_messages
DELETE FROM message WHERE queue_id = $1 AND seq = ANY($2::bigint[])
RETURNING seq, message_id, hidden, due_ms, sent_ms, group_id

-- :name reveal
-- Sorted by whoever asks. In a FIFO queue due_ms stays what it was.
WITH due AS MATERIALIZED (
         SELECT seq, hidden, due_ms FROM message WHERE queue_id = $1 AND hidden > 0 AND due_ms <= $2
          ORDER BY due_ms LIMIT $3 FOR UPDATE SKIP LOCKED),
     shown AS (UPDATE message SET hidden = 0, due_ms = CASE WHEN sequenced THEN due_ms ELSE 0 END
                WHERE queue_id = $1 AND seq = ANY(ARRAY(SELECT seq FROM due)) RETURNING seq, message_id),
     found AS (SELECT array_agg(seq) AS seqs, array_agg(hidden) AS hidden, array_agg(due_ms) AS due_ms FROM due)
SELECT shown.seq, shown.message_id, found.hidden[array_position(found.seqs, shown.seq)],
       found.due_ms[array_position(found.seqs, shown.seq)]
  FROM shown, found
