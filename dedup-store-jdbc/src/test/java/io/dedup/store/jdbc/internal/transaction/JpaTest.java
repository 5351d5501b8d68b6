package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.Session;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.hibernate.FlushMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of JPA, which a record shares with entities. */
class JpaTest {
    private final Messages messages = new Messages();
    private TestDatabase database;
    private TcpProxy proxy;
    private HikariDataSource pool;
    private LocalContainerEntityManagerFactoryBean factory;
    private JpaTransactionManager manager;
    private EntityManager entities;
    private JdbcDedupStore store;
    private JdbcTransactions transactions;
    private DedupKey key;

    /** The effect of a handler. */
    @Entity
    @Table(name = "effect")
    static class Effect {
        @Id
        private String id;

        private int amount;

        protected Effect() {}

        Effect(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }

        /** JPA calls it within the flush. */
        @PostPersist
        void written() {
            if (id.equals("unwanted")) {
                throw new UnwantedException();
            }
        }
    }

    /** An exception that Spring translates into none of its own, like that of Bean Validation. */
    private static final class UnwantedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private void start(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        open(database.pool());
    }

    private void open(HikariDataSource opened) {
        pool = opened;
        database.execute("CREATE TABLE effect (id varchar(100) PRIMARY KEY, amount int DEFAULT 0 NOT NULL)");
        factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(pool);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(
                org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes.of(Effect.class.getName()));
        factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "none"));
        factory.afterPropertiesSet();
        EntityManagerFactory made = factory.getObject();
        manager = new JpaTransactionManager(made);
        entities = SharedEntityManagerCreator.createSharedEntityManager(made);
        store = database.closing(database.builder(pool).build());
        transactions = store.transactions(manager);
        key = messages.key();
    }

    @AfterEach
    void stop() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        factory.destroy();
        if (proxy != null) {
            proxy.close();
        }
        database.close();
    }

    private RecordTransaction handled(String id) {
        return handled(() -> entities.persist(new Effect(id)));
    }

    private RecordTransaction handled(Runnable handler) {
        RecordTransaction transaction = transactions.beginWithRecords(Session.TIMEOUT);
        assertThat(transaction.claimAll(List.of(Session.request(key))).get(0)).isInstanceOf(RecordResult.Written.class);
        handler.run();
        return transaction;
    }

    private void assertDurable(boolean durable) {
        assertThat(database.count("SELECT count(*) FROM effect WHERE id = 'a'")).isEqualTo(durable ? 1 : 0);
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(durable ? 1 : 0);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName("an entity and the record commit together, and roll back together")
    void together(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction undone = handled("a");
        entities.flush();
        undone.rollback();
        assertDurable(false);

        assertThat(handled("a").commit()).isInstanceOf(CommitResult.Committed.class);
        assertDurable(true);
        assertThat(entities.find(Effect.class, "a").id()).isEqualTo("a");
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName("an entity that the flush at the commit cannot write: nothing of it happened, the record neither")
    void flushFails(JdbcDialect dialect) {
        start(dialect);
        database.execute("INSERT INTO effect (id) VALUES ('taken')");
        assertThat(handled("taken").commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName("entities that are only read, with a transaction manager that knows nothing of JPA")
    void readBeside(JdbcDialect dialect) {
        start(dialect);
        JdbcTransactions plain = store.transactions(new JdbcTransactionManager(pool));
        RecordTransaction transaction = plain.beginWithRecords(Session.TIMEOUT);
        assertThat(transaction.claimAll(List.of(Session.request(key))).get(0)).isInstanceOf(RecordResult.Written.class);
        assertThat(entities.createQuery("select e from JpaTest$Effect e", Effect.class)
                        .getResultList())
                .isEmpty();
        new JdbcTemplate(pool).update("INSERT INTO effect (id) VALUES ('a')");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
        assertDurable(true);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName(
            "what a transaction manager that knows nothing of JPA would never write isn't acknowledged: a new entity, a"
                    + " changed one, one that a callback before the commit creates")
    void writtenBeside(JdbcDialect dialect) {
        start(dialect);
        database.execute("INSERT INTO effect (id) VALUES ('old')");
        transactions = store.transactions(new JdbcTransactionManager(pool));
        List<Runnable> handlers = List.of(
                () -> entities.persist(new Effect("a")),
                () -> entities.find(Effect.class, "old").amount = 7,
                () -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        entities.persist(new Effect("a"));
                    }
                }));
        for (Runnable handler : handlers) {
            assertThat(handled(handler).commit())
                    .isInstanceOfSatisfying(
                            CommitResult.RolledBack.class,
                            rolledBack -> assertThat(rolledBack.cause()).hasMessageContaining("JpaTransactionManager"));
            assertDurable(false);
        }
    }

    @Test
    @DisplayName("a change that the application holds back is nobody's to write, whichever the transaction manager is")
    void heldBack() {
        start(JdbcDialect.H2);
        for (PlatformTransactionManager each : List.of(manager, new JdbcTransactionManager(pool))) {
            transactions = store.transactions(each);
            key = messages.key();
            RecordTransaction transaction = handled(() -> {
                entities.unwrap(org.hibernate.Session.class).setHibernateFlushMode(FlushMode.MANUAL);
                entities.persist(new Effect("a"));
            });
            assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
            assertThat(database.count("SELECT count(*) FROM effect")).isZero();
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName(
            "what the server refuses in the flush at the commit is known to be rolled back, whichever code its answer has")
    void refusedWithAnyCode(JdbcDialect dialect) {
        start(dialect);
        if (dialect == JdbcDialect.POSTGRESQL) {
            database.execute(
                    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                            + " $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = 'AB123'; END $$",
                    "CREATE TRIGGER refuse BEFORE INSERT ON effect FOR EACH ROW EXECUTE FUNCTION refuse()");
        } else {
            database.execute("ALTER TABLE effect MODIFY id ENUM ('b') NOT NULL"); // 1265, state 01000
        }
        assertThat(handled("a").commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName("an exception of the application's own in the flush at the commit: nothing of it happened")
    void listenerFails(JdbcDialect dialect) {
        start(dialect);
        assertThat(handled("unwanted").commit())
                .isInstanceOfSatisfying(
                        CommitResult.RolledBack.class,
                        rolledBack -> assertThat(rolledBack.cause()).hasRootCauseInstanceOf(UnwantedException.class));
        await().untilAsserted(() ->
                assertThat(database.count("SELECT count(*) FROM effect")).isZero());
        assertDurable(false);
    }

    @Test
    @DisplayName("JPA's transaction manager and JDBC's don't join each other's transactions, be it of one DataSource")
    void managersOfOneDataSource() {
        start(JdbcDialect.H2);
        JdbcTransactionManager jdbc = new JdbcTransactionManager(pool);
        for (PlatformTransactionManager own : List.of(manager, jdbc)) {
            JdbcTransactions records =
                    store.transactions(own).managers(name -> name.isEmpty() ? own : other(own, jdbc));
            RecordTransaction transaction = records.begin(Session.TIMEOUT);
            TransactionTemplate joining = new TransactionTemplate(other(own, jdbc));
            assertThatThrownBy(() -> joining.executeWithoutResult(status -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must not suspend its transaction");
            transaction.rollback();

            assertThat(records.outside(new Named(), Named.METHOD))
                    .startsWith("is @Transactional by transaction manager \"named\", which doesn't join");
            assertThat(records.allowSuspension(true).outside(new Named(), Named.METHOD))
                    .isNull();
            assertThat(records.managers(name -> own).outside(new Named(), Named.METHOD))
                    .isNull();
        }
        JdbcTransactions beside = store.transactions(jdbc).managers(name -> new DataSourceTransactionManager(pool));
        assertThat(beside.outside(new Named(), Named.METHOD)).isNull();
        RecordTransaction transaction = beside.begin(Session.TIMEOUT);
        new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(status -> {});
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Committed.class);
    }

    private PlatformTransactionManager other(PlatformTransactionManager own, JdbcTransactionManager jdbc) {
        return own == jdbc ? manager : jdbc;
    }

    /** A handler that names a transaction manager. */
    static final class Named {
        static final HandlerMethod METHOD = new HandlerMethod(Named.class, "handle", List.of());

        @Transactional("named")
        public void handle() {}
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
    @DisplayName("rollback-only by what joined; suspension refused")
    void rules(JdbcDialect dialect) {
        start(dialect);
        RecordTransaction transaction = handled("a");
        new TransactionTemplate(manager).executeWithoutResult(status -> status.setRollbackOnly());
        assertThat(transaction.commit()).isInstanceOf(CommitResult.RolledBack.class);
        assertDurable(false);

        RecordTransaction second = handled("a");
        TransactionTemplate requiresNew = new TransactionTemplate(manager);
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        assertThatThrownBy(() -> requiresNew.executeWithoutResult(status -> entities.persist(new Effect("escaped"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must not suspend its transaction");
        assertThat(second.commit()).isInstanceOf(CommitResult.Committed.class);
        assertDurable(true);
    }

    /** JPA's own word for it is that it has rolled back. */
    @Test
    @DisplayName("the answer to a commit got lost: it is unknown, though it is durable")
    void lostAnswer() {
        SqlDatabase server = PostgresServers.newDatabase();
        database = TestDatabase.of(JdbcDialect.POSTGRESQL, server);
        URI address = URI.create(server.jdbcUrl().substring("jdbc:".length()));
        proxy = TcpProxy.to(address.getHost(), address.getPort());
        open(database.pool(config -> config.setJdbcUrl(server.jdbcUrlThrough(proxy.port()))));

        RecordTransaction transaction = handled("a");
        proxy.loseReplyTo("COMMIT");
        assertThat(transaction.commit()).isInstanceOf(CommitResult.Unknown.class);
        assertDurable(true);
    }

    @Test
    @DisplayName("a JPA factory of another DataSource is refused")
    void otherDataSource() {
        start(JdbcDialect.H2);
        HikariDataSource other = database.pool();
        JdbcDedupStore elsewhere = database.closing(database.builder(other).build());
        assertThatThrownBy(() -> elsewhere.transactions(manager))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("uses another DataSource");
    }
}
