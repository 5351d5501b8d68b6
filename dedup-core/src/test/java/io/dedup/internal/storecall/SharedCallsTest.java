package io.dedup.internal.storecall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.internal.storecall.SharedCalls.Limits;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Call;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedCallsTest {
    /** One call at a time, which others wait for. */
    private static final Limits ONE = new Limits(1, 1, Duration.ofMinutes(1));

    private static final Duration LEASE = Duration.ofMinutes(5);

    private final FaultyStore store = new FaultyStore(new InMemoryDedupStore());
    /** The first call of an operation waits for it, and has the store to itself meanwhile. */
    private final CountDownLatch firstMayEnd = new CountDownLatch(1);

    private final List<Caller<?>> callers = new ArrayList<>();

    /** A thread with one request. */
    private static final class Caller<A> {
        final FutureTask<A> task;
        final Thread thread;
        final AtomicReference<Boolean> interrupted = new AtomicReference<>(false);

        Caller(Supplier<A> call) {
            task = new FutureTask<>(() -> {
                A answer = call.get();
                interrupted.set(Thread.currentThread().isInterrupted());
                return answer;
            });
            thread = new Thread(task, "caller");
            thread.setDaemon(true);
            thread.start();
        }

        A answer() throws Exception {
            return task.get(30, TimeUnit.SECONDS);
        }

        void awaitParked() {
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> thread.getState() == Thread.State.WAITING
                            || thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    @AfterEach
    void letAllEnd() throws InterruptedException {
        firstMayEnd.countDown();
        for (Caller<?> each : callers) {
            each.thread.join(10_000);
        }
    }

    private SharedCalls sharing(Limits limits) {
        return new SharedCalls(store::claim, store::complete, limits);
    }

    private static DedupKey key(String id) {
        return DedupScope.of("billing", "orders").key(id);
    }

    private static ClaimRequest request(String id) {
        return new ClaimRequest(key(id), new Owner("of-" + id), LEASE);
    }

    private Caller<ClaimResult> claim(SharedCalls shared, ClaimRequest request) {
        Caller<ClaimResult> caller =
                new Caller<>(() -> shared.claim(List.of(request)).get(0));
        callers.add(caller);
        return caller;
    }

    private Caller<ClaimResult> claim(SharedCalls shared, String id) {
        return claim(shared, request(id));
    }

    private Caller<WriteResult> complete(SharedCalls shared, String id) {
        CompleteRequest request = completion(id, null);
        Caller<WriteResult> caller =
                new Caller<>(() -> shared.complete(List.of(request)).get(0));
        callers.add(caller);
        return caller;
    }

    private static CompleteRequest completion(String id, byte[] result) {
        return new CompleteRequest(
                new Claim(key(id), new Owner("of-" + id), 1), Window.of(Duration.ofDays(1)), result, false);
    }

    /** Starts a call that the others have to wait for. */
    private Caller<ClaimResult> firstCall(SharedCalls shared) {
        AtomicInteger calls = new AtomicInteger();
        store.on(Op.CLAIM, (call, real) -> {
            if (calls.getAndIncrement() == 0) {
                awaitQuietly(firstMayEnd);
            }
            return real.apply(call.requests());
        });
        Caller<ClaimResult> first = claim(shared, "first");
        await().until(() -> calls.get() == 1);
        return first;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static <A> List<Caller<A>> waiting(List<Caller<A>> all) {
        all.forEach(Caller::awaitParked);
        return all;
    }

    private List<Integer> sizes(Op op) {
        return store.calls(op).stream().map(call -> call.requests().size()).toList();
    }

    private static boolean isAcquired(ClaimResult answer) {
        return answer instanceof ClaimResult.Acquired;
    }

    @Test
    @DisplayName("up to the limit, each request has a call of its own, at once")
    void alone() throws Exception {
        SharedCalls shared = sharing(new Limits(3, 1, Duration.ofMinutes(1)));
        CountDownLatch all = new CountDownLatch(3);
        store.on(Op.CLAIM, (call, real) -> {
            all.countDown();
            awaitQuietly(all); // ends only if three calls are under way
            return real.apply(call.requests());
        });
        List<Caller<ClaimResult>> three = List.of(claim(shared, "a"), claim(shared, "b"), claim(shared, "c"));

        for (Caller<ClaimResult> each : three) {
            assertThat(each.answer()).matches(SharedCallsTest::isAcquired);
        }
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 1, 1);
    }

    @Test
    @DisplayName("what waits goes with the next call, and each caller gets its own answer")
    void together() throws Exception {
        store.intact().claim(List.of(new ClaimRequest(key("b"), new Owner("another"), LEASE)));
        SharedCalls shared = sharing(ONE);
        Caller<ClaimResult> first = firstCall(shared);
        List<Caller<ClaimResult>> three = waiting(List.of(claim(shared, "a"), claim(shared, "b"), claim(shared, "c")));

        firstMayEnd.countDown();

        assertThat(first.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(three.get(0).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(three.get(1).answer()).isInstanceOf(ClaimResult.InFlight.class);
        assertThat(three.get(2).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 3);
    }

    @Test
    @DisplayName("the thread whose call has ended makes no call for others")
    void onesOwnThread() throws Exception {
        AtomicReference<Thread> secondCall = new AtomicReference<>();
        SharedCalls shared = sharing(ONE);
        Caller<ClaimResult> first = firstCall(shared);
        Caller<ClaimResult> second = claim(shared, "second");
        second.awaitParked();
        store.on(Op.CLAIM, (call, real) -> {
            secondCall.set(Thread.currentThread());
            return real.apply(call.requests());
        });

        firstMayEnd.countDown();

        first.answer();
        second.answer();
        assertThat(secondCall).hasValue(second.thread);
    }

    @Test
    @DisplayName("claims and completions don't share a call, but wait for one another")
    void operations() throws Exception {
        store.intact().claim(List.of(request("done")));
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        Caller<ClaimResult> claim = claim(shared, "a");
        claim.awaitParked();
        Caller<WriteResult> completion = complete(shared, "done");
        completion.awaitParked();

        firstMayEnd.countDown();

        assertThat(claim.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(completion.answer()).isEqualTo(WriteResult.applied());
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 1);
        assertThat(sizes(Op.COMPLETE)).containsExactly(1);
    }

    @Test
    @DisplayName("two claims of one message are decided one after the other")
    void sameMessage() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        Caller<ClaimResult> one = claim(shared, new ClaimRequest(key("same"), new Owner("one"), LEASE));
        one.awaitParked();
        Caller<ClaimResult> other = claim(shared, new ClaimRequest(key("same"), new Owner("other"), LEASE));
        other.awaitParked();
        Caller<ClaimResult> another = claim(shared, "another");
        another.awaitParked();

        firstMayEnd.countDown();

        assertThat(one.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(other.answer()).isInstanceOf(ClaimResult.InFlight.class);
        assertThat(another.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 2, 1);
    }

    @Test
    @DisplayName("who is interrupted before the request was sent calls alone, interrupted, as without sharing")
    void interruptedWhileWaiting() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        Caller<ClaimResult> interrupted = claim(shared, "interrupted");
        List<Caller<ClaimResult>> others = waiting(List.of(interrupted, claim(shared, "a"), claim(shared, "b")));

        interrupted.thread.interrupt();

        assertThat(interrupted.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(interrupted.interrupted).hasValue(true);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 1);
        firstMayEnd.countDown();
        assertThat(others.get(1).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(others.get(2).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 1, 2);
    }

    @Test
    @DisplayName("who is interrupted after the request was sent gets no answer, and the others theirs")
    void interruptedAfterSending() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> both = waiting(List.of(claim(shared, "a"), claim(shared, "b")));
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicReference<Thread> calling = new AtomicReference<>();
        store.on(Op.CLAIM, (call, real) -> {
            calling.set(Thread.currentThread());
            sent.countDown();
            awaitQuietly(mayEnd);
            return real.apply(call.requests());
        });
        firstMayEnd.countDown();
        sent.await();
        Caller<ClaimResult> caller = calling.get() == both.get(0).thread ? both.get(0) : both.get(1);
        Caller<ClaimResult> follower = calling.get() == both.get(0).thread ? both.get(1) : both.get(0);

        follower.thread.interrupt();

        assertThat(follower.answer()).isInstanceOf(ClaimResult.StoreError.class);
        assertThat(follower.interrupted).hasValue(true);
        mayEnd.countDown();
        assertThat(caller.answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 2);
    }

    @Test
    @DisplayName("an interrupt of the thread that calls fails its own request only")
    void callingThreadIsInterrupted() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> both = waiting(List.of(claim(shared, "a"), claim(shared, "b")));
        AtomicReference<Thread> calling = new AtomicReference<>();
        store.on(Op.CLAIM, (call, real) -> {
            if (call.requests().size() == 2) { // as Redis does: the wait for the answer ends
                calling.set(Thread.currentThread());
                Thread.currentThread().interrupt();
                throw new DedupStoreException("interrupted", null);
            }
            return real.apply(call.requests());
        });
        firstMayEnd.countDown();

        Caller<ClaimResult> other = null;
        for (Caller<ClaimResult> each : both) {
            ClaimResult answer = each.answer();
            if (each.thread == calling.get()) {
                assertThat(answer).isInstanceOf(ClaimResult.StoreError.class);
                assertThat(each.interrupted).hasValue(true);
            } else {
                assertThat(answer).matches(SharedCallsTest::isAcquired);
                other = each;
            }
        }
        assertThat(other).isNotNull();
        assertThat(other.interrupted).hasValue(false);
    }

    @Test
    @DisplayName("a request that makes its call fail fails alone")
    void oneFails() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> all =
                waiting(List.of(claim(shared, "a"), claim(shared, "hostile"), claim(shared, "c")));
        store.on(Op.CLAIM, (call, real) -> {
            if (call.keys().contains(key("hostile"))) {
                throw new DedupStoreException("refused", null);
            }
            return real.apply(call.requests());
        });

        firstMayEnd.countDown();

        assertThat(all.get(0).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(all.get(2).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(failureOf(all.get(1))).hasMessage("refused");
    }

    private static Throwable failureOf(Caller<ClaimResult> caller) throws Exception {
        try {
            ClaimResult answer = caller.answer();
            return ((ClaimResult.StoreError) answer).cause();
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    @Test
    @DisplayName("a request without an answer among others is sent again, and the others aren't")
    void oneUnanswered() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> all =
                waiting(List.of(claim(shared, "a"), claim(shared, "locked"), claim(shared, "c")));
        store.on(Op.CLAIM, Faults.forKeys(key("locked")::equals));

        firstMayEnd.countDown();

        assertThat(all.get(0).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(failureOf(all.get(1))).hasMessage("no answer for this key");
        assertThat(all.get(2).answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 3, 1);
    }

    /** What more than one request shares is applied, and not answered. */
    private void sharedAnswersAreLost(Op op) {
        store.on(op, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            if (call.requests().size() > 1) {
                throw new DedupStoreException("connection lost", null);
            }
            return answers;
        });
    }

    @Test
    @DisplayName("a claim whose answer was lost keeps its owner and its attempt")
    void answerLost() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> both = waiting(List.of(claim(shared, "a"), claim(shared, "b")));
        sharedAnswersAreLost(Op.CLAIM);

        firstMayEnd.countDown();

        for (Caller<ClaimResult> each : both) {
            assertThat(each.answer())
                    .isInstanceOfSatisfying(
                            ClaimResult.Acquired.class,
                            acquired -> assertThat(acquired.attempt()).isEqualTo(1));
        }
    }

    @Test
    @DisplayName("a completion whose answer was lost is applied, not a lost lease")
    void completionLost() throws Exception {
        store.intact().claim(List.of(request("a"), request("b")));
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<WriteResult>> both = waiting(List.of(complete(shared, "a"), complete(shared, "b")));
        sharedAnswersAreLost(Op.COMPLETE);

        firstMayEnd.countDown();

        for (Caller<WriteResult> each : both) {
            assertThat(each.answer()).isEqualTo(WriteResult.applied());
        }
        assertThat(sizes(Op.COMPLETE)).containsExactly(2, 1, 1);
    }

    @Test
    @DisplayName("a call that failed after a timeout isn't repeated, and each caller has an exception of its own")
    void timeout() throws Exception {
        SharedCalls shared = sharing(new Limits(1, 1, Duration.ofSeconds(2)));
        firstCall(shared);
        List<Caller<ClaimResult>> both = waiting(List.of(claim(shared, "a"), claim(shared, "b")));
        DedupStoreException timeout = new DedupStoreException("timeout", null);
        store.on(Op.CLAIM, (call, real) -> {
            long since = System.nanoTime();
            await().atMost(20, TimeUnit.SECONDS)
                    .until(() ->
                            System.nanoTime() - since > Duration.ofSeconds(2).toNanos());
            throw timeout;
        });

        firstMayEnd.countDown();

        Set<Throwable> causes = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Caller<ClaimResult> each : both) {
            Throwable failure = failureOf(each);
            assertThat(failure).hasMessageContaining("timeout").hasCause(timeout);
            causes.add(failure);
        }
        assertThat(causes).hasSize(2);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 2);
    }

    @Test
    @DisplayName("who has waited for too long calls alone: calls that hang delay nobody for longer")
    void patience() throws Exception {
        SharedCalls shared = sharing(new Limits(1, 1, Duration.ofMillis(1)));
        firstCall(shared);

        assertThat(claim(shared, "a").answer()).matches(SharedCallsTest::isAcquired);
        assertThat(claim(shared, "b").answer()).matches(SharedCallsTest::isAcquired);
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 1, 1);
    }

    @Test
    @DisplayName("while the store fails, nobody waits")
    void whileTheStoreFails() throws Exception {
        SharedCalls shared = sharing(new Limits(2, 2, Duration.ofMinutes(1)));
        firstCall(shared);
        store.on(Op.CLAIM, (call, real) -> {
            throw new DedupStoreException("down", null);
        });
        assertThat(failureOf(claim(shared, "fails"))).hasMessage("down");
        CountDownLatch three = new CountDownLatch(3);
        store.on(Op.CLAIM, (call, real) -> {
            three.countDown();
            awaitQuietly(three); // ends only if three more calls are under way
            return real.apply(call.requests());
        });

        for (Caller<ClaimResult> each : List.of(claim(shared, "a"), claim(shared, "b"), claim(shared, "c"))) {
            assertThat(each.answer()).matches(SharedCallsTest::isAcquired);
        }
    }

    @Test
    @DisplayName("an Error in a shared call, or answers that belong to nobody, leave no caller waiting")
    void errors() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> all = waiting(List.of(claim(shared, "a"), claim(shared, "b"), claim(shared, "c")));
        AtomicInteger together = new AtomicInteger();
        store.on(Op.CLAIM, (call, real) -> {
            if (call.requests().size() > 1) {
                together.incrementAndGet();
                throw new StackOverflowError();
            }
            return real.apply(call.requests());
        });

        firstMayEnd.countDown();

        for (Caller<ClaimResult> each : all) {
            assertThat(each.answer()).matches(SharedCallsTest::isAcquired);
        }
        assertThat(together).hasValue(1);
    }

    @Test
    @DisplayName("a store that returns too few answers is asked again, request by request")
    void tooFewAnswers() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> all = waiting(List.of(claim(shared, "a"), claim(shared, "b"), claim(shared, "c")));
        store.on(Op.CLAIM, (call, real) -> real.apply(call.requests()).subList(0, 1));

        firstMayEnd.countDown();

        for (Caller<ClaimResult> each : all) {
            assertThat(each.answer()).matches(SharedCallsTest::isAcquired);
        }
        assertThat(sizes(Op.CLAIM)).containsExactly(1, 3, 1, 1, 1);
    }

    @Test
    @DisplayName("a call has a limited number of requests")
    void limited() throws Exception {
        SharedCalls shared = sharing(ONE);
        firstCall(shared);
        List<Caller<ClaimResult>> all = new ArrayList<>();
        for (int i = 0; i < CallLanes.MAX_REQUESTS + 20; i++) {
            all.add(claim(shared, "m" + i));
        }
        waiting(all);

        firstMayEnd.countDown();

        for (Caller<ClaimResult> each : all) {
            assertThat(each.answer()).matches(SharedCallsTest::isAcquired);
        }
        assertThat(sizes(Op.CLAIM))
                .allMatch(size -> size <= CallLanes.MAX_REQUESTS)
                .contains(CallLanes.MAX_REQUESTS);
    }

    @Test
    @DisplayName("batches and large results wait for nobody")
    void goStraight() throws Exception {
        store.intact().claim(List.of(request("large")));
        SharedCalls shared = sharing(ONE);
        firstCall(shared);

        assertThat(shared.claim(List.of(request("a"), request("b")))).allMatch(SharedCallsTest::isAcquired);
        assertThat(shared.claim(List.of())).isEmpty();
        byte[] result = new byte[SharedCalls.MAX_RESULT_BYTES + 1];
        assertThat(shared.complete(List.of(completion("large", result)))).containsExactly(WriteResult.applied());
    }

    @Test
    @DisplayName(
            "32 threads, a store that fails before and after it has written: one claim of each message, one completion")
    void race() throws Exception {
        SharedCalls shared = sharing(new Limits(2, 2, Duration.ofMillis(1)));
        AtomicInteger calls = new AtomicInteger();
        store.on(Op.CLAIM, (call, real) -> flaky(calls.getAndIncrement(), call, real));
        store.on(Op.COMPLETE, (call, real) -> flaky(calls.getAndIncrement(), call, real));
        int round = 0;
        do { // on a busy machine, all requests of a round may have lost their patience
            race(shared, "round " + round++ + ", m");
        } while (sizes(Op.CLAIM).stream().noneMatch(size -> size > 1));
    }

    private void race(SharedCalls shared, String message) throws Exception {
        int threads = 32;
        int messages = 300;
        List<AtomicInteger> completed = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            completed.add(new AtomicInteger());
        }
        AtomicInteger owners = new AtomicInteger();
        List<Caller<Boolean>> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            Caller<Boolean> caller = new Caller<>(() -> {
                for (int i = 0; i < messages; i++) {
                    int number = (i + thread % 4) % messages;
                    Owner owner = new Owner("o" + owners.incrementAndGet());
                    ClaimRequest request = new ClaimRequest(key(message + number), owner, LEASE);
                    if (untilAnswered(() -> shared.claim(List.of(request)).get(0)) instanceof ClaimResult.Acquired) {
                        CompleteRequest completion = new CompleteRequest(
                                new Claim(request.key(), owner, 1), Window.of(Duration.ofDays(1)), null, true);
                        if (untilAnswered(() ->
                                        shared.complete(List.of(completion)).get(0))
                                .equals(WriteResult.applied())) {
                            completed.get(number).incrementAndGet();
                        }
                    }
                }
                return true;
            });
            callers.add(caller);
            all.add(caller);
        }
        for (Caller<Boolean> each : all) {
            assertThat(each.answer()).isTrue();
        }

        assertThat(completed).allSatisfy(each -> assertThat(each).hasValue(1));
    }

    private static List<?> flaky(int number, Call call, Function<List<?>, List<?>> real) {
        if (number % 7 == 3) {
            throw new DedupStoreException("before", null);
        }
        List<?> answers = real.apply(call.requests());
        if (number % 11 == 5) {
            throw new DedupStoreException("after", null);
        }
        return answers;
    }

    /** As the engine does: the same owner asks again. */
    private static <A> A untilAnswered(Supplier<A> call) {
        while (true) {
            try {
                A answer = call.get();
                if (!(answer instanceof ClaimResult.StoreError) && !(answer instanceof WriteResult.StoreError)) {
                    return answer;
                }
            } catch (DedupStoreException e) {
                assertThat(e).hasMessageMatching("before|after");
            }
        }
    }
}
