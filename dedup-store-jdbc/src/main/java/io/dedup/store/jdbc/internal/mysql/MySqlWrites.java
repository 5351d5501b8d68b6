package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.Claim;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One kind of update by owners, on MySQL and MariaDB.
 *
 * <p>Every written row gets a new mark and so changes: whether a driver counts found or changed rows, the count is the
 * number of written rows. If it equals the number of requests, all were written; otherwise, a second round trip reads
 * which rows have the mark. Rows that were written again since, such as a released one that was claimed at once, have
 * another mark, and rows that were forgotten or purged since are gone. If the counts prove that all of these, or none,
 * were written by this call, they count as applied or lost; otherwise they return {@code StoreError}.
 */
final class MySqlWrites<Q> {
    private final JdbcSettings settings;
    private final Statements statements;
    private final Kind kind;
    private final Function<Q, Claim> claim;
    private final String set;
    private final Columns<Q> columns;
    private final String marked;
    private final @Nullable String ofOneOwner;
    private final BiPredicate<Q, Q> alike;
    private final Map<String, String> rendered = new ConcurrentHashMap<>(); // by what comes before it

    /**
     * A request's columns after message ID, scope and owner.
     *
     * @param names separated by commas
     * @param binder binds a request's values to them
     */
    record Columns<Q>(String names, Binder<Q> binder) {}

    /** What is written. */
    enum Kind {
        COMPLETE,
        RELEASE,
        RENEW,
        STEP
    }

    /** Binds a request's values. */
    interface Binder<Q> {
        /** Returns the index after the last that it bound. */
        int bind(PreparedStatement statement, int first, Q request) throws SQLException;
    }

    /**
     * Creates one kind of update.
     *
     * @param set assignments, from {@code r}, which has the columns
     * @param setOne the assignments with a single request's columns in them; null if there is no special form for one
     *     request
     * @param alike whether two requests of one owner and scope have the same columns, so that one statement with
     *     {@code setOne} serves both
     */
    MySqlWrites(
            JdbcSettings settings,
            Statements statements,
            Kind kind,
            Function<Q, Claim> claim,
            String set,
            Columns<Q> columns,
            @Nullable String setOne,
            BiPredicate<Q, Q> alike) {
        this.settings = settings;
        this.statements = statements;
        this.kind = kind;
        this.claim = claim;
        this.set = set;
        this.columns = columns;
        this.ofOneOwner = setOne == null ? null : MySqlSql.updateOfOneOwner(setOne);
        this.alike = alike;
        this.marked = settings.table()
                .in("SELECT message_id, scope, write_mark = ? FROM {table} WHERE scope = ? AND message_id IN (");
    }

    DedupKey key(Q request) {
        return claim.apply(request).key();
    }

    /**
     * Writes the rows.
     *
     * @param before a prefix of the statement that limits its time; may be empty
     */
    List<@Nullable WriteResult> write(Connection connection, String before, List<Q> requests) throws SQLException {
        long mark = WriteMark.next();
        int written = update(connection, before, requests, mark);
        if (written == 0 || written == requests.size()) {
            WriteResult all = written == 0 ? WriteResult.leaseLost() : WriteResult.applied();
            return new ArrayList<>(Collections.nCopies(requests.size(), all));
        }
        Map<DedupKey, Boolean> present = marked(connection, requests, mark);
        int marked =
                Math.toIntExact(present.values().stream().filter(own -> own).count());
        int missing = written - marked;
        int others = present.size() - marked;
        int absent = requests.size() - present.size();
        WriteResult ofOthers = ofUnmarked(missing, others, absent);
        WriteResult ofAbsent = kind == Kind.COMPLETE ? ofUnmarked(missing, absent, others) : ofAbsent(missing, others);
        List<@Nullable WriteResult> answers = new ArrayList<>(requests.size());
        for (Q request : requests) {
            Boolean own = present.get(key(request));
            answers.add(own == null ? ofAbsent : own ? WriteResult.applied() : ofOthers);
        }
        return answers;
    }

