package io.dedup.store.jdbc.internal.dialect;

import java.sql.SQLException;

/** The failure of a transaction that the database rolled back before its end. */
public final class UndoneTransaction {
    private UndoneTransaction() {}

    public static SQLException failure() {
        return new SQLException(
                "the record is missing: the database rolled the transaction back, but the handler continued in it",
                "40000");
    }
}
