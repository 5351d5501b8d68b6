package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

// docs:begin metadata-table
/** The table of Spring Integration's JdbcMetadataStore, as a MetadataStoreSelector uses it. */
public final class MetadataTable implements OldScheme {
    private static final String MARK = "dedup"; // the selector looks at the key alone

    private final JdbcTemplate jdbc;
    private final String region;

    public MetadataTable(JdbcTemplate jdbc, String region) {
        this.jdbc = jdbc;
        this.region = region;
    }

    @Override
    public Entry claim(String id) {
        int rows = jdbc.update(
                "INSERT INTO INT_METADATA_STORE (METADATA_KEY, METADATA_VALUE, REGION) VALUES (?, ?, ?)"
                        + " ON CONFLICT DO NOTHING",
                id,
                MARK,
                region);
        if (rows == 1) {
            return Entry.NEW;
        }
        List<String> values = jdbc.queryForList(
                "SELECT METADATA_VALUE FROM INT_METADATA_STORE WHERE METADATA_KEY = ? AND REGION = ?",
                String.class,
                id,
                region);
        if (values.isEmpty()) {
            return claim(id); // it has just been removed
        }
        return values.contains(MARK) ? Entry.OURS : Entry.KNOWN;
    }

    @Override
    public void failed(String id) {
        jdbc.update("DELETE FROM INT_METADATA_STORE WHERE METADATA_KEY = ? AND REGION = ?", id, region);
    }

    /** The table has no times, so the windows begin with the import. */
    @Override
    public Stream<ImportedId> handled() {
        return jdbc.queryForStream(
                "SELECT METADATA_KEY FROM INT_METADATA_STORE WHERE REGION = ? AND METADATA_VALUE <> ?",
                (row, number) -> ImportedId.of(row.getString(1), Instant.now()),
                region,
                MARK);
    }
}
// docs:end
