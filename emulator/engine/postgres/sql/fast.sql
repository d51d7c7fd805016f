-- The short way of standard queues (fast.py): a transaction that is one statement

-- :name send
-- append_standard, the lock and the counts in one statement, which is a transaction by itself. No rows: the queue is
-- gone, or somebody has it locked.
WITH there AS MATERIALIZED (SELECT id FROM queue WHERE id = $1 AND pg_try_advisory_xact_lock_shared($13)),
     counted AS (INSERT INTO tally AS t (queue_id, slot, messages, in_flight, delayed, sent, sent_bytes, smallest_bytes,
                                         largest_bytes, received, empty_receives, deleted, deduplicated)
                 SELECT id, $14::int, $15::bigint, 0, $16::bigint, $17::bigint, $18::bigint, $19::bigint, $20::bigint,
                        0, 0, 0, 0 FROM there {add}),
     stored AS (INSERT INTO message (queue_id, seq, message_id, body, attributes, sender_id, trace_header, group_id,
                                     deduplication_id, sent_ms, due_ms, place, dead_letter_source_arn, hidden, sequenced)
                SELECT d.id, d.seq, d.message_id, d.body, d.attributes, d.sender_id, d.trace_header, d.group_id,
                       d.deduplication_id, d.sent_ms, d.due_ms, d.seq, d.dead_letter_source_arn, d.hidden, false
                  FROM (SELECT there.id, nextval('message_seq') AS seq, n.*
                          FROM there, unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[],
                                             $8::text[], $9::bigint[], $10::bigint[], $11::text[], $12::smallint[])
                               AS n(message_id, body, attributes, sender_id, trace_header, group_id, deduplication_id,
                                    sent_ms, due_ms, dead_letter_source_arn, hidden)) d
                RETURNING seq)
SELECT seq FROM stored

-- :name take
-- A claim of a standard queue in one statement. It takes nothing if the queue is not settled, is a fair one, is locked
-- or full, or if a message among them was received too often: then the longer way is taken.
WITH standing AS MATERIALIZED (
         SELECT q.id, q.grouped, q.begins_ms,
                (SELECT due_ms FROM message WHERE queue_id = q.id AND hidden > 0 ORDER BY due_ms LIMIT 1) AS due_ms,
                (SELECT sent_ms FROM message WHERE queue_id = q.id ORDER BY sent_ms LIMIT 1) AS sent_ms,
                (SELECT COALESCE(SUM(in_flight), 0)::bigint FROM tally WHERE queue_id = q.id) AS in_flight
           FROM queue q WHERE q.id = $1 AND pg_try_advisory_xact_lock_shared($2)),
     settled AS MATERIALIZED (
         SELECT id FROM standing
          WHERE NOT grouped AND $3 < begins_ms + 60000 AND in_flight + $5 <= $7
            AND (due_ms IS NULL OR due_ms > $3) AND (sent_ms IS NULL OR sent_ms > $4)),
     picked AS MATERIALIZED (
         SELECT seq, place, receive_count FROM message
          WHERE queue_id = (SELECT id FROM settled) AND hidden = 0 AND NOT sequenced
          ORDER BY place LIMIT $5 FOR UPDATE SKIP LOCKED),
     fit AS MATERIALIZED (SELECT NOT EXISTS (SELECT 1 FROM picked WHERE receive_count >= $6) AS fit),
     numbered AS MATERIALIZED (
         SELECT seq, place, row_number() OVER (ORDER BY place) AS number,
                CASE WHEN receive_count >= 2 THEN nextval('message_seq') END AS back
           FROM picked WHERE (SELECT fit FROM fit)),
     found AS MATERIALIZED (
         SELECT array_agg(seq ORDER BY number) AS seqs, array_agg(back ORDER BY number) AS backs FROM numbered),
     taken AS (
         UPDATE message m
            SET hidden = 1, due_ms = ($8::bigint[])[array_position((SELECT seqs FROM found), m.seq)],
                received_ms = ($9::bigint[])[array_position((SELECT seqs FROM found), m.seq)],
                first_received_ms = COALESCE(m.first_received_ms,
                                             ($9::bigint[])[array_position((SELECT seqs FROM found), m.seq)]),
                receive_count = m.receive_count + 1, attempt_id = NULL,
                place = COALESCE((SELECT backs FROM found)[array_position((SELECT seqs FROM found), m.seq)], m.place)
          WHERE m.queue_id = $1 AND m.seq = ANY((SELECT seqs FROM found)::bigint[])
      RETURNING array_position((SELECT seqs FROM found), m.seq), m.seq, m.message_id, m.body, m.attributes,
                m.sender_id, m.sent_ms, m.first_received_ms, m.receive_count, m.trace_header, m.group_id,
                m.deduplication_id, m.dead_letter_source_arn),
     counted AS (INSERT INTO tally AS t (queue_id, slot, messages, in_flight, delayed, sent, sent_bytes, smallest_bytes,
                                         largest_bytes, received, empty_receives, deleted, deduplicated)
                 SELECT $1, $10::int, 0, count(*), 0, 0, 0, 0, 0, count(*), 0, 0, 0 FROM taken HAVING count(*) > 0 {add})
SELECT standing.grouped, standing.begins_ms, standing.due_ms, (SELECT count(*) FROM settled) AS settled, fit.fit, taken.*
  FROM standing CROSS JOIN fit LEFT JOIN taken ON true

-- :name remove
-- delete_messages of a standard queue, the lock and the counts in one statement. The first row tells whether the
-- queue is there and was not locked.
WITH there AS MATERIALIZED (SELECT id FROM queue WHERE id = $1 AND pg_try_advisory_xact_lock_shared($3)),
     gone AS (DELETE FROM message WHERE queue_id = (SELECT id FROM there) AND seq = ANY($2::bigint[])
              RETURNING seq, message_id, hidden, due_ms, sent_ms, group_id),
     counted AS (INSERT INTO tally AS t (queue_id, slot, messages, in_flight, delayed, sent, sent_bytes, smallest_bytes,
                                         largest_bytes, received, empty_receives, deleted, deduplicated)
                 SELECT there.id, $4::int, -count(gone.seq), -count(*) FILTER (WHERE hidden = 1),
                        -count(*) FILTER (WHERE hidden = 2), 0, 0, 0, 0, 0, 0, $5::bigint, 0
                   FROM there LEFT JOIN gone ON true GROUP BY there.id {add})
SELECT gone.* FROM there LEFT JOIN gone ON true
