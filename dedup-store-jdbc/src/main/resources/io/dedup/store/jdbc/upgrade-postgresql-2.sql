-- From version 1 of the table to version 2. Under another name than dedup_record: replace it. In a schema that isn't on the
-- search path: give the dropped index that schema, too (the statements that an error names have it).
-- The column takes no time, the index as long as it takes to read the table, during which claims wait: for a large table
-- run the statements one by one, outside of a transaction, with CREATE INDEX CONCURRENTLY.
-- Old records get the hour 0, at which the purge looks at each of them once, and gives it the right one.
ALTER TABLE dedup_record ADD COLUMN IF NOT EXISTS purge_hour integer NOT NULL DEFAULT 0;
ALTER TABLE dedup_record SET (fillfactor = 54);
DROP INDEX IF EXISTS dedup_record_purge;
CREATE INDEX dedup_record_purge ON dedup_record (purge_hour);
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
