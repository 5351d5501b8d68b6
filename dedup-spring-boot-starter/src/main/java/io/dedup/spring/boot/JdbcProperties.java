package io.dedup.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code dedup.jdbc}: the table that keeps the records. Not thread-safe. */
public class JdbcProperties {
    /** The name of the DataSource bean to use. Needed if there are several and none is primary. */
    private @Nullable String dataSource;

    /** The name of the PlatformTransactionManager bean for the transactional modes. Needed if there are several and none is primary. */
    private @Nullable String transactionManager;

    /** The table's name, with its schema if it needs one. */
    private String table = "dedup_record";

    /** Whether the start creates the table if it is missing. */
    private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;

    /** What the table keeps of message IDs: the IDs themselves, or digests, which take less space and cannot be listed. */
    private KeyFormat keyFormat = KeyFormat.PLAIN;

    /** How long the attempt count and fencing token of an unfinished message are kept after its last lease. */
    private Duration attemptRetention = Duration.ofDays(7);

    /** How long a statement waits for a row that another session has locked. */
    private Duration lockTimeout = Duration.ofSeconds(1);

    /** How long a statement may take, waiting for locks included. */
    private Duration queryTimeout = Duration.ofSeconds(5);

    /** How often a background thread deletes expired records. 0 switches this off. */
    private Duration purgeInterval = Duration.ofMinutes(10);

    /** How many expired records one statement deletes. More deletes faster, and claims wait longer for a batch. */
    private int purgeBatch = 50;

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
    }

    public @Nullable String getTransactionManager() {
        return transactionManager;
    }

    public void setTransactionManager(@Nullable String transactionManager) {
        this.transactionManager = transactionManager;
    }

    public String getTable() {
        return table;
    }

    public void setTable(String table) {
        this.table = table;
    }

    public InitializeSchema getInitializeSchema() {
        return initializeSchema;
    }

    public void setInitializeSchema(InitializeSchema initializeSchema) {
        this.initializeSchema = initializeSchema;
    }

    public KeyFormat getKeyFormat() {
        return keyFormat;
    }

    public void setKeyFormat(KeyFormat keyFormat) {
        this.keyFormat = keyFormat;
    }

    public Duration getAttemptRetention() {
        return attemptRetention;
    }

    public void setAttemptRetention(Duration attemptRetention) {
        this.attemptRetention = attemptRetention;
    }

    public Duration getLockTimeout() {
        return lockTimeout;
    }

    public void setLockTimeout(Duration lockTimeout) {
        this.lockTimeout = lockTimeout;
    }

    public Duration getQueryTimeout() {
        return queryTimeout;
    }

    public void setQueryTimeout(Duration queryTimeout) {
        this.queryTimeout = queryTimeout;
    }

    public Duration getPurgeInterval() {
        return purgeInterval;
    }

    public void setPurgeInterval(Duration purgeInterval) {
        this.purgeInterval = purgeInterval;
    }

    public int getPurgeBatch() {
        return purgeBatch;
    }

    public void setPurgeBatch(int purgeBatch) {
        this.purgeBatch = purgeBatch;
    }

    /** Same values as {@code io.dedup.store.jdbc.JdbcKeyFormat}, which may not be on the class path. */
    public enum KeyFormat {
        PLAIN,
        DIGEST
    }

    /** Same values as {@code io.dedup.store.jdbc.InitializeSchema}, which may not be on the class path. */
    public enum InitializeSchema {
        /** Creates the table only in a database that runs inside this process. */
        EMBEDDED,
        ALWAYS,
        /** Your migrations create the table. */
        NEVER
    }
}
