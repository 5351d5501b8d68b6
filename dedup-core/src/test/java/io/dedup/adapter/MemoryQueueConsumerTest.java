package io.dedup.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dedup.Deduplicator;
import io.dedup.policy.OnMissingId;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MemoryQueueConsumerTest extends DeduplicatorTestBase {
    private final MemoryQueue queue = new MemoryQueue();
    private final Deduplicator dedup = deduplicator();
    private final List<String> effects = new ArrayList<>();

    private MemoryQueueConsumer consumer() {
        return new MemoryQueueConsumer(queue, TOPIC, dedup, (message, context) -> effects.add(message.body()));
    }

    private MemoryQueueConsumer failing(Throwable thrown) {
        return new MemoryQueueConsumer(queue, TOPIC, dedup, (message, context) -> {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (Exception) thrown;
        });
    }

    private void consumeAll(MemoryQueueConsumer consumer) {
        boolean more = true;
        while (more) {
            more = consumer.consumeOne();
        }
    }

    @Test
    void aMessageIsHandledOnceAndItsCopyIsAcknowledged() {
        queue.put("a", "first");
        queue.put("a", "copy");
        queue.put("b", "other");

        consumeAll(consumer());

        assertThat(effects).containsExactly("first", "other");
        assertThat(queue.unfinished()).isZero();
    }

    @Test
    @DisplayName(
            "a consumer that dies between the effect and the acknowledgment: its message is a duplicate when redelivered")
    void redelivered() {
        queue.put("a", "first");
        dedup.execute(key("a"), context -> effects.add("first"));
        queue.lease();
        queue.expireLeases();

        consumeAll(consumer());

        assertThat(effects).containsExactly("first");
        assertThat(queue.unfinished()).isZero();
    }

    @Test
    void aFailedMessageIsDeliveredAgainAndRuns() {
        queue.put("a", "first");
        assertThat(failing(new IOException("down")).consumeOne()).isTrue();
        assertThat(queue.unfinished()).isEqualTo(1);

        consumeAll(consumer());

        assertThat(effects).containsExactly("first");
        assertThat(queue.unfinished()).isZero();
    }

    @Test
    void aMessageThatAlwaysFailsIsDeadLettered() {
        queue.put("a", "first");

        consumeAll(failing(new IOException("always")));

        assertThat(queue.unfinished()).isZero();
        assertThat(queue.deadLetters()).isEqualTo(1);
    }

    @Test
    void whatAnotherConsumerHandlesIsDeferredAndNotCountedAsAFailure() {
        Delivery elsewhere = Delivery.of(dedup.topic(TOPIC), "a", null, () -> "elsewhere");
        Execution running = ((Admission.Run) DedupAdapter.of(dedup).admit(elsewhere, WaitBudget.none())).execution();
        queue.put("a", "first");

        assertThat(consumer().consumeOne()).isTrue();

        assertThat(queue.unfinished()).isEqualTo(1);
        assertThat(queue.lastDelay()).isPositive();
        running.giveBack();
        consumeAll(consumer());
        assertThat(effects).containsExactly("first");
    }

    @Test
    void nothingIsAcknowledgedWhileTheStoreDoesNotAnswer() {
        store.on(Op.CLAIM, Faults.down());
        queue.put("a", "first");

        assertThat(consumer().consumeOne()).isTrue();

        assertThat(effects).isEmpty();
        assertThat(queue.unfinished()).isEqualTo(1);
        store.heal();
        consumeAll(consumer());
        assertThat(effects).containsExactly("first");
    }

    @Test
    void aMessageWithoutAnIdGoesByThePolicy() {
        queue.put(null, "no ID");
        queue.put(" ", "blank");
        consumeAll(consumer());
        assertThat(queue.deadLetters()).isEqualTo(2);

        queue.put(null, "no ID");
        Deduplicator lenient = deduplicator(policy -> policy.onMissingId(OnMissingId.PROCESS));
        consumeAll(new MemoryQueueConsumer(queue, TOPIC, lenient, (message, context) -> effects.add(message.body())));
        assertThat(effects).containsExactly("no ID");
    }

    @Test
    void anErrorReachesTheConsumersThreadAndItsMessageIsDeliveredAgain() {
        queue.put("a", "first");

        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(() -> failing(new NoClassDefFoundError("x")).consumeOne());

        assertThat(queue.unfinished()).isEqualTo(1);
        assertThat(queue.lastDelay()).isEqualTo(Duration.ofMillis(100));
        consumeAll(consumer());
        assertThat(effects).containsExactly("first");
    }

    @Test
    void aFakeCannotBeAdapted() {
        Deduplicator fake = (Deduplicator) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Deduplicator.class}, (proxy, method, args) -> "fake");

        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> DedupAdapter.of(fake)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Deduplicators.builder(store)");
    }
}
