package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.abort;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Races;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordResult;
import io.dedup.testservers.sql.GaleraCluster;
import io.dedup.testservers.sql.SqlDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Three Galera nodes that all take writes, and consumers that are connected to different ones. */
class GaleraTest {
    private static final String WAITING = "sessionVariables=wsrep_sync_wait=7";

    private static GaleraCluster cluster;
    private static SqlDatabase first;

    private final Messages messages = new Messages();

    @BeforeAll
    static void start() {
        cluster = GaleraCluster.start(GaleraCluster.installed()
                .orElseGet(() -> abort("no Galera library installed, and none named by -Ddedup.test.galera")));
        first = cluster.addresses().get(0).newDatabase();
        for (SqlDatabase node : nodes()) {
            await().ignoreExceptions().until(() -> {
                node.connect().close();
                return true;
            });
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** The same database on each node. */
    private static List<SqlDatabase> nodes() {
        return cluster.addresses().stream()
                .map(address -> new SqlDatabase(address, first.name()))
                .toList();
    }

    /** What consumers of one node use. */
    private record Node(HikariDataSource pool, JdbcDedupStore store) {
        Races.Side side() {
            return new Races.Side(store.transactions(new DataSourceTransactionManager(pool)), new JdbcTemplate(pool));
        }
    }

    private static Node node(SqlDatabase database, JdbcDialect dialect, List<AutoCloseable> opened) {
        String lockWait = dialect == JdbcDialect.MYSQL ? ",innodb_lock_wait_timeout=1" : "";
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl() + "?" + WAITING + lockWait);
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMinimumIdle(0);
        JdbcDedupStore store = JdbcDedupStore.builder(pool)
                .dialect(dialect)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(null)
                .build();
        opened.add(store);
        opened.add(pool);
        return new Node(pool, store);
    }

    private interface Work {
        void with(List<Node> nodes) throws Exception;
    }

    private static void onEachNode(JdbcDialect dialect, Work work) throws Exception {
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            List<Node> nodes = new ArrayList<>();
            for (SqlDatabase node : nodes()) {
                nodes.add(node(node, dialect, opened));
            }
            new JdbcTemplate(nodes.get(0).pool()).execute("DELETE FROM dedup_record"); // another test's
            work.with(nodes);
        } finally {
            for (AutoCloseable each : opened) {
                each.close();
            }
        }
    }

    @Test
    @DisplayName("a node whose sessions don't wait for other nodes' writes is refused")
    void refused() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(first.jdbcUrl());
        pool.setUsername(first.user());
        try (pool) {
            assertThatThrownBy(JdbcDedupStore.builder(pool)::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(WAITING);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName("a message that is claimed on three nodes at the same time has one winner, and is done on all of them")
    void claims(JdbcDialect dialect) throws Exception {
        onEachNode(dialect, nodes -> {
            List<JdbcDedupStore> stores = nodes.stream().map(Node::store).toList();
            try (Races races = new Races()) {
                int turn = 0;
                for (ClaimRequest won : races.claims(stores, 30)) {
                    assertThat(Messages.only(stores.get(++turn % 3).complete(List.of(Messages.complete(won)))))
                            .isEqualTo(WriteResult.applied());
                    assertThat(Messages.only(stores.get(++turn % 3).claim(List.of(Messages.claim(won.key())))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class);
                }
                races.batches(stores, 30);
            }
        });
    }

    @Test
    @DisplayName("handlers of one message on three nodes: one transaction commits, the others are rolled back")
    void transactions() throws Exception {
        onEachNode(JdbcDialect.MARIADB, nodes -> {
            JdbcTemplate business = new JdbcTemplate(nodes.get(0).pool());
            business.execute("CREATE TABLE effect (id varchar(100) PRIMARY KEY)");
            try (Races races = new Races()) {
                List<String> ids = races.effects(nodes.stream().map(Node::side).toList(), 30);
                assertThat(business.queryForList("SELECT id FROM effect", String.class))
                        .containsExactlyInAnyOrderElementsOf(ids);
            }
        });
    }

    @Test
    @DisplayName(
            "both handlers run, because a node doesn't see another one's locks; the later commit is certainly rolled back")
    void certification() throws Exception {
        onEachNode(JdbcDialect.MARIADB, nodes -> {
            DedupKey key = messages.key();
            try (Session one = new Session(nodes.get(0).side().transactions());
                    Session other = new Session(nodes.get(1).side().transactions())) {
                assertThat(one.claim(key)).isInstanceOf(RecordResult.Written.class);
                assertThat(other.claim(key)).isInstanceOf(RecordResult.Written.class);
                assertThat(one.commit()).isEqualTo(new CommitResult.Committed());
                assertThat(other.commit()).isInstanceOf(CommitResult.RolledBack.class);
            }
            try (Session third = new Session(nodes.get(2).side().transactions())) {
                assertThat(third.claim(key)).isInstanceOf(RecordResult.Done.class);
            }
        });
    }

    @Test
    @DisplayName("a completion on a node that hasn't applied the claim yet waits for it")
    void lag() throws Exception {
        onEachNode(JdbcDialect.MARIADB, nodes -> {
            try (Connection connection = nodes.get(0).pool().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE big (id int PRIMARY KEY, v varchar(200))");
                statement.execute("INSERT INTO big SELECT seq, repeat('x', 200) FROM seq_1_to_20000");
                statement.execute("UPDATE big SET v = repeat('y', 200)"); // what other nodes are busy with now
            }
            ClaimRequest claimed = Messages.acquire(nodes.get(0).store(), messages.key());
            ClaimRequest other = Messages.acquire(nodes.get(0).store(), messages.key());
            assertThat(seenWithoutWaiting(nodes.get(1), claimed)).isFalse();
            assertThat(Messages.only(nodes.get(1).store().complete(List.of(Messages.complete(claimed)))))
                    .isEqualTo(WriteResult.applied());
            try (Session handler = new Session(nodes.get(2).side().transactions())) {
                assertThat(handler.completeAll(List.of(Messages.complete(other))))
                        .containsExactly(WriteResult.applied());
                assertThat(handler.commit()).isEqualTo(new CommitResult.Committed());
            }
        });
    }

    private static boolean seenWithoutWaiting(Node node, ClaimRequest claimed) throws SQLException {
        try (Connection connection = node.pool().getConnection();
                Statement statement = connection.createStatement()) {
            return statement
                    .executeQuery(
                            "SET STATEMENT wsrep_sync_wait = 0 FOR SELECT 1 FROM dedup_record WHERE message_id = '"
                                    + claimed.key().messageId() + "'")
                    .next();
        }
    }
}
