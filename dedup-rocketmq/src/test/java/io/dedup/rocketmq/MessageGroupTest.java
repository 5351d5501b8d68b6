package io.dedup.rocketmq;

import static io.dedup.rocketmq.PlayedBroker.corrupted;
import static io.dedup.rocketmq.PlayedBroker.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.doubles.EventRecorder;
import io.dedup.doubles.WatchedStore;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.DedupStore;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testkit.faults.StoreFault;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * R8: a message is claimed when it is the first of its message group, not before. Deliveries are played, so that each test
 * controls what is received together and in which order.
 */
class MessageGroupTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    /** Long enough for a test to act between a deferral and the next claim. */
    private static final Duration DEFERRED = Duration.ofSeconds(1);

    private final Deque<AutoCloseable> closing = new ArrayDeque<>();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();
    private final List<List<String>> batches = new CopyOnWriteArrayList<>();
    private final FaultyStore store = FaultyStore.around(Scene.memory());
    private final DedupStore watched = watched();
    private final AtomicInteger completing = new AtomicInteger();
    private final Set<String> failing = ConcurrentHashMap.newKeySet(); // by name
    private volatile CountDownLatch completions = new CountDownLatch(0);
    private final PlayedBroker broker = new PlayedBroker();

    @AfterEach
    void close() throws Exception {
        completions.countDown();
        gates.values().forEach(CountDownLatch::countDown);
        store.heal();
        while (!closing.isEmpty()) {
            closing.pop().close();
        }
        store.close();
    }

    /** Records the IDs of each call for claims. */
    private DedupStore watched() {
        WatchedStore watched = new WatchedStore(store);
        watched.before(
                "claim",
                requests -> batches.add(requests.stream()
                        .map(request -> ((ClaimRequest) request).key().messageId())
                        .toList()));
        watched.before("complete", requests -> {
            completing.incrementAndGet();
            completions.await();
        });
        return watched.store;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a handler thread goes on while successes are recorded together, or records its own first")
    void completions(boolean together) {
        completions = new CountDownLatch(1);
        loop(process(), broker, with -> with.concurrency(1).completeTogether(together));
        broker.deliver(message("a", "a", null), message("b", "b", null));
        awaitEvent("begin a");
        if (together) {
            awaitEvent("begin b");
        } else {
            await().until(() -> completing.get() == 1);
            assertThat(events).doesNotContain("begin b");
        }
        completions.countDown();
        awaitOrders("ack a", "ack b");
        assertThat(handled).containsExactly("a", "b");
    }

    private Deduplicator process(UnaryOperator<DedupPolicy.Builder> changes) {
        Deduplicator dedup = Deduplicators.builder(watched)
                .consumer("group")
                .shutdownTimeout(Duration.ZERO)
                .defaults(changes.apply(DedupPolicy.builder()
                                .lease(Duration.ofSeconds(3))
                                .maxProcessingTime(Duration.ofMinutes(5))
                                .inFlightWait(Duration.ZERO)
                                .maxDeferDelay(DEFERRED))
                        .build())
                .listener(new EventRecorder(events))
                .build();
        closing.push(dedup);
        return dedup;
    }

    private Deduplicator process() {
        return process(policy -> policy);
    }

    /** Another process runs this message until the test ends its run. */
    private Execution elsewhere(String id) {
        Deduplicator other = process();
        Admission admission = DedupAdapter.of(other)
                .admit(Delivery.of(other.topic("orders"), id, null, () -> "elsewhere"), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private static void ends(Execution elsewhere) {
        elsewhere.fail(new IllegalStateException("the other one failed"));
    }

    private SimpleConsumerLoop loop(
            Deduplicator dedup, PlayedBroker of, UnaryOperator<SimpleConsumerLoopBuilder> with) {
        return loop(RocketMqDedup.builder(dedup), of, with);
    }

    private SimpleConsumerLoop loop(
            RocketMqDedupBuilder builder, PlayedBroker of, UnaryOperator<SimpleConsumerLoopBuilder> with) {
        SimpleConsumerLoop loop = with.apply(builder.id(RocketMqMessageIds.property("id"))
                        .build()
                        .loop(of.consumer(), listener())
                        .concurrency(4)
                        .invisibleDuration(PlayedBroker.INVISIBLE)
                        .retryDelay(attempt -> Duration.ofSeconds(7))
                        .shutdownTimeout(Duration.ofSeconds(5)))
                .start();
        closing.push(loop);
        return loop;
    }

    private SimpleConsumerLoop loop(Deduplicator dedup) {
        return loop(dedup, broker, settings -> settings);
    }

    /** Handles a message as soon as its gate, if it has one, is open. */
    private MessageListener listener() {
        return message -> {
            String name = PlayedBroker.name(message);
            events.add("begin " + name);
            CountDownLatch gate = gates.get(name);
            if (gate != null) {
                awaitOpen(gate);
            }
            if (failing.contains(name)) {
                return ConsumeResult.FAILURE;
            }
            handled.add(name);
            return ConsumeResult.SUCCESS;
        };
    }

    private static void awaitOpen(CountDownLatch gate) {
        try {
            assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CountDownLatch gate(String name) {
        return gates.computeIfAbsent(name, of -> new CountDownLatch(1));
    }

    private void awaitEvent(String event) {
        await().until(() -> events.contains(event));
    }

    private void awaitOrders(String... orders) {
        await().untilAsserted(() -> assertThat(broker.orders).containsExactlyInAnyOrder(orders));
    }

    @Test
    @DisplayName(
            "R8 a copy behind its deferred first in one message group doesn't take the claim that the first waits for")
    void copyBehindItsFirst() {
        Execution elsewhere = elsewhere("x");
        loop(process());
        broker.deliver(message("first", "x", "one"));
        awaitEvent("deferred x");
        ends(elsewhere);
        broker.deliver(message("copy", "x", "one"), message("next", "y", "one"));
        awaitOrders("ack first", "ack copy", "ack next");
        assertThat(handled).containsExactly("first", "next");
        assertThat(events).contains("duplicate x");
    }

    @Test
    @DisplayName("R8 copies crosswise in two message groups of one loop")
    void crosswiseInTwoGroups() {
        Execution x = elsewhere("x");
        Execution y = elsewhere("y");
        loop(process());
        broker.deliver(message("x-one", "x", "one"), message("y-two", "y", "two"));
        awaitEvent("deferred x");
        awaitEvent("deferred y");
        ends(x);
        ends(y);
        broker.deliver(message("y-one", "y", "one"), message("x-two", "x", "two"));
        awaitOrders("ack x-one", "ack y-two", "ack y-one", "ack x-two");
        assertThat(handled).containsExactlyInAnyOrder("x-one", "y-two");
    }

    @Test
    @DisplayName("R8 copies crosswise in message groups of two processes")
    void crosswiseInTwoProcesses() {
        Execution x = elsewhere("x");
        Execution y = elsewhere("y");
        PlayedBroker second = new PlayedBroker();
        loop(process());
        loop(process(), second, settings -> settings);
        broker.deliver(message("x-one", "x", "one"));
        second.deliver(message("y-two", "y", "two"));
        awaitEvent("deferred x");
        awaitEvent("deferred y");
        ends(x);
        ends(y);
        broker.deliver(message("y-one", "y", "one"));
        second.deliver(message("x-two", "x", "two"));
        awaitOrders("ack x-one", "ack y-one");
        await().untilAsserted(() -> assertThat(second.orders).containsExactlyInAnyOrder("ack y-two", "ack x-two"));
        assertThat(handled).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("R8 what waits for its turn holds no claim, is kept invisible, and is claimed and handled at its turn")
    void waitsWithoutAClaim() {
        Deduplicator dedup = process();
        gate("a");
        loop(dedup);
        broker.deliver(message("a", "a", "one"), message("b", "b", "one"), message("c", "c", "one"));
        await().until(() -> broker.kept.stream().filter("b"::equals).count() >= 2
                && broker.kept.stream().filter("c"::equals).count() >= 2);
        assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);
        assertThat(broker.orders).isEmpty();
        gate("a").countDown();
        awaitOrders("ack a", "ack b", "ack c");
        assertThat(handled).containsExactly("a", "b", "c");
        assertThat(batches).containsExactly(List.of("a"), List.of("b"), List.of("c"));
    }

    @Test
    @DisplayName("R8 one call claims the first message of every group and every message without one")
    void oneTripForAllFirsts() {
        loop(process());
        broker.deliver(
                message("a1", "a1", "one"),
                message("a2", "a2", "one"),
                message("b1", "b1", "two"),
                message("u1", "u1", null),
                message("b2", "b2", "two"),
                message("u2", "u2", null));
        awaitOrders("ack a1", "ack a2", "ack b1", "ack b2", "ack u1", "ack u2");
        assertThat(batches.get(0)).containsExactly("a1", "b1", "u1", "u2");
        assertThat(handled).containsSubsequence("a1", "a2").containsSubsequence("b1", "b2");
    }

    @Test
    @DisplayName("R8 groups whose turns come while the store is busy are claimed with one call")
    void turnsThatComeTogether() {
        List<String> groups = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        groups.forEach(this::gate);
        loop(process(), broker, settings -> settings.concurrency(groups.size()));
        broker.deliver(
                groups.stream().map(group -> message(group, group, group)).toArray(MessageView[]::new));
        broker.deliver(groups.stream()
                .map(group -> message(group + "2", group + "2", group))
                .toArray(MessageView[]::new));
        groups.forEach(group -> awaitEvent("begin " + group));
        store.inject(StoreFault.slow(Duration.ofMillis(300)));
        gates.values().forEach(CountDownLatch::countDown);
        await().until(() -> handled.size() == 2 * groups.size());
        assertThat(batches).hasSizeLessThan(1 + groups.size());
    }

    @Test
    @DisplayName("R8 a message group that stands still holds up neither other groups nor messages without one")
    void othersGoOn() {
        Execution elsewhere = elsewhere("x");
        loop(process());
        broker.deliver(message("x", "x", "one"), message("behind", "y", "one"));
        awaitEvent("deferred x");
        broker.deliver(message("u", "u", null), message("z", "z", "two"), message("y-two", "y", "two"));
        awaitOrders("ack u", "ack z", "ack y-two");
        ends(elsewhere);
        awaitOrders("ack u", "ack z", "ack y-two", "ack x", "ack behind");
        assertThat(handled).doesNotContain("behind").contains("x");
    }

    @Test
    @DisplayName(
            "R8 a first that is deferred longer than maxWait goes back with what waits behind it; nothing is acked")
    void deferredTooLong() {
        Execution elsewhere = elsewhere("x");
        Deduplicator dedup = process();
        SimpleConsumerLoop loop =
                loop(RocketMqDedup.builder(dedup).maxWait(Duration.ofMillis(100)), broker, settings -> settings);
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"));
        awaitOrders("back x PT3S", "back y PT3S"); // a lease's length
        assertThat(loop.openMessages()).isZero();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        ends(elsewhere);
        broker.deliver(message("x again", "x", "one"), message("y again", "y", "one"));
        awaitOrders("back x PT3S", "back y PT3S", "ack x again", "ack y again");
        assertThat(handled).containsExactly("x again", "y again");
    }

    @Test
    @DisplayName("R8 the time in its message group doesn't count as a wait for a message in flight elsewhere")
    void waitsFromItsTurn() {
        Execution elsewhere = elsewhere("y");
        gate("x");
        loop(RocketMqDedup.builder(process()).maxWait(Duration.ofSeconds(5)), broker, settings -> settings);
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"));
        await().until(() -> broker.kept.stream().filter("y"::equals).count() >= 6); // nearly 6 s
        gate("x").countDown();
        awaitEvent("deferred y");
        ends(elsewhere);
        awaitOrders("ack x", "ack y");
        assertThat(handled).containsExactly("x", "y");
    }

    @Test
    @DisplayName("R8 a first that the broker gives to another consumer goes back with what waits behind it")
    void firstIsGone() {
        Execution elsewhere = elsewhere("x");
        Deduplicator dedup = process();
        SimpleConsumerLoop loop = loop(dedup);
        broker.refuseToKeep("x");
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"));
        awaitOrders("back x PT1S", "back y PT1S");
        assertThat(loop.openMessages()).isZero();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        ends(elsewhere);
    }

    @Test
    @DisplayName(
            "R8 a waiting message that the broker gives to another consumer goes back with what waits behind it alone")
    void waitingIsGone() {
        gate("x");
        SimpleConsumerLoop loop = loop(process());
        broker.refuseToKeep("y");
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"), message("z", "z", "one"));
        awaitOrders("back y PT1S", "back z PT1S");
        gate("x").countDown();
        awaitOrders("back y PT1S", "back z PT1S", "ack x");
        assertThat(handled).containsExactly("x");
        assertThat(loop.openMessages()).isZero();
    }

    @Test
    @DisplayName("R6, R8 a corrupted message fails at its turn, with what waits behind it")
    void corruptedInAGroup() {
        gate("x");
        Deduplicator dedup = process();
        loop(dedup);
        broker.deliver(message("x", "x", "one"), corrupted("broken", "y", "one"), message("z", "z", "one"));
        awaitEvent("begin x");
        gate("x").countDown();
        awaitOrders("ack x", "back broken PT7S", "back z PT7S");
        assertThat(handled).containsExactly("x");
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    @DisplayName("R8 a handler that hangs longer than maxProcessingTime: what waits goes back, and its group goes on")
    void hangs() {
        gate("x");
        loop(process(policy -> policy.lease(Duration.ofMillis(500)).maxProcessingTime(Duration.ofMillis(500))));
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"), message("z", "z", "one"));
        awaitOrders("back y PT1S", "back z PT1S");
        broker.deliver(message("y again", "y", "one"), message("z again", "z", "one"));
        awaitOrders("back y PT1S", "back z PT1S", "ack y again", "ack z again");
        assertThat(handled).containsExactly("y again", "z again");
    }

    @Test
    @DisplayName("R8 close lets go of what waits for its turn, without an ack; what runs is finished and acked")
    void closeWithWaiting() {
        gate("x");
        Deduplicator dedup = process();
        SimpleConsumerLoop loop = loop(dedup);
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"), message("z", "z", "one"));
        awaitEvent("begin x");
        Thread closer = new Thread(loop::close);
        closer.start();
        awaitOrders("back y PT1S", "back z PT1S");
        gate("x").countDown();
        awaitOrders("back y PT1S", "back z PT1S", "ack x");
        await().until(() -> !closer.isAlive());
        assertThat(handled).containsExactly("x");
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(batches).containsExactly(List.of("x"));
    }

    @Test
    @DisplayName("R8 close lets go of a first that is deferred, and of what waits behind it")
    void closeWithADeferredFirst() {
        Execution elsewhere = elsewhere("x");
        SimpleConsumerLoop loop = loop(process());
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"));
        awaitEvent("deferred x");
        loop.close();
        assertThat(broker.orders).containsExactlyInAnyOrder("back x PT1S", "back y PT1S");
        assertThat(loop.openMessages()).isZero();
        ends(elsewhere);
    }

    @Test
    @DisplayName("R8 a store that is down at a message's turn: it waits, with what is behind it, and spends no attempt")
    void storeDownAtTheTurn() {
        gate("x");
        loop(process());
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"), message("z", "z", "one"));
        awaitEvent("begin x");
        store.inject(StoreFault.before(StoreFault.Operation.CLAIM));
        gate("x").countDown();
        awaitEvent("deferred y");
        store.heal();
        awaitOrders("ack x", "ack y", "ack z");
        assertThat(handled).containsExactly("x", "y", "z");
    }

    @Test
    @DisplayName("R8 after a crash the whole batch runs one by one, also what waits in a message group, in order")
    void afterACrash() {
        Deduplicator dedup = afterADeathWith("a");
        gate("a");
        loop(dedup);
        broker.deliver(
                message("a", "a", "one"),
                message("b", "b", "one"),
                message("u", "u", null),
                message("a copy", "a", "two"),
                message("c", "c", "two"));
        awaitEvent("begin a");
        assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);
        gate("a").countDown();
        awaitOrders("ack a", "ack b", "ack u", "ack a copy", "ack c");
        assertThat(handled).containsExactly("a", "b", "u", "c");
    }

    /** Another process died with this message. */
    private Deduplicator afterADeathWith(String id) {
        Deduplicator dead =
                process(policy -> policy.lease(Duration.ofMillis(100)).maxDeaths(3));
        DedupAdapter.of(dead).admit(Delivery.of(dead.topic("orders"), id, null, () -> "elsewhere"), WaitBudget.none());
        dead.close();
        Deduplicator dedup = process(policy -> policy.maxDeaths(3));
        await().until(() -> watched.find(dedup.key("orders", id))
                .map(record -> record.leaseRemaining().isZero())
                .orElse(false));
        return dedup;
    }

    /** Another process gets this message, although one has it. */
    private Execution taken(String id, Deduplicator from) {
        store.forget(from.key("orders", id), LiveLease.OVERRIDE);
        return elsewhere(id);
    }

    private static void awaitMaxWait(long since) {
        await().until(() -> System.nanoTime() - since > MAX_WAIT.toNanos());
    }

    @Test
    @DisplayName("R5 maxWait begins anew when a claim is lost: a long run was no wait for the consumer that has it now")
    void maxWaitAfterALongRun() {
        Deduplicator dedup = process();
        gate("x");
        failing.add("x");
        loop(RocketMqDedup.builder(dedup).maxWait(MAX_WAIT), broker, settings -> settings);
        broker.deliver(message("x", "x", "one"), message("y", "y", "one"));
        awaitEvent("begin x");
        long begun = System.nanoTime();
        Execution elsewhere = taken("x", dedup);
        awaitMaxWait(begun);
        gate("x").countDown();
        await().until(() ->
                events.stream().filter("deferred x"::equals).count() >= 2); // the failed run, and the next claim
        elsewhere.succeed(null, WaitBudget.none());
        awaitOrders("ack x", "ack y");
        assertThat(handled).containsExactly("y");
    }

    @Test
    @DisplayName("R5 maxWait begins anew when a claim is lost: a wait before it, and for a thread, was another one")
    void maxWaitAfterAWaitForAThread() {
        Deduplicator dedup = process();
        gate("a");
        loop(RocketMqDedup.builder(dedup).maxWait(MAX_WAIT), broker, with -> with.concurrency(1));
        Execution first = elsewhere("x");
        broker.deliver(message("a", "a", null));
        awaitEvent("begin a");
        broker.deliver(message("x", "x", null));
        awaitEvent("deferred x");
        long deferred = System.nanoTime();
        ends(first);
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 2);
        Execution second = taken("x", dedup);
        awaitEvent("lost x");
        awaitMaxWait(deferred);
        events.removeIf("deferred x"::equals);
        gate("a").countDown();
        awaitEvent("deferred x");
        second.succeed(null, WaitBudget.none());
        awaitOrders("ack a", "ack x");
        assertThat(handled).containsExactly("a");
    }

    @Test
    @DisplayName("R8 after a crash a first that is deferred holds up its own message group only")
    void afterACrashWithADeferredFirst() {
        Execution elsewhere = elsewhere("x");
        loop(afterADeathWith("a"));
        broker.deliver(
                message("a", "a", null), message("x", "x", "one"), message("y", "y", "one"), message("u", "u", null));
        awaitOrders("ack a", "ack u");
        ends(elsewhere);
        awaitOrders("ack a", "ack u", "ack x", "ack y");
        assertThat(handled).containsExactly("a", "u", "x", "y");
    }

    @Test
    @DisplayName("R8 after a crash a message that lost its claim and failed holds up its own message group only")
    void afterACrashWithALostClaim() {
        Deduplicator dedup = afterADeathWith("a");
        gate("a");
        failing.add("a");
        loop(dedup);
        broker.deliver(message("a", "a", "one"), message("b", "b", "one"), message("u", "u", null));
        awaitEvent("begin a");
        Execution elsewhere = taken("a", dedup);
        gate("a").countDown();
        awaitOrders("ack u");
        elsewhere.succeed(null, WaitBudget.none());
        awaitOrders("ack a", "ack b", "ack u");
        assertThat(handled).containsExactly("u", "b");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    @DisplayName("T11 after a crash with many claims every message is handled, each claimed by the thread that runs it")
    void afterACrashWithManyClaims(int concurrency) {
        List<String> ids = IntStream.range(0, 12).mapToObj(i -> "m" + i).toList();
        Deduplicator dead =
                process(policy -> policy.lease(Duration.ofMillis(100)).maxDeaths(1));
        DedupAdapter.of(dead)
                .admitAll(
                        ids.stream()
                                .map(id -> Delivery.of(dead.topic("orders"), id, null, () -> "elsewhere"))
                                .toList(),
                        WaitBudget.none());
        dead.close();
        Deduplicator dedup = process(policy -> policy.maxDeaths(1));
        await().until(() -> ids.stream()
                .allMatch(id -> watched.find(dedup.key("orders", id))
                        .orElseThrow()
                        .leaseRemaining()
                        .isZero()));
        gate("m0");
        gate("m6");
        loop(dedup, broker, with -> with.concurrency(concurrency));
        broker.deliver(
                ids.subList(0, 6).stream().map(id -> message(id, id, null)).toArray(MessageView[]::new));
        awaitEvent("begin m0");
        broker.deliver(
                ids.subList(6, 12).stream().map(id -> message(id, id, null)).toArray(MessageView[]::new));
        if (concurrency > 1) {
            awaitEvent("begin m6");
        }
        // What is claimed has begun: claims that wait for a thread would be charged if this process died now. A poll's
        // claims are made
        // together first, and all but what begins are given back.
        await().untilAsserted(
                        () -> assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(concurrency == 1 ? 1 : 2));
        gate("m0").countDown();
        gate("m6").countDown();
        awaitOrders(ids.stream().map(id -> "ack " + id).toArray(String[]::new));
        assertThat(handled).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    @DisplayName("R8 in shadow mode every message of a group runs, in order, also copies")
    void shadow() {
        Execution elsewhere = elsewhere("x");
        loop(process(policy -> policy.shadow(true)));
        broker.deliver(message("x", "x", "one"), message("copy", "x", "one"), message("y", "y", "one"));
        awaitOrders("ack x", "ack copy", "ack y");
        assertThat(handled).containsExactly("x", "copy", "y");
        ends(elsewhere);
    }
}
