package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import java.time.OffsetDateTime;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;

// docs:begin table
/** A table with a unique key, into which old consumers insert in the transaction of the effect. */
public final class UniqueKeyTable implements OldScheme {
    private final JdbcTemplate jdbc;

    public UniqueKeyTable(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** In the handler's transaction: waits for an old consumer's insert, and disappears with a rollback. */
    @Override
    public Entry claim(String id) {
        int rows = jdbc.update(
                "INSERT INTO processed_message (message_id, processed_at) VALUES (?, now()) ON CONFLICT DO NOTHING",
                id);
        return rows == 1 ? Entry.NEW : Entry.KNOWN;
    }

    @Override
    public void failed(String id) {} // rolled back

    @Override
    public Stream<ImportedId> handled() {
        return jdbc.queryForStream(
                "SELECT message_id, processed_at FROM processed_message",
                (row, number) -> ImportedId.of(
                        row.getString(1), row.getObject(2, OffsetDateTime.class).toInstant()));
    }
}
// docs:end
