-- From version 1 of the table to version 2, on MySQL 8.0 and MariaDB 10.6 or newer: takes no time. Under another name than
-- dedup_record: replace it. Where a tool has added the column already: COMMENT = 'dedup schema 2' alone.
ALTER TABLE dedup_record ADD COLUMN write_mark BIGINT NOT NULL DEFAULT 0, COMMENT = 'dedup schema 2';
