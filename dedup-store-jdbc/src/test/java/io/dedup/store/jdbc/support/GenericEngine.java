package io.dedup.store.jdbc.support;

import io.dedup.store.jdbc.internal.schema.SchemaScript;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.util.List;

/** Databases in the test's process that the store has no dialect for. */
public enum GenericEngine {
    HSQLDB(
            "jdbc:hsqldb:mem:dedup;hsqldb.tx=locks",
            "SELECT TIMESTAMPDIFF(SQL_TSI_FRAC_SECOND, TIMESTAMP '1970-01-01 00:00:00', LOCALTIMESTAMP) / 1000"
                    + " AS store_time FROM (VALUES (0))") {
        @Override
        String adapted(String script) {
            return script.replace("BLOB", "VARBINARY(1000000)");
        }
    },
    DERBY(
            "jdbc:derby:memory:dedup;create=true",
            "SELECT {fn TIMESTAMPDIFF(SQL_TSI_FRAC_SECOND, TIMESTAMP('1970-01-01 00:00:00'), CURRENT_TIMESTAMP)} / 1000"
                    + " AS store_time FROM SYSIBM.SYSDUMMY1") {
        @Override
        String adapted(String script) {
            return script.replaceAll("VARBINARY\\((\\d+)\\)", "VARCHAR($1) FOR BIT DATA");
        }
    };

    private final String url;
    private final String clockQuery;

    GenericEngine(String url, String clockQuery) {
        this.url = url;
        this.clockQuery = clockQuery;
    }

    String url() {
        return url;
    }

    /** Derby's clock is the process's, in its zone: the tests only compare its answers. */
    String clockQuery() {
        return clockQuery;
    }

    /** The generic script, with the names that this database has for the same types. */
    List<String> schema() {
        return SchemaScript.statements("io/dedup/store/jdbc/schema-generic.sql", TableName.parse(TableName.DEFAULT))
                .stream()
                .map(this::adapted)
                .toList();
    }

    abstract String adapted(String script);
}
