package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** docs/recipes/steps.md: the warehouse is down, and the customer gets one mail. */
class CheckoutListenerTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final Counts counts = new Counts();
    private final List<String> charges = new CopyOnWriteArrayList<>();
    private final List<String> mails = new CopyOnWriteArrayList<>();
    private final List<String> reservations = new CopyOnWriteArrayList<>();
    private int unavailable = 1;

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void oneMail() throws Exception {
        RecipeKafka.createTopic("checkouts");
        CheckoutListener listener = new CheckoutListener(
                (order, key) -> {
                    charges.add(key);
                    return "ch-" + order;
                },
                (orderId, charge) -> mails.add(orderId + " " + charge),
                orderId -> {
                    reservations.add(orderId);
                    if (unavailable-- > 0) {
                        throw new IllegalStateException("the warehouse is down, for the test");
                    }
                });

        try (Deduplicator checkout = Deduplicators.builder(database.store())
                        .consumer("checkout")
                        .topic("checkouts", policy -> policy.steps(true).maxDeferDelay(Duration.ofMillis(200)))
                        .listener(counts)
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(checkout)
                        .id(KafkaMessageIds.header("order-id"))
                        .build()) {
            try (var application = RecipeKafka.application(context -> {
                context.register(RecipeKafka.Starter.class);
                context.registerBean(KafkaDedup.class, () -> dedup);
                context.registerBean(CheckoutListener.class, () -> listener);
            })) {
                RecipeKafka.send("checkouts", "order-id", "o-1", "42");
                RecipeKafka.awaitConsumed("checkout", "checkouts");
            }
        }

        assertThat(counts.runs).containsExactly("o-1#1", "o-1#2");
        assertThat(reservations).containsExactly("o-1", "o-1");
        assertThat(mails).containsExactly("o-1 ch-42");
        assertThat(Set.copyOf(charges)).hasSize(1);
        assertThat(charges).hasSize(1);
    }
}
