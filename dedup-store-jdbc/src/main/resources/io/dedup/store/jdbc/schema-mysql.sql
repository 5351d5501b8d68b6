-- MySQL 8.0 and MariaDB 10.6 or newer. Under another name than dedup_record: say so to the store's builder.
-- Times are microseconds since 1970 UTC by the server's clock. Every text is kept as bytes: no collation, no padding.
CREATE TABLE IF NOT EXISTS dedup_record (
    message_id   VARBINARY(255) NOT NULL,
    scope        VARBINARY(255) NOT NULL,
    state        SMALLINT       NOT NULL, -- 0 released, 1 processing, 2 processing after a takeover, 3 dead, 4 done
    owner        VARBINARY(64),
    attempt      INT            NOT NULL,
    deaths       INT            NOT NULL,
    token        BIGINT         NOT NULL,
    lease_until  BIGINT         NOT NULL, -- end of the lease, or when it was released; 0 when done
    completed_at BIGINT,
    expires_at   BIGINT         NOT NULL, -- from when on the record counts as absent; 9223372036854775807 is never
    -- Which call wrote the row last: an affected-rows count can't be trusted to tell.
    write_mark   BIGINT         NOT NULL DEFAULT 0,
    fingerprint  VARBINARY(64),
    result       LONGBLOB,
    PRIMARY KEY (message_id, scope),
    KEY dedup_record_purge (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
  -- By this a store knows at start what the table is fit for. Add words of your own if you like.
  COMMENT = 'dedup schema 2';
