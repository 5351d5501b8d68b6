package io.dedup.examples.stream;

import static io.dedup.examples.stream.Shop.SOON;
import static io.dedup.examples.stream.TestFunctions.BOOKINGS;
import static io.dedup.examples.stream.TestFunctions.ENTRIES;
import static io.dedup.examples.stream.TestFunctions.PAYMENTS;
import static io.dedup.examples.stream.TestFunctions.reported;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.cloud.stream.binding.BindingsLifecycleController;

/** Functions of Spring Cloud Stream, deduplicated by their YAML alone. */
@TestInstance(Lifecycle.PER_CLASS)
class StreamTest {
    private Shop shop = Shop.shared();

    @BeforeAll
    void start() {
        shop = Shop.shared();
    }

    @Test
    @DisplayName("a message that is sent twice takes effect once")
    void duplicates() {
        shop.send("orders", null, null, "order 1", "order-id", "1");
        shop.send("orders", null, null, "order 1 again", "order-id", "1");
        shop.send("orders", null, null, "order 2", "order-id", "2");
        await().atMost(SOON).until(() -> shop.rows("reservation").contains("order 2"));
        assertThat(shop.rows("reservation")).contains("order 1").doesNotContain("order 1 again");
    }

    @Test
    @DisplayName("a function that fails is called again in place, within one claim")
    void failsOnce() {
        shop.send("payments", 0, "retried", "fail once");
        await().atMost(SOON).until(() -> PAYMENTS.count("fail once") == 2);
        shop.send("payments", 0, "retried", "fail once, a copy");
        await().atMost(SOON).until(() -> reported("duplicate").contains("retried"));
        assertThat(PAYMENTS.count("fail once, a copy")).isZero();
        assertThat(reported("released")).doesNotContain("retried");
    }

