package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionOperations;

// docs:begin camel-table
/** The table of Camel's JdbcMessageIdRepository. The bridge marks its entries with a second row of another processor. */
public final class CamelTable implements OldScheme {
    private static final String INSERT =
            "INSERT INTO CAMEL_MESSAGEPROCESSED (processorName, messageId, createdAt) VALUES (?, ?, LOCALTIMESTAMP)"
                    + " ON CONFLICT DO NOTHING";

    private final JdbcTemplate jdbc;
    private final TransactionOperations transactions;
    private final String processor;
    private final String mark;
    private final ZoneId zone;

    /** @param zone of the JVMs that have written the column createdAt, which has no time zone */
    public CamelTable(JdbcTemplate jdbc, TransactionOperations transactions, String processor, ZoneId zone) {
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.processor = processor;
        this.mark = processor + "#dedup";
        this.zone = zone;
    }

    @Override
    public Entry claim(String id) {
        Boolean isNew = transactions.execute(status -> {
            boolean inserted = jdbc.update(INSERT, processor, id) == 1;
            if (inserted) {
                jdbc.update(INSERT, mark, id);
            }
            return inserted;
        });
        if (Boolean.TRUE.equals(isNew)) {
            return Entry.NEW;
        }
        List<String> rows = jdbc.queryForList(
                "SELECT processorName FROM CAMEL_MESSAGEPROCESSED WHERE processorName IN (?, ?) AND messageId = ?",
                String.class,
                processor,
                mark,
                id);
        if (rows.isEmpty()) {
            return claim(id); // it has just been removed
        }
        return rows.contains(mark) ? Entry.OURS : Entry.KNOWN;
    }

    @Override
    public void failed(String id) {
        jdbc.update(
                "DELETE FROM CAMEL_MESSAGEPROCESSED WHERE processorName IN (?, ?) AND messageId = ?",
                processor,
                mark,
                id);
    }

    @Override
    public Stream<ImportedId> handled() {
        return jdbc.queryForStream(
                "SELECT messageId, createdAt FROM CAMEL_MESSAGEPROCESSED p WHERE processorName = ? AND NOT EXISTS"
                        + " (SELECT 1 FROM CAMEL_MESSAGEPROCESSED m"
                        + " WHERE m.processorName = ? AND m.messageId = p.messageId)",
                (row, number) -> ImportedId.of(
                        row.getString(1),
                        row.getObject(2, LocalDateTime.class).atZone(zone).toInstant()),
                processor,
                mark);
    }
}
// docs:end
