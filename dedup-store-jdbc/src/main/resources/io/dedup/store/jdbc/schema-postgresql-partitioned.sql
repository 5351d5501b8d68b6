-- PostgreSQL 14 or newer, instead of schema-postgresql.sql: the same table in 16 partitions by message ID, for tens of
-- millions of records or more. Vacuum can process several partitions at a time, each with an index a sixteenth as large. To
-- move an existing table, copy its rows; see the README. If you rename dedup_record, replace it everywhere in this file and
-- set table(...) of the store's builder. Times are microseconds since 1970 UTC by the server's clock.
CREATE TABLE IF NOT EXISTS dedup_record (
    token        bigint   NOT NULL,
    lease_until  bigint   NOT NULL, -- when the lease ends, or the claim was released; 0 if done
    expires_at   bigint   NOT NULL, -- after this the record counts as absent; 9223372036854775807 means never
    completed_at bigint,
    -- The hour in which the purge checks the record. Whole hours, so that completing a message rarely changes an indexed
    -- column and the update stays on its page (HOT). The fill factor leaves room for one more version of every row.
    purge_hour   integer  NOT NULL DEFAULT 0,
    attempt      integer  NOT NULL,
    deaths       integer  NOT NULL,
    state        smallint NOT NULL, -- 0 released, 1 processing, 2 processing after a takeover, 3 dead, 4 done
    message_id   bytea    NOT NULL,
    scope        bytea    NOT NULL,
    owner        text COLLATE "C",
    fingerprint  text COLLATE "C",
    result       bytea,
    PRIMARY KEY (message_id, scope)
) PARTITION BY HASH (message_id);

CREATE TABLE IF NOT EXISTS dedup_record_p00 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 0) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p01 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 1) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p02 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 2) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p03 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 3) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p04 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 4) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p05 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 5) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p06 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 6) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p07 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 7) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p08 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 8) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p09 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 9) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p10 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 10) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p11 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 11) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p12 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 12) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p13 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 13) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p14 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 14) WITH (fillfactor = 54);
CREATE TABLE IF NOT EXISTS dedup_record_p15 PARTITION OF dedup_record
    FOR VALUES WITH (MODULUS 16, REMAINDER 15) WITH (fillfactor = 54);

CREATE INDEX IF NOT EXISTS dedup_record_purge ON dedup_record (purge_hour);

-- The store checks this version at start. You may add your own text to the comment.
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
