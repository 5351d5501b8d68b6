package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.StatementPieces;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.TableName;
import javax.sql.DataSource;

/** The table of the records that transactions write, and what the store knows about its database. */
public record RecordTable(
        DataSource dataSource,
        JdbcSettings settings,
        RecordDialect dialect,
        WriteProbe probe,
        StatementPieces pieces,
        SqlFailures failures) {
    /** The maximum size of statements. */
    public StatementSize statementSize() {
        return pieces.statementSize();
    }

    public TableName name() {
        return settings.table();
    }
}
