package io.dedup.examples.shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The business table: where money moves. It has no unique key on the order ID, so nothing but the framework prevents doubles. */
public final class PaymentTable implements AutoCloseable {
    private final Connection connection;

    public PaymentTable(String jdbcUrl, String user, String password) throws SQLException {
        this.connection = DriverManager.getConnection(jdbcUrl, user, password);
    }

    public void create() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE payment (order_id text NOT NULL, cents bigint NOT NULL, worker text NOT NULL,"
                            + " paid_at timestamptz NOT NULL DEFAULT clock_timestamp())");
        }
    }

    /** The effect: pays an order. Commits at once. */
    public void pay(String event, String worker) {
        String orderId = OrderEvents.orderId(event);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO payment (order_id, cents, worker) VALUES (?, ?, ?)")) {
            insert.setString(1, orderId);
            insert.setLong(2, OrderEvents.totalCents(event));
            insert.setString(3, worker);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("not paid: " + orderId, e);
        }
    }

    /** What is in the table. */
    public Totals totals() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*), count(DISTINCT order_id), coalesce(sum(cents), 0) FROM payment")) {
            row.next();
            return new Totals(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Sums over the table. */
    public record Totals(long effects, long orders, long cents) {}
}
