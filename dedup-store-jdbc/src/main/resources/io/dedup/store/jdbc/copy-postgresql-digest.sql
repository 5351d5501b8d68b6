-- Copies the records of a table with plain keys into one with digests, on PostgreSQL. First stop all consumers and create the
-- table dedup_record_digest from schema-postgresql-digest.sql. Then start them with table(...) dedup_record_digest and
-- keyFormat DIGEST. If your tables have other names, replace them.
INSERT INTO dedup_record_digest (token, lease_until, expires_at, completed_at, purge_hour, attempt, deaths, state, message_id,
                                 scope, owner, fingerprint, result)
SELECT token, CASE WHEN state <> 4 THEN lease_until END, expires_at, completed_at, purge_hour, attempt, deaths, state,
       substring(sha256(scope || '\xff'::bytea || message_id) FROM 1 FOR 14),
       ''::bytea, owner, fingerprint, result
FROM dedup_record;
