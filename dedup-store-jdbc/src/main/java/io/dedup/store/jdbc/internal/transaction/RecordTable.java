package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.StatementPieces;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.TableName;
import javax.sql.DataSource;

/** The table that transactions write their records to, with what its store knows of the database. */
public record RecordTable(
        DataSource dataSource,
        JdbcSettings settings,
        RecordDialect dialect,
        WriteProbe probe,
        StatementPieces pieces,
        SqlFailures failures) {
    /** How large a statement the server takes. */
    public StatementSize statementSize() {
        return pieces.statementSize();
    }

    public TableName name() {
        return settings.table();
    }
}