    /**
     * The result for rows of one kind that don't have the mark: they have another one, or are gone.
     *
     * <p>What is released or renewed is often written again at once, and hardly ever gone: its missing rows are looked for among
     * those with another mark. A completed row is written again only if an operator has forgotten it, and then it may as well be
     * gone: if there are rows of both kinds, nobody can tell.
     *
     * @param missing how many of the written rows no longer have the mark
     * @param these how many rows are of this kind
     * @param ofOtherKind how many are of the other one
     */
    private WriteResult ofUnmarked(int missing, int these, int ofOtherKind) {
        if (missing == 0) {
            return WriteResult.leaseLost();
        }
        boolean among = missing == these && (ofOtherKind == 0 || kind != Kind.COMPLETE);
        return among ? WriteResult.applied() : cannotTell();
    }

    private WriteResult ofAbsent(int missing, int others) {
        return missing > others ? cannotTell() : WriteResult.leaseLost(); // else they were gone before
    }

    private WriteResult cannotTell() {
        return new WriteResult.StoreError(new DedupStoreException(
                kind.name().toLowerCase(Locale.ROOT) + " on table " + settings.table()
                        + " may or may not have been applied: other sessions have changed the rows since",
                null));
    }

    private int update(Connection connection, String before, List<Q> requests, long mark) throws SQLException {
        if (ofOneOwner != null && areOfOneOwner(requests)) {
            String sql = rendered.computeIfAbsent(before, limits -> MySqlSql.of(settings, limits, ofOneOwner));
            return updateOfOneOwner(connection, sql, requests, mark);
        }
        String names = "message_id, scope, owner, " + columns.names();
        String sql = MySqlSql.of(settings, before, MySqlSql.update(set, names, requests.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            int next = 1;
            for (Q request : requests) {
                next = columns.binder().bind(statement, bindClaim(statement, next, request), request);
            }
            statement.setLong(next, mark);
            return statement.executeUpdate();
        }
    }

    private boolean areOfOneOwner(List<Q> requests) {
        Q first = requests.get(0);
        Claim own = claim.apply(first);
        for (Q request : requests.subList(1, requests.size())) {
            Claim other = claim.apply(request);
            if (!other.owner().equals(own.owner())
                    || !other.key().scope().equals(own.key().scope())
                    || !alike.test(first, request)) {
                return false;
            }
        }
        return true;
    }

    private int updateOfOneOwner(Connection connection, String sql, List<Q> requests, long mark) throws SQLException {
        Q first = requests.get(0);
        String list = Statements.list("?", requests.size()) + ")";
        try (PreparedStatement statement = statements.prepare(connection, sql + list)) {
            int next = columns.binder().bind(statement, 1, first);
            statement.setLong(next++, mark);
            statement.setBytes(next++, settings.keys().scope(key(first)));
            statement.setBytes(next++, KeyBytes.utf8(claim.apply(first).owner().value()));
            for (Q request : requests) {
                statement.setBytes(next++, settings.keys().messageId(key(request)));
            }
            return statement.executeUpdate();
        }
    }

    private int bindClaim(PreparedStatement statement, int first, Q request) throws SQLException {
        statement.setBytes(first, settings.keys().messageId(key(request)));
        statement.setBytes(first + 1, settings.keys().scope(key(request)));
        statement.setBytes(first + 2, KeyBytes.utf8(claim.apply(request).owner().value()));
        return first + 3;
    }

    /** The keys that have a record, and whether it has the mark. */
    private Map<DedupKey, Boolean> marked(Connection connection, List<Q> requests, long mark) throws SQLException {
        Map<DedupKey, Boolean> found = new HashMap<>();
        List<DedupKey> keys = requests.stream().map(this::key).toList();
        for (List<DedupKey> ofScope : settings.keys().byScope(keys)) {
            KeyIndex index = new KeyIndex(settings.keys(), ofScope);
            String sql = marked + Statements.list("?", ofScope.size()) + ")";
            try (PreparedStatement statement = statements.prepare(connection, sql)) {
                statement.setLong(1, mark);
                statement.setBytes(2, settings.keys().scope(ofScope.get(0)));
                int next = 3;
                for (DedupKey key : ofScope) {
                    statement.setBytes(next++, settings.keys().messageId(key));
                }
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        found.put(index.key(result, 1), result.getBoolean(3));
                    }
                }
            }
        }
        return found;
    }
}
