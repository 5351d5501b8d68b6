package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.MessageOrigin;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.List;
import java.util.function.Supplier;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An Error that comes when the handler has ended and nothing has committed, as when there is no memory for the result. */
class ErrorBeforeCommitTest {
    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:error", "sa", "");
    private final JdbcTemplate jdbc = new JdbcTemplate(pool);
    private final JdbcDedupStore store = JdbcDedupStore.builder(pool)
            .initializeSchema(InitializeSchema.ALWAYS)
            .build();
    private final Deduplicator dedup = Deduplicators.builder(store)
            .consumer("billing")
            .transactions(store.transactions(new JdbcTransactionManager(pool)))
            .topic(
                    "TRANSACTIONAL",
                    policy -> policy.mode(DedupMode.TRANSACTIONAL).explainDuplicates(true))
            .topic(
                    "LEASED_TRANSACTIONAL",
                    policy -> policy.mode(DedupMode.LEASED_TRANSACTIONAL).explainDuplicates(true))
            .build();

    ErrorBeforeCommitTest() {
        jdbc.execute("CREATE TABLE effect (topic varchar(30))");
    }

    @AfterEach
    void close() {
        TransactionSynchronizationManager.unbindResourceIfPossible(pool); // or a failure here would fail other tests
        dedup.close();
        store.close();
        pool.dispose();
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "LEASED_TRANSACTIONAL"})
    @DisplayName("the thread keeps no transaction: later effects commit, and the message itself is handled again")
    void nothingStaysOpen(DedupMode mode) {
        Error error = new InternalError("of a test");

        assertThat(handle(mode, new FailingPlace(error)))
                .isInstanceOfSatisfying(
                        RunEnd.Failed.class,
                        failed -> assertThat(failed.cause()).isSameAs(error));

        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(effects(mode.name())).isZero();

        DedupKey later = dedup.key("leased", "later");
        assertThat(dedup.execute(later, context -> effect("leased"))).isInstanceOf(DedupOutcome.Handled.class);
        assertThat(effects("leased")).isEqualTo(1);

        assertThat(handle(mode, () -> "a test")).isInstanceOf(RunEnd.Handled.class);
        assertThat(effects(mode.name())).isEqualTo(1);
    }

    private RunEnd handle(DedupMode mode, Supplier<String> origin) {
        DedupAdapter engine = DedupAdapter.of(dedup);
        Delivery delivery = Delivery.of(dedup.topic(mode.name()), "a", null, origin);
        List<Execution> executions = List.of(((Admission.Run) engine.admit(delivery, WaitBudget.none())).execution());
        TransactionalRun run = engine.open(executions, true, WaitBudget.none());
        return HandlerRun.runAll(run.executions(), () -> effect(mode.name()), run);
    }

    private byte @Nullable [] effect(String topic) {
        jdbc.update("INSERT INTO effect VALUES (?)", topic);
        return null;
    }

    private long effects(String topic) {
        Long count = jdbc.queryForObject("SELECT count(*) FROM effect WHERE topic = ?", Long.class, topic);
        return count == null ? 0 : count;
    }

    /** Asked for when a success is written. */
    private record FailingPlace(Error error) implements MessageOrigin {
        @Override
        public String get() {
            return "a test";
        }

        @Override
        public MessagePlace place() {
            throw error;
        }

        @Override
        public DuplicateCause causeAfter(MessagePlace first) {
            return DuplicateCause.UNKNOWN;
        }
    }
}