    @Test
    @DisplayName("a dead-lettered message isn't done: its replay is handled")
    void deadLetter() {
        shop.send("payments", 0, "doomed", "doom");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Shop.texts("payments-dlq")).contains("doom"));
        assertThat(PAYMENTS.count("doom")).isEqualTo(2);
        await().atMost(SOON).until(() -> reported("released").contains("doomed"));
        shop.send("payments", 0, "doomed", "replayed");
        await().atMost(SOON).until(() -> PAYMENTS.count("replayed") == 1);
        assertThat(PAYMENTS.count("doom")).isEqualTo(2);
        assertThat(Shop.texts("payments-dlq")).containsOnlyOnce("doom");
    }

    @Test
    @DisplayName("a message without an ID is dead-lettered by the binder, and never handled")
    void missingId() {
        shop.send("payments", 0, null, "without a key");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Shop.texts("payments-dlq")).containsOnlyOnce("without a key"));
        assertThat(PAYMENTS.count("without a key")).isZero();
    }

    @Test
    @DisplayName("each binding and flow of the example has a place for messages that fail for good")
    void deadLettersOfTheExample() {
        for (String topic : List.of("offers", "clicks", "invoices")) {
            shop.send(topic, null, null, "without an ID");
        }
        for (String deadLetters : List.of("offers-dlq", "clicks-dlq", "invoices-dlt")) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(Shop.texts(deadLetters)).contains("without an ID"));
        }
    }

    @Test
    @DisplayName("a copy of a message that is being handled waits: it uses no attempt and isn't dead-lettered")
    void inFlight() {
        shop.send("payments", 0, "slow", "wait");
        await().atMost(SOON).until(() -> PAYMENTS.count("wait") == 1);
        shop.send("payments", 1, "slow", "a copy meanwhile");
        await().atMost(SOON)
                .until(() ->
                        reported("IN_FLIGHT").stream().filter("slow"::equals).count() > 4); // more than attempts
        PAYMENTS.open("wait");
        await().atMost(SOON).until(() -> reported("duplicate").contains("slow"));
        assertThat(PAYMENTS.count("a copy meanwhile")).isZero();
        assertThat(Shop.texts("payments-dlq")).doesNotContain("wait", "a copy meanwhile");
    }

    @Test
    @DisplayName("messages wait while the store is down: they use no attempt and aren't dead-lettered")
    void storeDown() {
        shop.send("payments", 1, "before", "before the outage");
        await().atMost(SOON).until(() -> PAYMENTS.count("before the outage") == 1);
        shop.database.refuse();
        shop.database.cut();
        try {
            shop.send("payments", 1, "during", "during the outage");
            await().atMost(SOON).until(() -> reported("STORE_UNAVAILABLE").size() > 3);
            assertThat(PAYMENTS.count("during the outage")).isZero();
        } finally {
            shop.database.heal();
        }
        await().atMost(SOON).until(() -> PAYMENTS.count("during the outage") == 1);
        assertThat(Shop.texts("payments-dlq")).doesNotContain("during the outage");
    }

    @Test
    @DisplayName("a batch: duplicates are dropped, and the record that failed is retried alone")
    void batch() {
        for (String text : new String[] {"b1", "b2", "fail b3", "b4"}) {
            shop.send("bookings", 0, text, text);
            shop.send("bookings", 0, text, text + ", a copy");
        }
        await().atMost(SOON).until(() -> BOOKINGS.count("b4") == 1);
        assertThat(BOOKINGS.count("b1")).isEqualTo(1);
        assertThat(BOOKINGS.count("b2")).isEqualTo(1);
        assertThat(BOOKINGS.count("fail b3")).isEqualTo(2);
        assertThat(BOOKINGS.count("b1, a copy") + BOOKINGS.count("fail b3, a copy"))
                .isZero();
    }

    @Test
    @DisplayName("a dead-lettered batch isn't done: its replay is handled")
    void deadLetteredBatch() {
        shop.send("entries", 0, "e1", "doom e1");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Shop.texts("entries-dlq")).contains("doom e1"));
        await().atMost(SOON).until(() -> reported("released").contains("e1"));
        shop.send("entries", 0, "e1", "e1, replayed");
        await().atMost(SOON).until(() -> ENTRIES.count("e1, replayed") == 1);
        assertThat(ENTRIES.count("doom e1")).isEqualTo(1);
        assertThat(Shop.texts("entries-dlq")).containsOnlyOnce("doom e1");
    }

    @Test
    @DisplayName("in a batch, a message without an ID is dead-lettered alone")
    void missingIdInBatch() {
        shop.send("entries", 0, null, "entry without a key");
        shop.send("entries", 0, "e2", "e2");
        await().atMost(SOON).until(() -> ENTRIES.count("e2") == 1);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Shop.texts("entries-dlq")).containsOnlyOnce("entry without a key"));
        assertThat(ENTRIES.count("entry without a key")).isZero();
    }

    @Test
    @DisplayName(
            "in a batch that is dead-lettered, a message in flight elsewhere and those behind it wait and are handled")
    void inFlightInDeadLetteredBatch() {
        shop.send("entries", 1, "slow entry", "wait entry");
        shop.send("entries", 0, "blocking entry", "wait block");
        await().atMost(SOON).until(() -> ENTRIES.count("wait entry") + ENTRIES.count("wait block") == 2);
        shop.send("entries", 0, "f", "fetched before, so that the next ones are one batch");
        shop.send("entries", 0, "d1", "doom d1");
        shop.send("entries", 0, "slow entry", "a copy of the entry");
        shop.send("entries", 0, "d2", "d2");
        ENTRIES.open("wait block");
        await().atMost(SOON).until(() -> reported("IN_FLIGHT").contains("slow entry"));
        assertThat(ENTRIES.count("d2")).isZero();
        ENTRIES.open("wait entry");
        await().atMost(SOON).until(() -> ENTRIES.count("d2") == 1);
        assertThat(reported("duplicate")).contains("slow entry");
        assertThat(ENTRIES.count("a copy of the entry")).isZero();
        assertThat(Shop.texts("entries-dlq")).contains("doom d1").doesNotContain("a copy of the entry");
    }

    @Test
    @DisplayName(
            "in a dead-lettered batch whose failed record is named, those before it are done and those behind it go on")
    void namedInDeadLetteredBatch() {
        shop.send("entries", 0, "blocking", "wait again");
        await().atMost(SOON).until(() -> ENTRIES.count("wait again") == 1);
        shop.send("entries", 0, "g", "fetched before");
        shop.send("entries", 0, "x1", "x1");
        shop.send("entries", 0, "x2", "doom at x2");
        shop.send("entries", 0, "x3", "x3");
        ENTRIES.open("wait again");
        await().atMost(SOON).until(() -> ENTRIES.count("x3") == 1);
        shop.send("entries", 0, "x1", "x1, replayed");
        shop.send("entries", 0, "x2", "x2, replayed");
        await().atMost(SOON).until(() -> ENTRIES.count("x2, replayed") == 1);
        assertThat(ENTRIES.count("x1") + ENTRIES.count("x1, replayed")).isEqualTo(1);
        assertThat(ENTRIES.count("doom at x2")).isEqualTo(1);
        assertThat(Shop.texts("entries-dlq")).containsOnlyOnce("doom at x2");
    }

    @Test
    @DisplayName(
            "a dead-lettered message of a transactional mode: its effect is rolled back, and its replay is handled")
    void transactionalDeadLetter() {
        shop.send("settlements", 0, "s1", "doom s1");
        shop.send("settlements", 0, "s1", "s1, replayed");
        shop.send("settlements", 0, "s1", "s1, a copy");
        shop.send("settlements", 0, "s2", "s2");
        await().atMost(SOON).until(() -> shop.rows("reservation").contains("s2"));
        assertThat(shop.rows("reservation")).containsOnlyOnce("s1, replayed").doesNotContain("doom s1", "s1, a copy");
        assertThat(Shop.texts("settlements-dlq")).containsExactly("doom s1");
    }

    @Test
    @DisplayName("a binding of two destinations, that is stopped and started again")
    void stoppedAndStarted() {
        shop.send("returns", null, null, "return 1", "order-id", "r1");
        await().atMost(SOON).until(() -> shop.rows("reservation").contains("return 1"));
        BindingsLifecycleController bindings = shop.context.getBean(BindingsLifecycleController.class);
        bindings.changeState("reserve-in-0", BindingsLifecycleController.State.STOPPED);
        shop.send("returns", null, null, "return 1 again", "order-id", "r1");
        shop.send("returns", null, null, "return 2", "order-id", "r2");
        shop.send("returns", null, null, "return 2 again", "order-id", "r2");
        shop.send("returns", null, null, "return 3", "order-id", "r3");
        bindings.changeState("reserve-in-0", BindingsLifecycleController.State.STARTED);
        await().atMost(SOON).until(() -> shop.rows("reservation").contains("return 3"));
        assertThat(shop.rows("reservation"))
                .containsOnlyOnce("return 1", "return 2")
                .doesNotContain("return 1 again", "return 2 again");
    }

    @Test
    @DisplayName("the output of a function is sent once")
    void output() {
        shop.send("offers", 0, "o1", "o1");
        shop.send("offers", 0, "o1", "o1, a copy");
        shop.send("offers", 0, "o2", "o2");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Shop.texts("prices")).containsExactly("o1 costs 10", "o2 costs 10"));
    }
}
