-- Records the IDs of processed_message (message_id, processed_at) as done, for the consumer billing, the topic orders and a
-- window of 7 days. Replace these names, 7:billing/orders (the length of the consumer's name, the name, the topic), and the
-- 7 days, which occur twice. For a window without end, ends is 9223372036854775807, without the condition on processed_at.
-- processed_at is a timestamptz. Of a timestamp, write (processed_at AT TIME ZONE 'UTC'), or the zone in which it was written,
-- in both places. Not for a table with digests, nor for a consumer whose IDs are hashed: import these by code.
-- Repeating it is harmless, and consumers may be running: a live lease is not touched. Claims of the same IDs wait for the
-- statement: import a large table in portions of processed_at, so that each takes less than a second.
INSERT INTO dedup_record AS t
    (message_id, scope, state, attempt, deaths, token, lease_until, completed_at, expires_at, purge_hour)
SELECT old.id, convert_to('7:billing/orders', 'UTF8'), 4, 0, 0, 0, 0, old.done, old.ends,
       least(old.ends / 3600000000 + 1, 2147483645)::integer
FROM (SELECT id, max(done) AS done, max(done) + 7 * 86400000000 AS ends
      FROM (SELECT CASE WHEN octet_length(convert_to(message_id, 'UTF8')) > 255 OR message_id LIKE 'sha256:%'
                        THEN convert_to('sha256:' || encode(sha256(convert_to(message_id, 'UTF8')), 'hex'), 'UTF8')
                        ELSE convert_to(message_id, 'UTF8') END AS id,
                   (date_part('epoch', processed_at) * 1000000)::bigint AS done
            FROM processed_message
            WHERE message_id ~ '\S' AND processed_at > now() - interval '7 days') AS each_row
      GROUP BY id) AS old
ORDER BY old.id
ON CONFLICT (message_id, scope) DO UPDATE SET
    state = 4, owner = NULL, deaths = 0, lease_until = 0,
    attempt = CASE WHEN t.expires_at <= (date_part('epoch', statement_timestamp()) * 1000000)::bigint THEN 0
                   ELSE t.attempt END,
    completed_at = CASE WHEN t.state = 4 THEN greatest(t.completed_at, excluded.completed_at)
                        ELSE excluded.completed_at END,
    expires_at = CASE WHEN t.state = 4 THEN greatest(t.expires_at, excluded.expires_at) ELSE excluded.expires_at END,
    purge_hour = excluded.purge_hour,
    fingerprint = CASE WHEN t.expires_at > (date_part('epoch', statement_timestamp()) * 1000000)::bigint
                       THEN t.fingerprint END,
    result = CASE WHEN t.state = 4 AND t.expires_at > (date_part('epoch', statement_timestamp()) * 1000000)::bigint
                  THEN t.result END
WHERE t.state IN (0, 3)
   OR t.state IN (1, 2) AND t.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
   OR t.state = 4 AND (t.completed_at < excluded.completed_at OR t.expires_at < excluded.expires_at);
