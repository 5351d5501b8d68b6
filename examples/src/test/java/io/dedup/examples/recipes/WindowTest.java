package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** docs/recipes.md, "Choose a window". */
class WindowTest {
    private final RecipeDatabase database = new RecipeDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aMessageKeepsTheWindowThatItWasHandledWith() {
        try (Deduplicator before = billing(Duration.ofHours(1));
                Deduplicator after = billing(Duration.ofDays(7))) {
            assertThat(deliver(before)).isInstanceOf(DedupOutcome.Handled.class);
            assertThat(deliver(after)).isInstanceOf(DedupOutcome.Duplicate.class);
            database.elapse(Duration.ofHours(2));
            assertThat(deliver(after)).isInstanceOf(DedupOutcome.Handled.class);
            database.elapse(Duration.ofHours(2));
            assertThat(deliver(before)).isInstanceOf(DedupOutcome.Duplicate.class);
        }
    }

    private Deduplicator billing(Duration window) {
        return Deduplicators.builder(database.store())
                .consumer("billing")
                .topic("orders", policy -> policy.window(window))
                .build();
    }

    private static DedupOutcome<@Nullable Void> deliver(Deduplicator billing) {
        return billing.execute(billing.key("orders", "o-1"), context -> null);
    }
}
