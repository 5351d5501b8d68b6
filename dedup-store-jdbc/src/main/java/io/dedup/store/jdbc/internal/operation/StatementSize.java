package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large a statement the server takes, as it said when it was asked last. Known by the store and by its transactions alike.
 * Thread-safe.
 */
public final class StatementSize {
    /** Keys and results of one statement, beside a request that is larger by itself. */
    private static final int MAX_BYTES = 1 << 20;

    /** For the statement's own text and one request's key, owner and fingerprint. */
    private static final int ROOM = 16 * 1024;

    /** A driver that writes values into the statement's text escapes each byte, at worst. */
    private static final int BYTES_FOR_ONE = 2;

    /** Of a request beside its key and its result: owner, fingerprint, and the text between them. */
    private static final int REQUEST_BYTES = 160;

    private static final Logger LOG = LoggerFactory.getLogger(StatementSize.class);

    private final Dialect dialect;
    private volatile long values = Long.MAX_VALUE;
    /** Whether something failed that a changed limit of the server's would explain. */
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
            LOG.info(
                    "The database now takes statements of up to {} bytes: results of up to {} bytes are stored",
                    bytes,
                    maxResult());
        }
    }

    /** The next statement with a result asks first. */
    public void doubt() {
        doubted = true;
    }

    public boolean isDoubted() {
        return doubted;
    }

    /** How many bytes of values a statement of several requests has at most. */
    long maxValues() {
        return Math.min(MAX_BYTES, values);
    }

    /** The largest result that a statement can bring to the server, in bytes. */
    public int maxResult() {
        return (int) Math.min(Integer.MAX_VALUE, values);
    }

    public boolean fits(byte[] result) {
        return result.length <= values;
    }

    /** What a request adds to a statement, in bytes: characters count as one, though some take up to three. */
    public static int ofRequest(DedupKey key, byte @Nullable [] result) {
        return key.messageId().length()
                + key.scope().text().length()
                + REQUEST_BYTES
                + (result == null ? 0 : result.length);
    }
}
