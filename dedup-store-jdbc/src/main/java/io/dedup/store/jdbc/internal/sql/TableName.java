package io.dedup.store.jdbc.internal.sql;

import io.dedup.text.Printable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The name of the table: plain identifiers only, because it becomes part of statements, unquoted. */
public record TableName(@Nullable String schema, String name) {
    public static final String DEFAULT = "dedup_record";

    /** The placeholder of the table in this module's statements. */
    private static final String PLACEHOLDER = "{table}";

    /** 48 characters leave room for the index's suffix in every database's limit. */
    private static final Pattern VALID =
            Pattern.compile("(?:([A-Za-z_][A-Za-z0-9_]{0,47})\\.)?([A-Za-z_][A-Za-z0-9_]{0,47})");

    /** An index is created in its table's schema, without naming it, and dropped by naming it. */
    private static final Pattern IN_SCHEMA_FILE =
            Pattern.compile("(\\bDROP INDEX IF EXISTS )?\\b" + DEFAULT + "(_purge)?\\b");

    public static TableName parse(String text) {
        Matcher matcher = VALID.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "table must be a name or schema.name of ASCII letters, digits and '_', at"
                            + " most 48 characters each, but is " + Printable.of(text));
        }
        return new TableName(matcher.group(1), matcher.group(2));
    }

    public String sql() {
        return schema == null ? name : schema + "." + name;
    }

    /** Returns the statement with this table in place of the placeholder. */
    public String in(String statement) {
        return statement.replace(PLACEHOLDER, sql());
    }

    /** Returns the DDL, which names the default table, for this table. */
    public String inSchemaFile(String ddl) {
        return IN_SCHEMA_FILE.matcher(ddl).replaceAll(match -> {
            String suffix = match.group(2) == null ? "" : match.group(2);
            String drop = match.group(1);
            return drop == null ? (suffix.isEmpty() ? sql() : name + suffix) : drop + sql() + suffix;
        });
    }

    @Override
    public String toString() {
        return sql();
    }
}
