-- Upgrades the table from version 1 to version 2. If you renamed dedup_record, replace the name. If the table's schema is not
-- on the search path, add the schema to the dropped index too (the statements in the store's error message have it).
-- Adding the column takes no time. Creating the index reads the whole table, and claims wait meanwhile: for a large table, run
-- the statements one by one outside a transaction, with CREATE INDEX CONCURRENTLY.
-- Existing records get hour 0; the purge checks each of them once and then sets the right hour.
ALTER TABLE dedup_record ADD COLUMN IF NOT EXISTS purge_hour integer NOT NULL DEFAULT 0;
ALTER TABLE dedup_record SET (fillfactor = 54);
DROP INDEX IF EXISTS dedup_record_purge;
CREATE INDEX dedup_record_purge ON dedup_record (purge_hour);
COMMENT ON TABLE dedup_record IS 'dedup schema 2';
