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

/** Describes a {@link JdbcDedupStore}. Nothing has to be set. Not thread-safe. */
public final class JdbcDedupStoreBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcDedupStoreBuilder.class);

    /** {@code dedup_record}. */
    public static final String DEFAULT_TABLE = TableName.DEFAULT;

    /** 7 days. */
    public static final Duration DEFAULT_ATTEMPT_RETENTION = Duration.ofDays(7);

    /** 1 s. */
    public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofSeconds(1);

    /** 5 s. */
    public static final Duration DEFAULT_QUERY_TIMEOUT = Duration.ofSeconds(5);

    /** 500 keys. */
    public static final int DEFAULT_MAX_BATCH = 500;

    /** 50 records: a claim that comes meanwhile waits for what is left of a batch. */
    public static final int DEFAULT_PURGE_BATCH = 50;

    /** 10 minutes. */
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

    /** The table: {@code name} or {@code schema.name} of ASCII letters, digits and {@code _}; never quoted. */
    public JdbcDedupStoreBuilder table(String name) {
        this.table = TableName.parse(name);
        return this;
    }

    /** The dialect, where the connection's metadata don't tell it. */
    public JdbcDedupStoreBuilder dialect(JdbcDialect dialect) {
        this.dialect = Objects.requireNonNull(dialect, "dialect");
        return this;
    }

    /**
     * How the generic dialect asks for the time, where {@code SELECT CURRENT_TIMESTAMP} doesn't answer with a time zone.
     *
     * @param query answers one row with one column, {@code store_time}: microseconds since 1970 UTC by the server's clock
     */
    public JdbcDedupStoreBuilder clockQuery(String query) {
        require(!query.isBlank(), "clockQuery must be a query");
        this.clockQuery = query;
        return this;
    }

    /** How long attempts, deaths and tokens of an unfinished message outlive its last lease; 1 s to 3,650 days. */
    public JdbcDedupStoreBuilder attemptRetention(Duration retention) {
        this.attemptRetention = between("attemptRetention", retention, MIN_RETENTION, MAX_RETENTION);
        return this;
    }

    /**
     * For how long a statement waits for a row that another session has locked; 1 ms to 5 minutes. MariaDB counts in whole
     * seconds, rounded up here. MySQL and H2 go by their own settings: {@code innodb_lock_wait_timeout} and
     * {@code LOCK_TIMEOUT}, both of which may be in the JDBC URL.
     *
     * <p>A lock of the whole table, as {@code ALTER TABLE} takes it, is waited for as long on MariaDB and H2 only. On PostgreSQL
     * and MySQL {@link #queryTimeout} bounds that wait, or the session's own {@code lock_timeout} (PostgreSQL) or
     * {@code lock_wait_timeout} (MySQL), which may be in the JDBC URL.
     */
    public JdbcDedupStoreBuilder lockTimeout(Duration timeout) {
        this.lockTimeout = between("lockTimeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        return this;
    }

    /**
     * For how long a statement may take in all; 1 ms to 5 minutes, at least the lock time-out. Most drivers count in
     * whole seconds, rounded up here. The network may keep silent for 2 s longer.
     */
    public JdbcDedupStoreBuilder queryTimeout(Duration timeout) {
        this.queryTimeout = between("queryTimeout", timeout, MIN_TIMEOUT, MAX_TIMEOUT);
        return this;
    }

    /** How many keys one statement takes at most; 1 to 5,000. Larger batches are cut into pieces. */
    public JdbcDedupStoreBuilder maxBatch(int keys) {
        require(keys >= 1 && keys <= MAX_BATCH_LIMIT, "maxBatch must be 1 to " + MAX_BATCH_LIMIT + ", but is " + keys);
        this.maxBatch = keys;
        return this;
    }

    /** Whether {@link #build} creates the table where it is missing; by default in embedded databases only. */
    public JdbcDedupStoreBuilder initializeSchema(InitializeSchema when) {
        this.initializeSchema = Objects.requireNonNull(when, "initializeSchema");
        return this;
    }

    /** How many expired records one transaction removes at most; 1 to 5,000. */
    public JdbcDedupStoreBuilder purgeBatch(int records) {
        require(
                records >= 1 && records <= MAX_BATCH_LIMIT,
                "purgeBatch must be 1 to " + MAX_BATCH_LIMIT + ", but is " + records);
        this.purgeBatch = records;
        return this;
    }

    /**
     * How often expired records are removed in the background, 100 ms to 1 day; null for never, if something else calls
     * {@link JdbcDedupStore#purgeExpired}.
     */
    public JdbcDedupStoreBuilder purgeInterval(@Nullable Duration interval) {
        this.purgeInterval =
                interval == null ? null : between("purgeInterval", interval, MIN_PURGE_INTERVAL, MAX_PURGE_INTERVAL);
        return this;
    }

    /**
     * Connects, checks the server and the table, writes to the table once (and leaves nothing there), and opens the store.
     *
     * @throws IllegalArgumentException when settings contradict each other or the data source isn't fit
     * @throws IllegalStateException when the server or the table isn't fit
     * @throws DedupStoreException when the database can't be reached, refuses the user, or is read-only, or when the table is
     *     missing or can't be written; the message says in the database's own words which it is, and what to change
     */
    public JdbcDedupStore build() {
        require(
                queryTimeout.compareTo(lockTimeout) >= 0,
                "queryTimeout (" + queryTimeout + ") must be at least lockTimeout (" + lockTimeout + ")");
        require(
                clockQuery == null || dialect == JdbcDialect.GENERIC,
                "clockQuery is for dialect(GENERIC); other dialects know their clock");
        JdbcSettings settings = new JdbcSettings(table, attemptRetention, lockTimeout, queryTimeout, maxBatch);
        StoreParts parts = new StoreOpener(dataSource, settings, this::createsSchema, purgeBatch)
                .open(dialect == null ? null : dialect.database(), clockQuery);
        parts.warnings().forEach(warning -> LOG.warn("{}", warning));
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
