-- schema-h2.sql for keyFormat DIGEST: message_id holds a digest of scope and message ID, and scope is empty.
-- H2 2.2 or newer. If you rename dedup_record, set table(...) of the store's builder.
-- Times are microseconds since 1970 UTC by the database's clock.
CREATE TABLE IF NOT EXISTS dedup_record (
    message_id   VARBINARY(255) NOT NULL,
    scope        VARBINARY(255) NOT NULL,
    state        SMALLINT       NOT NULL, -- 0 released, 1 processing, 2 processing after a takeover, 3 dead, 4 done
    owner        VARCHAR(64),
    attempt      INTEGER        NOT NULL,
    deaths       INTEGER        NOT NULL,
    token        BIGINT         NOT NULL,
    lease_until  BIGINT         NOT NULL, -- when the lease ends, or the claim was released; 0 if done
    completed_at BIGINT,
    expires_at   BIGINT         NOT NULL, -- after this the record counts as absent; 9223372036854775807 means never
    fingerprint  VARCHAR(64),
    result       BINARY LARGE OBJECT, -- a BLOB, under a name that H2 knows in all of its modes
    -- Always null, which takes no space. The store recognizes tables with digests by this column.
    key_digest   SMALLINT,
    PRIMARY KEY (message_id, scope)
);

CREATE INDEX IF NOT EXISTS dedup_record_purge ON dedup_record (expires_at);

-- The store checks this version at start. You may add your own text to the comment.
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
