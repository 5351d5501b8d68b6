package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** docs/recipes/handle-again.md, in every mode, on a real PostgreSQL and, in front of it, a real Redis. */
class HandleAgainTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final DedupStore redis = RedisDedupStore.builder()
            .uri(RedisServers.shared().uri())
            .commandTimeout(Duration.ofSeconds(20))
            .namespace("recipes-" + UUID.randomUUID())
            .build();
    private final List<String> sent = new ArrayList<>();
    private final List<Integer> attempts = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();

    @AfterEach
    void close() {
        redis.close();
        database.close();
    }

    @ParameterizedTest
    @EnumSource(DedupMode.class)
    void oneOfTheNextCopiesIsHandled(DedupMode mode) {
        try (Deduplicator billing = billing(mode)) {
            assertThat(billing.forget(billing.key("orders", "o-1"), LiveLease.RESPECT))
                    .isEqualTo(OperatorResult.ABSENT);
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Handled.class);
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Duplicate.class);

            new HandleAgain(billing, sent::add).handleAgain("o-1");

            assertThat(sent).containsExactly("o-1");
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Handled.class);
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Duplicate.class);
            assertThat(attempts).containsExactly(1, 1);
            assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
        }
    }

    @ParameterizedTest
    @EnumSource(value = DedupMode.class, mode = Mode.EXCLUDE, names = "TRANSACTIONAL")
    void aRunningHandlerIsSeen(DedupMode mode) {
        try (Deduplicator billing = billing(mode)) {
            HandleAgain operator = new HandleAgain(billing, sent::add);
            deliver(
                    billing,
                    context -> assertThatThrownBy(() -> operator.handleAgain("o-1"))
                            .isInstanceOf(IllegalStateException.class));

            assertThat(sent).isEmpty();
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Duplicate.class);
        }
    }

    @Test
    void aRunningHandlerIsNotSeenInModeTransactional() {
        try (Deduplicator billing = billing(DedupMode.TRANSACTIONAL)) {
            List<OperatorResult> results = new ArrayList<>();
            deliver(billing, context -> results.add(onAnotherThread(billing)));

            assertThat(results).containsExactly(OperatorResult.ABSENT);
            assertThat(deliver(billing)).isInstanceOf(DedupOutcome.Duplicate.class);
        }
    }

    /** An operator isn't in the handler's transaction. */
    private static OperatorResult onAnotherThread(Deduplicator billing) {
        return CompletableFuture.supplyAsync(() -> billing.forget(billing.key("orders", "o-1"), LiveLease.RESPECT))
                .join();
    }

    private DedupOutcome<@Nullable Void> deliver(Deduplicator billing) {
        return deliver(billing, context -> {});
    }

    private DedupOutcome<@Nullable Void> deliver(Deduplicator billing, Consumer<DedupContext> handler) {
        return billing.execute(billing.key("orders", "o-1"), context -> {
            attempts.add(context.attempt());
            tokens.add(context.fencingToken());
            handler.accept(context);
            return null;
        });
    }

    private Deduplicator billing(DedupMode mode) {
        return Deduplicators.builder(mode == DedupMode.TIERED ? redis : database.store())
                .transactions(database.store().transactions(new DataSourceTransactionManager(database.dataSource())))
                .consumer("billing")
                .topic("orders", policy -> policy.mode(mode))
                .build();
    }
}
