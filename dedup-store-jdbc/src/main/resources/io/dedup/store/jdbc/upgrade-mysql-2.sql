-- Upgrades the table from version 1 to version 2, on MySQL 8.0 and MariaDB 10.6 or newer; takes no time. If you renamed
-- dedup_record, replace the name. If a tool has already added the column, only set COMMENT = 'dedup schema 2'.
ALTER TABLE dedup_record ADD COLUMN write_mark BIGINT NOT NULL DEFAULT 0, COMMENT = 'dedup schema 2';
