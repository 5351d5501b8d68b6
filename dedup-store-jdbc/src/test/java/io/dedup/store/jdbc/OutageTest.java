package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static io.dedup.store.jdbc.support.Messages.assertAcquired;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnDrivers;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A network that fails in the middle of a run, and requests that were carried out without the sender's knowledge. */
@Order(1) // takes long
class OutageTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /** Far beyond the timeouts, since machines are busy, and far below the drivers' own. */
    private static final Duration LATE = Duration.ofSeconds(25);

    private final Messages messages = new Messages();
    private TestDatabase database;
    private TcpProxy proxy;
    private HikariDataSource pool;
    private JdbcDedupStore store;
    private ClaimRequest held;

    private void start(JdbcDialect dialect) {
        SqlDatabase server =
                dialect == JdbcDialect.POSTGRESQL ? PostgresServers.newDatabase() : MariaDbServers.newDatabase();
        database = TestDatabase.of(dialect, server);
        URI address = URI.create(server.jdbcUrl().substring("jdbc:".length()));
        proxy = TcpProxy.to(address.getHost(), address.getPort());
        pool = database.pool(config -> {
            config.setJdbcUrl(server.jdbcUrlThrough(proxy.port()));
            config.setConnectionTimeout(TIMEOUT.toMillis());
            config.setValidationTimeout(TIMEOUT.dividedBy(2).toMillis());
        });
        store = database.closing(database.builder(pool)
                .queryTimeout(TIMEOUT)
                .lockTimeout(Duration.ofSeconds(1))
                .build());
        held = Messages.acquire(store, messages.key());
        assertThat(store.renew(List.of(Messages.renew(held)))).containsOnly(WriteResult.applied());
    }

    @AfterEach
    void stop() {
        proxy.close();
        database.close();
    }

    @OnDrivers
    @DisplayName("while connections are cut and refused every call fails, and says what to look at; then all is well")
    void refused(JdbcDialect dialect) {
        start(dialect);
        proxy.refuse();
        await().until(
                        () -> { // the pool may be opening one more
                            proxy.cut();
                            return proxy.connections() == 0;
                        });

        everyCall(error -> assertThat(error)
                .hasMessageContaining("table dedup_record")
                .hasMessageContaining("check the server, the pool and its connection timeout"));

        proxy.heal();
        assertRecovers();
    }

    @OnDrivers
    @DisplayName("while the network swallows everything calls end with their timeouts; then all is well")
    void frozen(JdbcDialect dialect) {
        start(dialect);
        proxy.freeze();

        someCalls(error -> assertThat(error).hasMessageContaining("raise queryTimeout(...), which is " + TIMEOUT));

        proxy.cut();
        proxy.heal();
        assertRecovers();
    }

    private void everyCall(Consumer<Throwable> check) {
        someCalls(check);
        List<ThrowingCallable> calls = List.of(
                () -> Messages.only(store.complete(List.of(Messages.complete(held)))),
                () -> Messages.only(store.release(List.of(Messages.release(held)))),
                () -> store.find(held.key()),
                () -> store.ping());
        calls.forEach(call -> assertFails(call, check));
    }

    private void someCalls(Consumer<Throwable> check) {
        assertFails(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))), check);
        assertFails(() -> Messages.first(store.claim(messages.claims(1_200))), check);
        assertFails(() -> Messages.first(store.renew(List.of(Messages.renew(held)))), check);
    }

    private static void assertFails(ThrowingCallable call, Consumer<Throwable> check) {
        long start = System.nanoTime();
        assertThatThrownBy(call).isInstanceOf(DedupStoreException.class).satisfies(check::accept);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LATE);
    }

    private void assertRecovers() {
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> Messages.done(store, messages.key()));
        await().untilAsserted(() -> assertThat(store.renew(List.of(Messages.renew(held))))
                .as("on the heartbeat's connection")
                .containsExactly(WriteResult.applied()));
        assertThat(Messages.only(store.complete(List.of(Messages.complete(held, true)))))
                .isEqualTo(WriteResult.applied());
    }

    @OnDrivers
    @DisplayName("a heartbeat whose connection has died meanwhile takes a new one at once")
    void deadHeartbeat(JdbcDialect dialect) {
        start(dialect);
        proxy.cut();

        assertThat(store.renew(List.of(Messages.renew(held)))).containsExactly(WriteResult.applied());
    }

    @OnDrivers
    @DisplayName(
            "a heartbeat whose server has become read-only meanwhile, at a switch-over, takes a new connection in time")
    void readOnlyHeartbeat(JdbcDialect dialect) throws SQLException {
        start(dialect);
        AtomicReference<Connection> last = new AtomicReference<>();
        JdbcDedupStore renewing = database.closing(database.builder(new DelegatingDataSource(pool) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        last.set(super.getConnection());
                        return last.get();
                    }
                })
                .build());
        RenewRequest request = Messages.renew(held);
        assertThat(renewing.renew(List.of(request))).containsExactly(WriteResult.applied());
        try (Statement statement = last.get().createStatement()) {
            statement.execute(
                    dialect == JdbcDialect.POSTGRESQL
                            ? "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"
                            : "SET SESSION TRANSACTION READ ONLY");
        }

        assertThat(renewing.renew(List.of(request)).get(0)).isInstanceOf(WriteResult.StoreError.class);
        // The heartbeat's next one, two thirds into the lease.
        assertThat(renewing.renew(List.of(request))).containsExactly(WriteResult.applied());
        assertThat(renewing.renew(List.of(request))).containsExactly(WriteResult.applied());
    }

    @OnDrivers
    @DisplayName("a slow network is waited for, within the timeouts")
    void slow(JdbcDialect dialect) {
        start(dialect);
        proxy.delay(TIMEOUT.dividedBy(20));

        Messages.done(store, messages.key());
        acquireAll(store, messages.claims(100));
    }

    @OnDrivers
    @DisplayName("a claim that lost its reply is recognized as one's own when it is repeated")
    void lostClaim(JdbcDialect dialect) {
        start(dialect);
        ClaimRequest request = Messages.claim(messages.key());
        proxy.loseReplyTo(sent(dialect, request.owner().value()));

        assertThatThrownBy(() -> Messages.only(store.claim(List.of(request)))).isInstanceOf(DedupStoreException.class);

        assertThat(proxy.lostReplies()).isEqualTo(1);
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> assertAcquired(Messages.only(store.claim(List.of(request))), 1));
        assertThat(Messages.only(store.claim(List.of(Messages.claim(request.key())))))
                .isInstanceOf(ClaimResult.InFlight.class);
    }

    @OnDrivers
    @DisplayName("a batch that lost its reply is recognized as one's own when it is repeated")
    void lostBatch(JdbcDialect dialect) {
        start(dialect);
        List<ClaimRequest> requests = messages.claims(10);
        proxy.loseReplyTo(sent(dialect, requests.get(0).owner().value()));

        assertThat(store.claim(requests)).hasOnlyElementsOfType(ClaimResult.StoreError.class);

        assertThat(proxy.lostReplies()).isEqualTo(1);
        await().untilAsserted(() -> assertThat(store.claim(requests)).allSatisfy(answer -> assertAcquired(answer, 1)));
    }

    @OnDrivers
    @DisplayName("a completion that lost its reply is applied, once, when it is repeated as such")
    void lostCompletion(JdbcDialect dialect) {
        start(dialect);
        ClaimRequest request = Messages.acquire(store, messages.key());
        proxy.loseReplyTo(sent(dialect, request.owner().value()));

        assertThatThrownBy(() -> Messages.only(store.complete(List.of(Messages.complete(request)))))
                .isInstanceOf(DedupStoreException.class);

        assertThat(proxy.lostReplies()).isEqualTo(1);
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> assertThat(
                                Messages.only(store.complete(List.of(Messages.complete(request, true)))))
                        .isEqualTo(WriteResult.applied()));
        assertThat(Messages.only(store.complete(List.of(Messages.complete(request)))))
                .isEqualTo(WriteResult.leaseLost());
    }

    @OnDrivers
    @DisplayName("a wiped table has forgotten: holders are told, and the next copy is a first attempt with a new token")
    void wiped(JdbcDialect dialect) {
        start(dialect);
        ClaimResult.Acquired before = (ClaimResult.Acquired) Messages.only(store.claim(List.of(held)));
        database.execute("DELETE FROM dedup_record");

        assertThat(store.renew(List.of(Messages.renew(held)))).containsOnly(WriteResult.leaseLost());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(held)))))
                .isEqualTo(WriteResult.leaseLost());
        assertThat(Messages.only(store.claim(List.of(Messages.claim(held.key())))))
                .isInstanceOfSatisfying(ClaimResult.Acquired.class, after -> {
                    assertThat(after.attempt()).isEqualTo(1);
                    assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
                });
    }

    @OnDrivers
    @DisplayName("a table that is dropped in the middle of a run: every call says how to get it back")
    void dropped(JdbcDialect dialect) {
        start(dialect);
        database.execute("ALTER TABLE dedup_record RENAME TO elsewhere");

        everyCall(error -> assertThat(error)
                .hasMessageContaining("initializeSchema(ALWAYS)")
                .hasMessageContaining("classpath:" + dialect.schemaResource()));

        database.execute("ALTER TABLE elsewhere RENAME TO dedup_record");
        assertRecovers();
    }

    /** How a value is in the text that reaches the server: on MariaDB in hexadecimal. */
    private static String sent(JdbcDialect dialect, String value) {
        return dialect == JdbcDialect.MARIADB
                ? HexFormat.of().formatHex(value.getBytes(StandardCharsets.US_ASCII))
                : value;
    }
}
