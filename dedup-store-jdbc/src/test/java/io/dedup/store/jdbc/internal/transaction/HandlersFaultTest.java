package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupCall;
import io.dedup.DedupContext;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.ResultCodec;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.testservers.sql.PostgresServers;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * What a handler has done wrong comes to light only at the end of its transaction. It is its failure, which the broker's
 * retries count; taken for the database's, it would be deferred for ever.
 */
class HandlersFaultTest {
    private final TestDatabase database = TestDatabase.of(JdbcDialect.POSTGRESQL, PostgresServers.newDatabase());
    private final HikariDataSource pool = database.pool();
    private final JdbcDedupStore store = database.builder(pool).build();
    private final JdbcTemplate sql = new JdbcTemplate(pool);

    HandlersFaultTest() {
        sql.execute("CREATE TABLE effect (name varchar(5) PRIMARY KEY)");
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private Deduplicator deduplicator(DedupMode mode, PlatformTransactionManager manager) {
        return Deduplicators.builder(store)
                .consumer("test")
                .defaults(DedupPolicy.builder().mode(mode).build())
                .transactions(store.transactions(manager))
                .build();
    }

    @Entity
    @Table(name = "effect")
    static class Effect {
        @Id
        @Column(length = 100)
        String name = "";
    }

    @Test
    @DisplayName("a value that JPA's flush within the commit finds to be too long is a failure")
    void flushedAtCommit() {
        Configuration configuration = new Configuration().addAnnotatedClass(Effect.class);
        configuration.getProperties().put("hibernate.connection.datasource", pool);
        EntityManagerFactory entities = configuration.buildSessionFactory();
        JpaTransactionManager manager = new JpaTransactionManager(entities);
        manager.setDataSource(pool);
        manager.setJpaDialect(new HibernateJpaDialect());
        try (Deduplicator dedup = deduplicator(DedupMode.TRANSACTIONAL, manager)) {
            DedupKey key = dedup.key("orders", "a");

            assertThatThrownBy(() -> dedup.execute(key, context -> {
                        Effect effect = new Effect();
                        effect.name = "longer than five";
                        SharedEntityManagerCreator.createSharedEntityManager(entities)
                                .persist(effect);
                        return "ok";
                    }))
                    .isInstanceOf(DataAccessException.class);

            assertThat(dedup.execute(key, this::effect)).isInstanceOf(DedupOutcome.Handled.class);
        } finally {
            entities.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " USING ERRCODE = 'AB123'"})
    @DisplayName("an error that a deferred trigger raises at the commit is a failure, whichever its code")
    void deferredTrigger(String code) {
        sql.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " RAISE EXCEPTION 'not this one'" + code + "; END $$");
        sql.execute("CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION refuse()");
        try (Deduplicator dedup = deduplicator(DedupMode.TRANSACTIONAL, new JdbcTransactionManager(pool))) {
            DedupKey key = dedup.key("orders", "a");

            assertThatThrownBy(() -> dedup.execute(key, this::effect)).hasStackTraceContaining("not this one");

            sql.execute("DROP TRIGGER refuse ON effect");
            assertThat(dedup.execute(key, this::effect)).isInstanceOf(DedupOutcome.Handled.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTIONAL", "TRANSACTIONAL with result", "LEASED_TRANSACTIONAL"})
    @DisplayName("a handler that swallows the error which has ended its transaction has failed")
    void swallowed(String how) {
        DedupMode mode = DedupMode.valueOf(how.replace(" with result", ""));
        try (Deduplicator dedup = deduplicator(mode, new JdbcTransactionManager(pool))) {
            DedupCall<String> call = DedupCall.<String>of(dedup.key("orders", "a"));
            DedupCall<String> asked = how.contains("result") ? call.withResult(ResultCodec.utf8()) : call;

            assertThatThrownBy(() -> dedup.execute(asked, context -> {
                        effect(context);
                        try {
                            sql.update("INSERT INTO effect VALUES ('longer than five')");
                        } catch (DataAccessException e) {
                            // So does this handler.
                        }
                        return "ok";
                    }))
                    .isNotNull();

            assertThat(sql.queryForObject("SELECT count(*) FROM effect", Integer.class))
                    .isZero();
            assertThat(dedup.execute(asked, this::effect)).isInstanceOf(DedupOutcome.Handled.class);
        }
    }

    private String effect(DedupContext context) {
        sql.update("INSERT INTO effect VALUES ('a')");
        return "ok";
    }
}
