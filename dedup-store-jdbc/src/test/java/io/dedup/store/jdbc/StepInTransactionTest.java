package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import java.util.ArrayList;
import java.util.List;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Steps of a LEASED handler beside transactions of its own. */
class StepInTransactionTest {
    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:steps", "sa", "");
    private final JdbcTemplate jdbc = new JdbcTemplate(pool);
    private final TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    private final JdbcDedupStore store = JdbcDedupStore.builder(pool)
            .initializeSchema(InitializeSchema.ALWAYS)
            .build();
    private final Deduplicator dedup =
            Deduplicators.builder(store).consumer("billing").build();

    @AfterEach
    void close() {
        dedup.close();
        store.close();
        pool.dispose();
    }

    @Test
    @DisplayName(
            "a step around which a transaction is active is refused before it runs: a rollback would undo what the next attempt skips")
    void refused() {
        List<String> effects = new ArrayList<>();

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> dedup.execute(dedup.key("orders", "o-1"), context -> {
                    transaction.executeWithoutResult(status -> context.step("mail", () -> effects.add("mail")));
                    return null;
                }))
                .withMessageContaining("step mail cannot run in a transaction");
        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName("a step that opens its own transaction commits once, whatever fails after it")
    void ownTransaction() {
        jdbc.execute("CREATE TABLE booking (id varchar(9))");
        assertThatIllegalStateException().isThrownBy(() -> book(true));
        book(false);

        assertThat(jdbc.queryForObject("SELECT count(*) FROM booking", Long.class))
                .isEqualTo(1);
    }

    private void book(boolean fails) {
        dedup.execute(dedup.key("orders", "o-1"), context -> {
            context.step(
                    "book",
                    () -> transaction.executeWithoutResult(
                            status -> jdbc.update("INSERT INTO booking VALUES ('o-1')")));
            if (fails) {
                throw new IllegalStateException("fails after the step");
            }
            return (@Nullable Void) null;
        });
    }
}
