package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.bytes;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.number;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.text;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.StatementWatch;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.LateRenewals;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.ReleaseNumber;
import io.dedup.store.jdbc.internal.dialect.RepeatedCompletions;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One statement per operation, however many messages it has; see {@link PostgresSql}. */
public final class PostgresDialect implements Dialect {
    private static final int OLDEST_SERVER = 12;

    private final KeyFormat keys;
    private final Statements statements;
    private final Rows rows;
    private final SqlFailures failures;
    private final PurgeHours purgeHours;
    private final PostgresFirstClaim firstClaim;
    private final PostgresFirstClaims firstClaims;
    private final PostgresCompletion completion;
    private final PostgresCompletions completions;
    private final PostgresRequests<ClaimRequest> claim;
    private final PostgresRequests<CompleteRequest> complete;
    private final PostgresRequests<ReleaseRequest> release;
    private final PostgresRequests<RenewRequest> renew;
    private final PostgresRequests<RenewRequest> renewUnlocked;
    private final PostgresRequests<StepRequest> keepSteps;
    private final PostgresImports imports;
    private final PostgresPurge purge;
    private final RecordDialect records;
    private final WriteProbe probe;

    public PostgresDialect(JdbcSettings settings, SqlFailures failures) {
        this.keys = settings.keys();
        this.statements = new Statements(settings.queryTimeoutSeconds());
        StoreClock clock = new StoreClock(PostgresSql.of(settings, PostgresSql.CLOCK_QUERY), false);
        this.rows = new Rows(settings.table(), settings.keys(), statements, clock, ", purge_hour = 0");
        this.failures = failures;
        this.probe = new WriteProbe(settings.table(), statements, "");
        this.purgeHours = new PurgeHours(settings.attemptRetention());
        PurgeClock purgeClock = new PurgeClock();
        StatementWatch watch = new StatementWatch(settings.queryTimeout());
        this.firstClaim = new PostgresFirstClaim(settings, watch, purgeClock);
        this.firstClaims = new PostgresFirstClaims(settings, statements, purgeClock);
        this.completions = new PostgresCompletions(settings, statements, purgeClock);
        this.completion = new PostgresCompletion(settings, watch, purgeClock);
        this.claim = new PostgresRequests<>(
                settings,
                PostgresSql.CLAIM,
                List.of(
                        bytes("message_id", request -> keys.messageId(request.key())),
                        bytes("scope", request -> keys.scope(request.key())),
                        text("owner", request -> request.owner().value()),
                        number("lease", request -> Micros.of(request.lease())),
                        text("fingerprint", request -> Row.text(request.fingerprint()))));
        List<PostgresColumn<CompleteRequest>> completeColumns = columns(
                keys,
                CompleteRequest::claim,
                List.of(
                        number("length", request -> Micros.of(request.window())),
                        bytes("result", CompleteRequest::result)));
        this.complete = new PostgresRequests<>(settings, PostgresSql.COMPLETE, completeColumns);
        this.records = new PostgresRecords(settings, statements, completeColumns, watch, purgeClock);
        this.release = writes(
                settings,
                PostgresSql.RELEASE,
                ReleaseRequest::claim,
                List.of(number("mode", request -> ReleaseNumber.of(request))));
        List<PostgresColumn<RenewRequest>> lease = List.of(number("lease", request -> Micros.of(request.lease())));
        this.renew = writes(settings, PostgresSql.RENEW, RenewRequest::claim, lease);
        this.renewUnlocked = writes(settings, PostgresSql.RENEW_UNLOCKED, RenewRequest::claim, lease);
        this.keepSteps =
                writes(settings, PostgresSql.STEP, StepRequest::claim, List.of(bytes("entry", StepRequest::entry)));
        this.imports = new PostgresImports(settings, statements);
        this.purge = new PostgresPurge(settings, statements);
    }

    private static <Q> PostgresRequests<Q> writes(
            JdbcSettings settings, String statement, Function<Q, Claim> claim, List<PostgresColumn<Q>> more) {
        return new PostgresRequests<>(settings, statement, columns(settings.keys(), claim, more));
    }

    private static <Q> List<PostgresColumn<Q>> columns(
            KeyFormat keys, Function<Q, Claim> claim, List<PostgresColumn<Q>> more) {
        List<PostgresColumn<Q>> columns = new ArrayList<>();
        columns.add(bytes(
                "message_id", request -> keys.messageId(claim.apply(request).key())));
        columns.add(bytes("scope", request -> keys.scope(claim.apply(request).key())));
        columns.add(text("owner", request -> claim.apply(request).owner().value()));
        columns.addAll(more);
        return columns;
    }

