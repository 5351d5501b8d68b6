-- schema-mysql.sql for keyFormat DIGEST: message_id holds a digest of scope and message ID, and scope is empty.
-- MySQL 8.0 and MariaDB 10.6 or newer. If you rename dedup_record, set table(...) of the store's builder.
-- Times are microseconds since 1970 UTC by the server's clock. All text is stored as bytes: no collation, no padding.
CREATE TABLE IF NOT EXISTS dedup_record (
    message_id   VARBINARY(255) NOT NULL,
    scope        VARBINARY(255) NOT NULL,
    state        SMALLINT       NOT NULL, -- 0 released, 1 processing, 2 processing after a takeover, 3 dead, 4 done
    owner        VARBINARY(64),
    attempt      INT            NOT NULL,
    deaths       INT            NOT NULL,
    token        BIGINT         NOT NULL,
    lease_until  BIGINT         NOT NULL, -- when the lease ends, or the claim was released; 0 if done
    completed_at BIGINT,
    expires_at   BIGINT         NOT NULL, -- after this the record counts as absent; 9223372036854775807 means never
    -- Identifies the call that last wrote the row, because counts of affected rows are not reliable.
    write_mark   BIGINT         NOT NULL DEFAULT 0,
    fingerprint  VARBINARY(64),
    result       LONGBLOB,
    -- Always null, which takes no space. The store recognizes tables with digests by this column.
    key_digest   SMALLINT,
    PRIMARY KEY (message_id, scope),
    KEY dedup_record_purge (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
  -- The store checks this version at start. You may add your own text to the comment.
  COMMENT = 'dedup schema 2';
