package io.dedup.store.jdbc;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.schema.Schema;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.internal.start.StoreOpener;
import io.dedup.store.jdbc.internal.start.StoreParts;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a {@link JdbcDedupStore}. All settings are optional. Not thread-safe. */
public final class JdbcDedupStoreBuilder {
    private static final Logger log = LoggerFactory.getLogger(JdbcDedupStoreBuilder.class);

    /** The default table: {@code dedup_record}. */
    public static final String DEFAULT_TABLE = TableName.DEFAULT;

    /** The default attempt retention: 7 days. */
    public static final Duration DEFAULT_ATTEMPT_RETENTION = Duration.ofDays(7);

    /** The default lock timeout: 1 s. */
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofSeconds(1);

    /** The default query timeout: 5 s. */
    public static final Duration DEFAULT_QUERY_TIMEOUT = Duration.ofSeconds(5);

    /** The default maximum number of keys in a statement: 500. */
    public static final int DEFAULT_MAX_BATCH = 500;

    /** The default purge batch: 50 records. A claim that arrives meanwhile waits for the rest of a batch. */
    public static final int DEFAULT_PURGE_BATCH = 50;

    /** The default interval between purges: 10 minutes. */
    public static final Duration DEFAULT_PURGE_INTERVAL = Duration.ofMinutes(10);

    private static final int MAX_BATCH_LIMIT = 5_000;
    private static final Duration MIN_RETENTION = Duration.ofSeconds(1);
    private static final Duration MAX_RETENTION = Duration.ofDays(3_650);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration MIN_PURGE_INTERVAL = Duration.ofMillis(100);
    private static final Duration MAX_PURGE_INTERVAL = Duration.ofDays(1);

    private final DataSource dataSource;
    private TableName table = TableName.parse(DEFAULT_TABLE);
    private JdbcKeyFormat keyFormat = JdbcKeyFormat.PLAIN;
    private @Nullable JdbcDialect dialect;
    private @Nullable String clockQuery;
    private Duration attemptRetention = DEFAULT_ATTEMPT_RETENTION;
    private Duration lockTimeout = DEFAULT_LOCK_TIMEOUT;
    private Duration queryTimeout = DEFAULT_QUERY_TIMEOUT;
    private int maxBatch = DEFAULT_MAX_BATCH;
    private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;
    private int purgeBatch = DEFAULT_PURGE_BATCH;
    private @Nullable Duration purgeInterval = DEFAULT_PURGE_INTERVAL;