    @Override
    public List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        int hours = purgeHours.expected(requests.get(0).key().scope());
        if (requests.size() == 1) {
            ClaimResult first = firstClaim.claim(connection, requests.get(0), hours);
            return first == null ? claimAny(connection, requests, hours) : Collections.singletonList(first);
        }
        if (!PostgresFirstClaims.fits(requests)) {
            return claimAny(connection, requests, hours);
        }
        List<@Nullable ClaimResult> answers = firstClaims.claim(connection, requests, hours);
        List<ClaimRequest> open = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (answers.get(i) == null) {
                open.add(requests.get(i));
            }
        }
        if (!open.isEmpty()) {
            Iterator<@Nullable ClaimResult> rest = restOf(connection, open, hours, open.size() < requests.size())
                    .iterator();
            answers.replaceAll(answer -> answer == null ? rest.next() : answer);
        }
        return answers;
    }

    /**
     * Claims what the first statement left open.
     *
     * @param answered whether it has decided about others: if this statement fails, only the rest is asked again. Claims that are
     *     asked for twice count as those of dead runs if their leases have ended meanwhile.
     */
    private List<@Nullable ClaimResult> restOf(
            Connection connection, List<ClaimRequest> open, int hours, boolean answered) throws SQLException {
        try {
            return claimAny(connection, open, hours);
        } catch (SQLException e) {
            if (!answered) {
                throw e;
            }
            return Collections.nCopies(open.size(), null);
        }
    }

    private List<@Nullable ClaimResult> claimAny(Connection connection, List<ClaimRequest> requests, int hours)
            throws SQLException {
        try (PreparedStatement statement = claim.prepare(connection, statements, requests)) {
            statement.setInt(claim.parameterCount() + 1, hours);
            try (ResultSet result = statement.executeQuery()) {
                return PostgresClaims.read(result, keys, requests);
            }
        }
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        CompleteRequest first = requests.get(0);
        purgeHours.learn(first.claim().key().scope(), first.window());
        List<@Nullable WriteResult> answers = completed(connection, requests);
        RepeatedCompletions.settle(connection, rows, requests, answers);
        return answers;
    }

    private List<@Nullable WriteResult> completed(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        if (requests.size() == 1) {
            return Arrays.asList(completion.complete(connection, requests.get(0)));
        }
        return PostgresCompletions.fits(requests)
                ? completions.complete(connection, requests)
                : complete.write(connection, statements, requests);
    }

    @Override
    public List<@Nullable WriteResult> release(Connection connection, List<ReleaseRequest> requests)
            throws SQLException {
        return release.write(connection, statements, requests);
    }

    @Override
    public List<@Nullable WriteResult> keepSteps(Connection connection, List<StepRequest> requests)
            throws SQLException {
        return keepSteps.write(connection, statements, requests);
    }

    @Override
    public List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests)
            throws SQLException {
        WriteResult[] answers = new WriteResult[requests.size()];
        Arrays.fill(answers, WriteResult.leaseLost());
        Set<DedupKey> late = new HashSet<>();
        try (PreparedStatement statement = renewUnlocked.prepare(connection, statements, requests);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                int position = result.getInt(1) - 1;
                answers[position] = result.getBoolean(2)
                        ? WriteResult.applied()
                        : new WriteResult.StoreError(failures.locked("renew", null));
                if (result.getBoolean(3)) {
                    late.add(requests.get(position).claim().key());
                }
            }
        }
        return LateRenewals.settle(
                requests,
                Arrays.asList(answers),
                late,
                failures.errors(),
                open -> renew.write(connection, statements, open));
    }

    @Override
    public List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> requests)
            throws SQLException {
        return imports.importDone(connection, requests);
    }

    @Override
    public PurgeRun purge(Connection connection, int limit) throws SQLException {
        return purge.run(connection, limit);
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
        int major = connection.getMetaData().getDatabaseMajorVersion();
        if (major < OLDEST_SERVER) {
            throw new IllegalStateException(
                    "The store needs PostgreSQL " + OLDEST_SERVER + " or newer, but the server is version " + major);
        }
        return List.of();
    }
}
