package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.text.Utf8;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maximum size of statements, as last read from the server. Shared by the store and its transactions. Thread-safe.
 */
public final class StatementSize {
    /** The maximum size of the keys and results in one statement, except for a single request that is larger. */
    private static final int MAX_BYTES = 1 << 20;

    /** For the statement's own text and one request's key, owner and fingerprint. */
    private static final int ROOM = 16 * 1024;

    /** A driver that writes values into the statement's text may escape every byte; in hexadecimal a byte has two digits. */
    private static final int BYTES_FOR_ONE = 2;

    /** The size of a request without its key and its result: owner, fingerprint, and the text between them. */
    private static final int REQUEST_BYTES = 208;

    private static final Logger log = LoggerFactory.getLogger(StatementSize.class);

    private final Dialect dialect;
    private volatile long values = Long.MAX_VALUE;
    /** Whether a failure occurred that a changed limit of the server would explain. */
    private volatile boolean doubted;

    public StatementSize(Dialect dialect) {
        this.dialect = dialect;
    }

    public void ask(Connection connection) throws SQLException {
        doubted = false;
        long bytes = dialect.maxStatementBytes(connection);
        long before = values;
        values = bytes == Long.MAX_VALUE ? bytes : Math.max(0, bytes - ROOM) / BYTES_FOR_ONE;
        if (values != before && before != Long.MAX_VALUE) {
            log.info(
                    "The database now takes statements of up to {} bytes: results of up to {} bytes are stored",
                    bytes,
                    maxResult());
        }
    }

    /** Has the next statement with a result read the limit again. */
    public void doubt() {
        doubted = true;
    }

    public boolean isDoubted() {
        return doubted;
    }

    /** The maximum size of the values in a statement with several requests. */
    long maxValues() {
        return Math.min(MAX_BYTES, values);
    }

    /** The maximum size of a result that a statement can send, in bytes. */
    public int maxResult() {
        return (int) Math.min(Integer.MAX_VALUE, values);
    }

    public boolean fits(byte[] result) {
        return result.length <= values;
    }

    /** The number of bytes that a request adds to a statement. */
    public static int ofRequest(DedupKey key, byte @Nullable [] result) {
        return Utf8.lengthOrMinusOne(key.messageId())
                + Utf8.lengthOrMinusOne(key.scope().text())
                + REQUEST_BYTES
                + (result == null ? 0 : result.length);
    }
}
