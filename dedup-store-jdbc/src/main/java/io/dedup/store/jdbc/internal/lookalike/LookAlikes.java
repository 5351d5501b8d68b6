package io.dedup.store.jdbc.internal.lookalike;

import io.dedup.store.jdbc.internal.dialect.ServerVersion;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses servers that only look like the one a dialect is for, at the start of a store. */
public final class LookAlikes {
    private static final Statements STATEMENTS = new Statements(0);

    private final Database database;
    private final ServerBehaviour behavior;

    /** @param probe of the table, which must exist by the time of {@link #check} */
    public LookAlikes(Database database, TableName table, WriteProbe probe) {
        this.database = database;
        this.behavior = new ServerBehaviour(table, probe);
    }

    /** Another session than the first, borrowed only if it is needed. */
    public interface SecondSession {
        List<String> with(Questions questions) throws SQLException;
    }

    /** What a second session is needed for. */
    public interface Questions {
        List<String> ask(Connection second) throws SQLException;
    }

    /**
     * Refuses a server of which it is known that no dialect works with it. Call this first: such servers may not even
     * take the table.
     *
     * @return what the server is; null if there are no look-alikes of this database
     * @throws IllegalStateException if the store cannot work with this server; says why
     */
    public @Nullable ServerProduct identify(Connection connection) throws SQLException {
        if (!isOfFamily(connection)) {
            return null;
        }
        ServerProduct product = KnownProducts.of(database, words(connection));
        if (product.refusal() != null) {
            throw new IllegalStateException("The store doesn't work with " + product.name() + ": " + product.refusal()
                    + ". Use one of the databases that the store is tested on");
        }
        return product;
    }

    /** False if there are no look-alikes, or if the dialect is for another database, which it will say itself. */
    private boolean isOfFamily(Connection connection) throws SQLException {
        return database == Database.POSTGRESQL
                || (database.isMySqlOrMariaDb()
                        && ServerVersion.read(connection).database().isMySqlOrMariaDb());
    }

    /**
     * Asks a server that the store isn't tested on for what the dialect relies on.
     *
     * @param product from {@link #identify}
     * @param first in autocommit mode, as it is again afterwards
     * @return warnings
     * @throws IllegalStateException if the store cannot work with this server; says why
     */
    public List<String> check(@Nullable ServerProduct product, Connection first, SecondSession session)
            throws SQLException {
        return product == null || product.tested() ? List.of() : session.with(second -> ask(product, first, second));
    }

    private List<String> ask(ServerProduct product, Connection first, Connection second) throws SQLException {
        List<String> missing = behavior.missing(first, second, database == Database.POSTGRESQL);
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    "The store doesn't work with this server (" + product.name() + "). It was asked, and "
                            + String.join("; ", missing)
                            + ". Two consumers could handle the same message. Use one of the databases that the store is tested on");
        }
        return List.of("The server is " + product.name() + ", which isn't among the servers that the store's tests run"
                + " on. It locks rows and reads as the store needs it"
                + (database == Database.POSTGRESQL ? ", and its advisory locks work" : "")
                + "; nothing else was asked");
    }

    private String words(Connection connection) throws SQLException {
        String sql = database == Database.POSTGRESQL ? "SELECT version()" : "SELECT VERSION(), @@version_comment";
        try (PreparedStatement statement = STATEMENTS.prepare(connection, sql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            String version = String.valueOf(result.getString(1));
            return database == Database.POSTGRESQL ? version : version + " " + result.getString(2);
        }
    }
}
