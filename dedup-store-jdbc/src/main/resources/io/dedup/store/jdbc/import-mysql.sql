-- Records the IDs of processed_message (message_id, processed_at) as done, for the consumer billing, the topic orders and a
-- window of 7 days, on MariaDB and MySQL. Replace these names, 7:billing/orders (the length of the consumer's name, the name,
-- the topic), and the 7 days, which occur twice. processed_at is a TIMESTAMP, or a DATETIME in UTC. For a window without end,
-- ends is 9223372036854775807, without the condition on processed_at. Repeating it is harmless, and consumers may be running:
-- a live lease is not touched. Not for a table with digests, nor for a consumer whose IDs are hashed: import these by code.
-- Claims of the same IDs wait for the statement: import a large table in portions of
-- processed_at, so that each takes less than a second. Run the statements in one session.
SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES';
SET @now = TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6));
SET @mark = FLOOR(RAND() * 1000000000000000) * 8;
INSERT INTO dedup_record
    (message_id, scope, state, attempt, deaths, token, lease_until, completed_at, expires_at, write_mark)
SELECT old.id, '7:billing/orders', 4, 0, 0, 0, 0, old.done, old.ends, @mark
FROM (SELECT each_row.id, MAX(each_row.done) AS done, MAX(each_row.done) + 7 * 86400000000 AS ends
      FROM (SELECT CAST(IF(LENGTH(CONVERT(message_id USING utf8mb4)) > 255
                               OR LEFT(CAST(CONVERT(message_id USING utf8mb4) AS BINARY), 7) = CAST('sha256:' AS BINARY),
                           CONCAT('sha256:', SHA2(CONVERT(message_id USING utf8mb4), 256)),
                           CONVERT(message_id USING utf8mb4)) AS BINARY) AS id,
                   TIMESTAMPDIFF(MICROSECOND, '1970-01-01', processed_at) AS done
            FROM processed_message
            WHERE TRIM(message_id) <> '' AND processed_at > UTC_TIMESTAMP(6) - INTERVAL 7 DAY) each_row
      GROUP BY each_row.id) old
ON DUPLICATE KEY UPDATE
    write_mark = CASE
        WHEN state IN (1, 2) AND lease_until > @now THEN write_mark
        WHEN state = 4 AND completed_at >= old.done AND expires_at >= old.ends THEN write_mark
        ELSE @mark + 1 + (state = 4) + 2 * (expires_at <= @now) END,
    attempt = IF(write_mark - @mark IN (3, 4), 0, attempt),
    completed_at = IF(write_mark - @mark = 2, GREATEST(completed_at, old.done),
                      IF(write_mark - @mark BETWEEN 1 AND 4, old.done, completed_at)),
    expires_at = IF(write_mark - @mark = 2, GREATEST(expires_at, old.ends),
                    IF(write_mark - @mark BETWEEN 1 AND 4, old.ends, expires_at)),
    state = IF(write_mark - @mark BETWEEN 1 AND 4, 4, state),
    owner = IF(write_mark - @mark BETWEEN 1 AND 4, NULL, owner),
    deaths = IF(write_mark - @mark BETWEEN 1 AND 4, 0, deaths),
    lease_until = IF(write_mark - @mark BETWEEN 1 AND 4, 0, lease_until),
    fingerprint = IF(write_mark - @mark IN (3, 4), NULL, fingerprint),
    result = IF(write_mark - @mark IN (1, 3, 4), NULL, result);
