package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.DedupCall;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Direct calls by somebody who has opened a transaction, and rolls it back when the message is recorded as done. */
class ExecuteInTransactionTest {
    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:direct", "sa", "");
    private final JdbcTemplate jdbc = new JdbcTemplate(pool);
    private final JdbcTransactionManager manager = new JdbcTransactionManager(pool);
    private final TransactionTemplate transaction = new TransactionTemplate(manager);
    private final JdbcDedupStore store = JdbcDedupStore.builder(pool)
            .initializeSchema(InitializeSchema.ALWAYS)
            .build();
    private final Deduplicator dedup = Deduplicators.builder(store)
            .consumer("billing")
            .transactions(store.transactions(manager))
            .topic("shadow", policy -> policy.shadow(true))
            .topic("both", policy -> policy.mode(DedupMode.LEASED_TRANSACTIONAL))
            .topic("record", policy -> policy.mode(DedupMode.TRANSACTIONAL))
            .build();
    private final DedupKey key = dedup.key("orders", "o-1");

    ExecuteInTransactionTest() {
        jdbc.execute("CREATE TABLE booking (id varchar(9))");
    }

    @AfterEach
    void close() {
        dedup.close();
        store.close();
        pool.dispose();
    }

    /** The ways to call a handler. */
    enum Way {
        ONE,
        BATCH,
        ASYNC
    }

    private boolean handled(Way way, DedupKey asked) {
        DedupOutcome<@Nullable Void> outcome = switch (way) {
            case ONE ->
                dedup.execute(asked, context -> {
                    book();
                    return (@Nullable Void) null;
                });
            case BATCH ->
                dedup.executeAll(List.of(asked), each -> each, items -> book()).get(0);
            case ASYNC ->
                dedup.executeAsync(DedupCall.<@Nullable Void>of(asked), context -> {
                            book();
                            return CompletableFuture.completedStage(null);
                        })
                        .toCompletableFuture()
                        .join();
        };
        return outcome instanceof DedupOutcome.Handled;
    }

    private void book() {
        jdbc.update("INSERT INTO booking VALUES ('o-1')");
    }

    private long bookings() {
        Long count = jdbc.queryForObject("SELECT count(*) FROM booking", Long.class);
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("refused before the claim: the redelivery of what was rolled back is handled")
    void rolledBack(Way way) {
        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    boolean unused = handled(way, key);
                    status.setRollbackOnly();
                }))
                .withMessageContaining("topic \"orders\"")
                .withMessageContaining("If that were rolled back, the effect would be gone, but recorded as done");
        assertThat(store.find(key)).isEmpty();

        assertThat(handled(way, key)).isTrue();
        assertThat(bookings()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a transaction of Kafka alone is refused, too: what the handler sends in it would be gone")
    void ofKafka(Way way) {
        assertThatIllegalStateException()
                .isThrownBy(() -> new TransactionTemplate(new OfKafka())
                        .executeWithoutResult(
                                status -> assertThat(handled(way, key)).isTrue()));
        assertThat(store.find(key)).isEmpty();
    }

    @Test
    @DisplayName("a batch is refused if one of its messages is in mode LEASED")
    void mixedBatch() {
        List<DedupKey> keys = List.of(dedup.key("shadow", "o-1"), key);

        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.executeWithoutResult(
                        status -> dedup.executeAll(keys, each -> each, items -> book())))
                .withMessageContaining("topic \"orders\"");
        assertThat(bookings()).isZero();
    }

    @Test
    @DisplayName(
            "where the transaction is suspended the call runs, and its effect doesn't depend on the caller's rollback")
    void suspended() {
        TransactionTemplate without = new TransactionTemplate(manager);
        without.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

        transaction.executeWithoutResult(status -> {
            without.executeWithoutResult(
                    none -> assertThat(handled(Way.ONE, key)).isTrue());
            status.setRollbackOnly();
        });

        assertThat(bookings()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("shadow mode changes nothing: no later delivery is skipped because of its records")
    void shadow(Way way) {
        DedupKey shadowed = dedup.key("shadow", "o-1");
        transaction.executeWithoutResult(status -> {
            assertThat(handled(way, shadowed)).isTrue();
            status.setRollbackOnly();
        });

        assertThat(handled(way, shadowed)).isTrue();
        assertThat(bookings()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"ONE", "BATCH"})
    @DisplayName("the transactional modes defer, and record nothing")
    void transactionalModes(Way way) {
        for (String topic : List.of("both", "record")) {
            DedupKey there = dedup.key(topic, "o-1");
            transaction.executeWithoutResult(
                    status -> assertThat(handled(way, there)).isFalse());
            assertThat(handled(way, there)).isTrue();
        }
        assertThat(bookings()).isEqualTo(2);
    }

    /** Binds nothing of a database to the thread. */
    private static final class OfKafka extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object begun, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
