package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.ExpiredRows;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.ReleaseNumber;
import io.dedup.store.jdbc.internal.dialect.RepeatedCompletions;
import io.dedup.store.jdbc.internal.dialect.ServerVersion;
import io.dedup.store.jdbc.internal.dialect.SkipLocked;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.StoreClock;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * MySQL 8 and MariaDB. They differ in what they can return and in how a statement's waits are limited: MariaDB accepts
 * limits with the statement; on MySQL, the driver's timeout applies to the statement, and the session's settings to
 * locks.
 */
public final class MySqlDialect implements Dialect {
    private static final String NO_LIMITS = "";

    private final Rows rows;
    private final ExpiredRows expiredRows;
    private final MySqlClaims claims;
    private final MySqlCompletions complete;
    private final MySqlWrites<ReleaseRequest> release;
    private final MySqlWrites<StepRequest> keepSteps;
    private final MySqlRenewals renewals;
    private final MySqlImports imports;
    private final RecordDialect records;
    private final WriteProbe probe;
    private final boolean mariaDb;
    private final String limits;

    public MySqlDialect(JdbcSettings settings, SqlFailures failures, boolean mariaDb) {
        Statements timed = new Statements(settings.queryTimeoutSeconds());
        // The driver would put its own limit around ours.
        Statements statements = mariaDb ? new Statements(0) : timed;
        StoreClock clock = new StoreClock(MySqlSql.CLOCK_QUERY, false);
        this.mariaDb = mariaDb;
        this.limits = mariaDb ? MariaDbStatements.limitsOf(settings) : NO_LIMITS;
        String noWait = mariaDb ? MariaDbStatements.noWaitOf(settings) : null;
        this.rows = new Rows(settings.table(), settings.keys(), timed, clock, "");
        this.probe = new WriteProbe(settings.table(), statements, limits);
        this.expiredRows = new ExpiredRows(settings.table(), timed, clock, ExpiredRows.Locking.LIMIT);
        MariaDbStatements kept = mariaDb ? MariaDbStatements.of(settings, statements) : null;
        this.claims = new MySqlClaims(
                settings,
                statements,
                rows,
                limits,
                kept == null ? null : new MariaDbFirstClaims(settings, rows, kept.firstClaim(), limits));
        MySqlWrites<CompleteRequest> completeAny = new MySqlWrites<>(
                settings,
                statements,
                MySqlWrites.Kind.COMPLETE,
                CompleteRequest::claim,
                MySqlSql.COMPLETE,
                new MySqlWrites.Columns<>("length, result", (statement, first, request) -> {
                    statement.setLong(first, Micros.of(request.window()));
                    statement.setBytes(first + 1, request.result());
                    return first + 2;
                }),
                mariaDb ? MySqlSql.COMPLETE_ONE : null,
                (one, other) -> one.window().equals(other.window()) && one.result() == null && other.result() == null);
        this.complete =
                new MySqlCompletions(settings.keys(), completeAny, limits, kept == null ? null : kept.completion());
        this.release = new MySqlWrites<>(
                settings,
                statements,
                MySqlWrites.Kind.RELEASE,
                ReleaseRequest::claim,
                MySqlSql.RELEASE,
                new MySqlWrites.Columns<>("mode", (statement, first, request) -> {
                    statement.setInt(first, ReleaseNumber.of(request));
                    return first + 1;
                }),
                null,
                (one, other) -> false);
        this.keepSteps = new MySqlWrites<>(
                settings,
                statements,
                MySqlWrites.Kind.STEP,
                StepRequest::claim,
                MySqlSql.STEP,
                new MySqlWrites.Columns<>("entry_result", (statement, first, request) -> {
                    statement.setBytes(first, request.entry());
                    return first + 1;
                }),
                mariaDb ? MySqlSql.STEP_ONE : null,
                (one, other) -> false);
        MySqlWrites<RenewRequest> renew = new MySqlWrites<>(
                settings,
                statements,
                MySqlWrites.Kind.RENEW,
                RenewRequest::claim,
                MySqlSql.RENEW,
                new MySqlWrites.Columns<>("lease", (statement, first, request) -> {
                    statement.setLong(first, Micros.of(request.lease()));
                    return first + 1;
                }),
                mariaDb ? MySqlSql.RENEW_ONE : null,
                (one, other) -> one.lease().equals(other.lease()));
        this.renewals = new MySqlRenewals(
                renew, rows, new SkipLocked(settings.table(), settings.keys(), timed), failures, limits, noWait);
        this.imports = new MySqlImports(settings, statements, limits, mariaDb);
        RecordWrites writes = kept == null || noWait == null
                ? new MySqlRecordWrites(settings, statements)
                : new MariaDbRecordWrites(settings, statements, rows, failures.errors(), kept.record(), noWait);
        this.records = new MySqlRecords(
                settings,
                statements,
                rows,
                failures.errors(),
                writes,
                complete,
                limits,
                mariaDb ? new MariaDbCommit(settings) : null);
    }

    @Override
    public List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        return claims.claim(connection, requests);
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        List<@Nullable WriteResult> answers = complete.complete(connection, requests);
        RepeatedCompletions.settle(connection, rows, requests, answers);
        return answers;
    }

    @Override
    public List<@Nullable WriteResult> release(Connection connection, List<ReleaseRequest> requests)
            throws SQLException {
        return release.write(connection, limits, requests);
    }

    @Override
    public List<@Nullable WriteResult> keepSteps(Connection connection, List<StepRequest> requests)
            throws SQLException {
        return keepSteps.write(connection, limits, requests);
    }

    @Override
    public List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests)
            throws SQLException {
        return renewals.renewUnlocked(connection, requests);
    }

    @Override
    public List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> requests)
            throws SQLException {
        return imports.importDone(connection, requests);
    }

    @Override
    public PurgeRun purge(Connection connection, int limit) throws SQLException {
        return expiredRows.purge(connection, limit);
    }

    @Override
    public long maxStatementBytes(Connection connection) throws SQLException {
        return MySqlServer.maxStatementBytes(connection);
    }

    @Override
    public WriteProbe probe() {
        return probe;
    }

    @Override
    public RecordDialect records() {
        return records;
    }

    @Override
    public Rows rows() {
        return rows;
    }

    @Override
    public List<String> checkServer(Connection connection) throws SQLException {
        ServerVersion.read(connection).require(mariaDb);
        try (PreparedStatement statement = connection.prepareStatement("SELECT NOW(6), SLEEP(0.01), SYSDATE(6)");
                ResultSet result = statement.executeQuery()) {
            result.next();
            List<String> warnings = new ArrayList<>();
            if (result.getString(1).equals(result.getString(3))) {
                warnings.add(
                        "The server runs with sysdate-is-now: a statement stores the time of its start even after"
                                + " waiting for a lock, so leases and windows may end that much too early. Disable this option");
            }
            if (MySqlServer.logsStatements(connection)) {
                warnings.add("The server runs with binlog_format = STATEMENT: it refuses to write at READ COMMITTED, so"
                        + " expired records cannot be purged. Set it to ROW or MIXED");
            }
            return warnings;
        }
    }
}
