package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** docs/recipes/fencing-token.md: a handler that hangs past its lease writes too late. */
class LabelPrinterTest {
    private static final Duration LEASE = Duration.ofMillis(500);

    private final RecipeDatabase database = new RecipeDatabase().withTablesOf("fencing-token.md");

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void theLateWriteIsRefused() throws Exception {
        database.jdbc().update("INSERT INTO shipment (shipment_id) VALUES ('s-1')");
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        LabelPrinter hanging = new LabelPrinter(database.jdbc(), address -> {
            hangs.countDown();
            waitFor(goesOn);
            return "late label";
        });
        LabelPrinter quick = new LabelPrinter(database.jdbc(), address -> "label");

        try (Deduplicator shipping = shipping();
                Deduplicator other = shipping()) {
            CompletableFuture<DedupOutcome<@Nullable Void>> first =
                    CompletableFuture.supplyAsync(() -> ship(shipping, hanging));
            waitFor(hangs);
            assertThat(ship(other, quick)).isInstanceOf(DedupOutcome.Handled.class); // when the lease is over
            goesOn.countDown();

            assertThat(first.get(10, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(DedupOutcome.Deferred.class, deferred -> {
                        assertThat(deferred.reason()).isEqualTo(DeferReason.LEASE_LOST);
                        assertThat(Objects.requireNonNull(deferred.cause()))
                                .hasMessage("A later run has written shipment s-1");
                    });
            assertThat(database.jdbc().queryForObject("SELECT label FROM shipment", String.class))
                    .isEqualTo("label");
            assertThat(ship(shipping, quick)).isInstanceOf(DedupOutcome.Duplicate.class);
        }
    }

    private Deduplicator shipping() {
        return Deduplicators.builder(database.store())
                .consumer("shipping")
                .topic(
                        "shipments",
                        policy -> policy.lease(LEASE).maxProcessingTime(LEASE).inFlightWait(Duration.ofSeconds(30)))
                .build();
    }

    private static DedupOutcome<@Nullable Void> ship(Deduplicator shipping, LabelPrinter printer) {
        return shipping.execute(shipping.key("shipments", "s-1"), context -> {
            printer.ship("Main Street 1", "s-1", context);
            return null;
        });
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
