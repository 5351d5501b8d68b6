package io.dedup.rocketmq.internal.open;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.policy.DedupPolicy;
import io.dedup.rocketmq.PlayedBroker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OpenMessagesTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final OpenMessages open = new OpenMessages(4, 1);

    private static OpenMessage message(String id) {
        DedupTopic topic = new DedupTopic(
                DedupScope.of("payments", "orders"), DedupPolicy.builder().build());
        return new OpenMessage(
                PlayedBroker.message(id, id, "group"), Delivery.of(topic, id, null, () -> "message " + id));
    }

    private Execution execution() {
        return execution(false);
    }

    private Execution execution(boolean transactional) {
        return (Execution) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Execution.class}, (self, method, arguments) -> {
                    calls.add(method.getName());
                    return method.getName().equals("isTransactional") ? transactional : null;
                });
    }

    private static Stream<Named<BiConsumer<OpenMessages, OpenMessage>>> ends() {
        return Stream.of(
                Named.of("close", OpenMessages::close),
                Named.of("closeFailed", OpenMessages::closeFailed),
                Named.of("closeUnhandled", OpenMessages::closeUnhandled),
                Named.of("stop", (messages, message) -> messages.stop()),
                Named.of("heldUpByOverdue", (messages, message) -> messages.heldUpByOverdue(System.nanoTime())));
    }

    @ParameterizedTest
    @MethodSource("ends")
    @DisplayName("claims are given back by who has closed a message: the store isn't asked under the lock")
    void callsNobody(BiConsumer<OpenMessages, OpenMessage> end) {
        OpenMessage claimed = message("a");
        OpenMessage behind = message("b");
        assertThat(open.add(List.of(claimed, behind))).hasValue(List.of(claimed));
        assertThat(open.claimed(claimed, execution())).isTrue();

        end.accept(open, claimed);

        assertThat(calls).isSubsetOf("isTransactional"); // which it knows from its policy
    }

    @Test
    @DisplayName("messages are received one at a time only while one of a message group is about to be redelivered")
    void oneAtATime() {
        List<OpenMessage> returned = List.of(message("a"));
        open.returned(returned, Duration.ofMinutes(10));
        assertThat(open.awaitRoom()).isEqualTo(4);
        open.returned(returned, Duration.ofSeconds(1));
        assertThat(open.awaitRoom()).isEqualTo(1);
    }

    private void waits(OpenMessage message) {
        assertThat(open.hold(message, Duration.ofMinutes(1))).isTrue();
        await().until(() -> message.waited().toNanos() > 0);
    }

    @Test
    @DisplayName("a wait for another consumer ends with one for the store, and with the message's first transaction")
    void endsOfAWait() {
        OpenMessage message = message("a");
        open.add(List.of(message));
        waits(message);
        open.storeFailed(message);
        assertThat(message.waited()).isZero();

        waits(message);
        open.claimed(message, execution(true));
        open.begunInTransaction(message);
        assertThat(message.waited()).isZero();

        open.undecidedAgain(message);
        waits(message);
        open.claimed(message, execution(true));
        open.begunInTransaction(message);
        assertThat(message.waited()).isPositive(); // else a commit that always fails would never be returned
    }

    @Test
    @DisplayName(
            "after a crash, a message whose transaction is being opened is waited for, although it was held before")
    void endOfAClaimedMessage() throws InterruptedException {
        OpenMessage message = message("a");
        open.add(List.of(message));
        waits(message);
        open.claimed(message, execution(true));
        Thread isolating = new Thread(() -> open.awaitEnd(message));
        isolating.start();
        await().until(() -> isolating.getState() == Thread.State.TIMED_WAITING);
        open.close(message);
        isolating.join();
    }
}
