-- H2 2.2 or newer. Under another name than dedup_record: say so to the store's builder.
-- Times are microseconds since 1970 UTC by the database's clock.
CREATE TABLE IF NOT EXISTS dedup_record (
    message_id   VARBINARY(255) NOT NULL,
    scope        VARBINARY(255) NOT NULL,
    state        SMALLINT       NOT NULL, -- 0 released, 1 processing, 2 processing after a takeover, 3 dead, 4 done
    owner        VARCHAR(64),
    attempt      INTEGER        NOT NULL,
    deaths       INTEGER        NOT NULL,
    token        BIGINT         NOT NULL,
    lease_until  BIGINT         NOT NULL, -- end of the lease, or when it was released; 0 when done
    completed_at BIGINT,
    expires_at   BIGINT         NOT NULL, -- from when on the record counts as absent; 9223372036854775807 is never
    fingerprint  VARCHAR(64),
    result       BLOB,
    PRIMARY KEY (message_id, scope)
);

CREATE INDEX IF NOT EXISTS dedup_record_purge ON dedup_record (expires_at);

-- By this a store knows at start what the table is fit for. Add words of your own if you like.
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
