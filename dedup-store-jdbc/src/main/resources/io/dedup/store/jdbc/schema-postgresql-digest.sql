-- schema-postgresql.sql for keyFormat DIGEST: message_id holds a digest of scope and message ID, and scope is empty.
-- PostgreSQL 12 or newer. If you rename dedup_record, set table(...) of the store's builder.
-- Times are microseconds since 1970 UTC by the server's clock.
CREATE TABLE IF NOT EXISTS dedup_record (
    token        bigint   NOT NULL,
    lease_until  bigint, -- when the lease ends, or the claim was released; null if done
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
    -- Always null, which takes no space. The store recognizes tables with digests by this column.
    key_digest   smallint,
    PRIMARY KEY (message_id, scope)
) WITH (fillfactor = 56);

CREATE INDEX IF NOT EXISTS dedup_record_purge ON dedup_record (purge_hour);

-- The store checks this version at start. You may add your own text to the comment.
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
