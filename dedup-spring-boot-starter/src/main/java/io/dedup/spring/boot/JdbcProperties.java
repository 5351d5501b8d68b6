package io.dedup.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code dedup.jdbc}: the table of records. Not thread-safe. */
public class JdbcProperties {
    /** The name of the DataSource bean, where there are several. */
    private @Nullable String dataSource;

    /** The name of the PlatformTransactionManager bean for the transactional modes, where there are several. */
    private @Nullable String transactionManager;

    /** The table, with its schema where it needs one. */
    private String table = "dedup_record";

    /** Whether the table is created at start where it is missing. */
    private InitializeSchema initializeSchema = InitializeSchema.EMBEDDED;

    /** How long attempts and tokens of an unfinished message outlive its last lease. */
    private Duration attemptRetention = Duration.ofDays(7);

    /** How long a statement waits for a locked row. */
    private Duration lockTimeout = Duration.ofSeconds(1);

    /** How long a statement may take. */
    private Duration queryTimeout = Duration.ofSeconds(5);

    /** How often expired records are removed in the background; 0 for never. */
    private Duration purgeInterval = Duration.ofMinutes(10);

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

    /** As {@code io.dedup.store.jdbc.InitializeSchema}, which the application needn't have. */
    public enum InitializeSchema {
        /** In a database that runs in this process. */
        EMBEDDED,
        ALWAYS,
        /** The table comes from your migrations. */
        NEVER
    }
}
