-- Copies the records of a table with plain keys into one with digests, on MySQL and MariaDB. First stop all consumers and create
-- the table dedup_record_digest from schema-mysql-digest.sql. Then start them with table(...) dedup_record_digest and
-- keyFormat DIGEST. If your tables have other names, replace them.
INSERT INTO dedup_record_digest (message_id, scope, state, owner, attempt, deaths, token, lease_until, completed_at, expires_at,
                                 write_mark, fingerprint, result)
SELECT LEFT(UNHEX(SHA2(CONCAT(scope, 0xFF, message_id), 256)), 14), '', state, owner, attempt, deaths, token, lease_until,
       completed_at, expires_at, write_mark, fingerprint, result
FROM dedup_record;
