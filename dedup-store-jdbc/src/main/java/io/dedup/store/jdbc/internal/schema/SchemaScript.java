package io.dedup.store.jdbc.internal.schema;

import io.dedup.store.jdbc.internal.sql.TableName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the statements of a script on the class path. No literal in them contains a semicolon or two dashes.
 *
 * <p>Does not use Spring's {@code ScriptUtils}, which runs a script but does not return its statements: an error
 * message quotes those of an upgrade, with the name of the table.
 */
public final class SchemaScript {
    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*");

    private SchemaScript() {}

    /** Returns the statements for this table. */
    public static List<String> statements(String resource, TableName table) {
        try (InputStream in = SchemaScript.class.getResourceAsStream("/" + resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the class path");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            String statements = COMMENT.matcher(text).replaceAll("");
            return Arrays.stream(table.inSchemaFile(statements).split(";"))
                    .map(String::strip)
                    .filter(sql -> !sql.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(resource + " cannot be read", e);
        }
    }
}
