-- PostgreSQL 12 or newer. Under another name than dedup_record: say so to the store's builder.
-- Times are microseconds since 1970 UTC by the server's clock.
CREATE TABLE IF NOT EXISTS dedup_record (
    token        bigint   NOT NULL,
    lease_until  bigint   NOT NULL, -- end of the lease, or when it was released; 0 when done
    expires_at   bigint   NOT NULL, -- from when on the record counts as absent; 9223372036854775807 is never
    completed_at bigint,
    -- When the purge looks at the record: an hour, so that completing a message seldom changes an indexed column and the
    -- update stays on its page (HOT). The fill factor leaves the room for that: for one more version of every row.
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
) WITH (fillfactor = 54);

CREATE INDEX IF NOT EXISTS dedup_record_purge ON dedup_record (purge_hour);

-- By this a store knows at start what the table is fit for. Add words of your own if you like.
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