    JdbcDedupStoreBuilder(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** Sets the table: {@code name} or {@code schema.name} of ASCII letters, digits and {@code _}; never quoted. */
    public JdbcDedupStoreBuilder table(String name) {
        this.table = TableName.parse(name);
        return this;
    }

    /**
     * Sets what the table keeps of message IDs and scopes; by default both as they are. {@link #build} rejects a table that was
     * created for the other format.
     */
    public JdbcDedupStoreBuilder keyFormat(JdbcKeyFormat format) {
        this.keyFormat = Objects.requireNonNull(format, "keyFormat");
        return this;
    }

    /** Sets the dialect, if it cannot be derived from the connection's metadata. */
    public JdbcDedupStoreBuilder dialect(JdbcDialect dialect) {
        this.dialect = Objects.requireNonNull(dialect, "dialect");
        return this;
    }

    /**
     * Sets the query for the server's time, for the generic dialect on databases where {@code SELECT CURRENT_TIMESTAMP}
     * returns no time zone.
     *
     * @param query returns one row with one column, {@code store_time}: microseconds since 1970 UTC by the server's
     *     clock
     */
    public JdbcDedupStoreBuilder clockQuery(String query) {
        require(!query.isBlank(), "clockQuery must not be blank");
        this.clockQuery = query;
        return this;
    }

    /**
     * Sets how long attempts, deaths and tokens of an unfinished message are kept after its last lease; from 1 s to
     * 3,650 days.
     */
    public JdbcDedupStoreBuilder attemptRetention(Duration retention) {
        this.attemptRetention = between("attemptRetention", retention, MIN_RETENTION, MAX_RETENTION);
        return this;
    }

    /**
     * Sets how long a statement waits for a row that another session has locked; from 1 ms to 5 minutes. MariaDB uses
     * whole seconds, rounded up. MySQL and H2 use their own settings instead, {@code innodb_lock_wait_timeout} and
     * {@code LOCK_TIMEOUT}, which you can set in the JDBC URL.
     *
     * <p>For a lock on the whole table, such as that of {@code ALTER TABLE}, this limit applies on MariaDB and H2 only.
     * On PostgreSQL and MySQL, such a wait is limited by {@link #queryTimeout}, or by the session's
     * {@code lock_timeout} (PostgreSQL) or {@code lock_wait_timeout} (MySQL), which you can set in the JDBC URL.
     */
    public JdbcDedupStoreBuilder lockTimeout(Duration timeout) {
        this.lockTimeout = between("lockTimeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        return this;
    }

    /**
     * Sets how long a statement may take in total; from 1 ms to 5 minutes, at least the lock timeout. Most drivers use
     * whole seconds, rounded up. The network may stay silent for another 2 s.
     */
    public JdbcDedupStoreBuilder queryTimeout(Duration timeout) {
        this.queryTimeout = between("queryTimeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        return this;
    }

    /** Sets the maximum number of keys in one statement; from 1 to 5,000. Larger batches are split. */
    public JdbcDedupStoreBuilder maxBatch(int keys) {
        require(
                keys >= 1 && keys <= MAX_BATCH_LIMIT,
                "maxBatch must be from 1 to " + MAX_BATCH_LIMIT + ", but is " + keys);
        this.maxBatch = keys;
        return this;
    }

    /** Sets whether {@link #build} creates the table if it is missing; by default only in embedded databases. */
    public JdbcDedupStoreBuilder initializeSchema(InitializeSchema when) {
        this.initializeSchema = Objects.requireNonNull(when, "initializeSchema");
        return this;
    }

    /** Sets how many expired records one transaction removes at most; from 1 to 5,000. */
    public JdbcDedupStoreBuilder purgeBatch(int records) {
        require(
                records >= 1 && records <= MAX_BATCH_LIMIT,
                "purgeBatch must be from 1 to " + MAX_BATCH_LIMIT + ", but is " + records);
        this.purgeBatch = records;
        return this;
    }

    /**
     * Sets how often the background removes expired records; from 100 ms to 1 day. Null disables it; then call
     * {@link JdbcDedupStore#purgeExpired} yourself.
     */
    public JdbcDedupStoreBuilder purgeInterval(@Nullable Duration interval) {
        this.purgeInterval =
                interval == null ? null : between("purgeInterval", interval, MIN_PURGE_INTERVAL, MAX_PURGE_INTERVAL);
        return this;
    }

    /**
     * Connects, checks the server and the table, writes to the table once (leaving nothing there), and opens the store.
     *
     * @throws IllegalArgumentException if settings contradict each other or the data source cannot be used
     * @throws IllegalStateException if the server or the table cannot be used
     * @throws DedupStoreException if the database cannot be reached, rejects the user or is read-only, or if the table
     *     is missing or cannot be written. The message quotes the database's error and says what to change
     */
    public JdbcDedupStore build() {
        require(
                queryTimeout.compareTo(lockTimeout) >= 0,
                "queryTimeout (" + queryTimeout + ") must be at least lockTimeout (" + lockTimeout + ")");
        require(
                clockQuery == null || dialect == JdbcDialect.GENERIC,
                "clockQuery can only be set with dialect(GENERIC)");
        JdbcSettings settings =
                new JdbcSettings(table, keyFormat.format(), attemptRetention, lockTimeout, queryTimeout, maxBatch);
        StoreParts parts = new StoreOpener(dataSource, settings, this::createsSchema, purgeBatch)
                .open(dialect == null ? null : dialect.database(), clockQuery);
        parts.warnings().forEach(warning -> log.warn("{}", warning));
        return new JdbcDedupStore(parts, purgeInterval);
    }

    private boolean createsSchema(Connection connection) throws SQLException {
        return switch (initializeSchema) {
            case ALWAYS -> true;
            case EMBEDDED -> Schema.isEmbedded(connection.getMetaData());
            case NEVER -> false;
        };
    }

    private static Duration between(String setting, Duration value, Duration min, Duration max) {
        require(
                value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
                setting + " must be from " + min + " to " + max + ", but is " + value);
        return value;
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
