package io.dedup.kafka.internal.claimahead;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.WatchedStore;
import io.dedup.kafka.internal.Timer;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WaitingClaimsTest {
    private static final int HALF = WaitingClaims.WORTH_TWO_CALLS / 2;
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH.plusSeconds(1_000_000));
    private final InMemoryDedupStore real = new InMemoryDedupStore(now::get, Duration.ofDays(7));
    private final WatchedStore watched = new WatchedStore(real);
    private final Deduplicator dedup = Deduplicators.builder(watched.store)
            .consumer("claims")
            .shutdownTimeout(Duration.ZERO) // not all that is taken here is run
            .defaults(DedupPolicy.builder().maxDeaths(3).build())
            .build();
    private final Timer timer = new Timer();
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final WaitingClaims claims = new WaitingClaims(DedupAdapter.of(dedup), background, timer);
    private final List<Delivery> deliveries = deliveries(2 * HALF);

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goOn.countDown();
        timer.close();
        background.shutdown();
        dedup.close();
    }

    private List<Delivery> deliveries(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> Delivery.of(dedup.topic("orders"), "id" + i, null, () -> "orders-0@" + i))
                .toList();
    }

    private DedupKey key(int i) {
        return requireNonNull(deliveries.get(i).key());
    }

    private StoredRecord record(int i) {
        return real.find(key(i)).orElseThrow();
    }

    /** The call that another thread makes doesn't come back until it may. */
    private void holdTheSecondHalf() {
        Thread mine = Thread.currentThread();
        watched.before("claimAll", () -> {
            if (Thread.currentThread() != mine) {
                held.countDown();
                await().atMost(LONG).until(() -> goOn.getCount() == 0);
            } else {
                await().atMost(LONG).until(() -> held.getCount() == 0);
            }
        });
    }

    private boolean isRunning(int i) {
        ClaimAhead claim = claims.take(key(i));
        return claim != null
                && DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none()) instanceof Admission.Run run
                && run.execution().succeed(null, WaitBudget.none()) != null;
    }

    @Test
    @DisplayName("the first half can be handled while the store is at the second, whose turns wait for it")
    void halves() throws Exception {
        holdTheSecondHalf();
        claims.claim(deliveries, LONG);
        assertThat(IntStream.range(0, HALF)).allMatch(this::isRunning);

        Future<Boolean> next = background.submit(() -> isRunning(HALF));
        await().during(Duration.ofMillis(100)).until(() -> !next.isDone());
        goOn.countDown();

        assertThat(next.get()).isTrue();
        assertThat(IntStream.range(HALF + 1, 2 * HALF)).allMatch(this::isRunning);
        assertThat(watched.calls("claimAll")).containsExactly("claimAll " + HALF, "claimAll " + HALF);
    }

    @Test
    @DisplayName("few are claimed with one call")
    void few() {
        claims.claim(deliveries(WaitingClaims.WORTH_TWO_CALLS - 1), LONG);
        assertThat(watched.calls("claimAll")).hasSize(1);
        claims.giveBack();
    }

    @Test
    @DisplayName("what is given up is given back when that returns, also what the store was still at")
    void givenUp() throws Exception {
        holdTheSecondHalf();
        claims.claim(deliveries, LONG);

        Future<?> over = background.submit(claims::giveBack);
        await().during(Duration.ofMillis(100)).until(() -> !over.isDone());
        goOn.countDown();
        over.get();

        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        for (int i = 0; i < 2 * HALF; i++) {
            assertThat(record(i).state()).isEqualTo(State.RELEASED);
            assertThat(record(i).attempt()).isZero();
            assertThat(claims.take(key(i))).isNull();
        }
    }

    @Test
    @DisplayName("copies are claimed with their first, whichever half they are in")
    void copies() {
        List<Delivery> twice =
                Stream.concat(deliveries.stream(), deliveries.stream()).toList();
        claims.claim(twice, LONG);
        assertThat(IntStream.range(0, 2 * HALF)).allMatch(this::isRunning);
        assertThat(watched.calls("claimAll")).containsExactly("claimAll " + HALF, "claimAll " + HALF);
    }

    @Test
    @DisplayName(
            "T9 one whose process died with it stands alone: nothing is held that would be charged with its next victim")
    void killer() {
        try (Deduplicator mortal = Deduplicators.builder(watched.store)
                .consumer("claims")
                .defaults(DedupPolicy.builder().maxDeaths(3).build())
                .build()) {
            ((Admission.Run) DedupAdapter.of(mortal).admit(deliveries.get(1), WaitBudget.none()))
                    .execution()
                    .abandon();
        }
        now.updateAndGet(time -> time.plus(DedupPolicy.defaults().lease()));

        claims.claim(deliveries, LONG);

        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(record(2 * HALF - 1).state()).isEqualTo(State.RELEASED);
    }

    @Test
    @DisplayName(
            "a second half that gets no answer is known for it; one that nobody can ask for is claimed at its turns")
    void failed() {
        Thread mine = Thread.currentThread();
        watched.before("claimAll", () -> {
            if (Thread.currentThread() != mine) {
                throw new AssertionError("as if memory were full");
            }
        });
        claims.claim(deliveries, LONG);
        assertThat(requireNonNull(claims.take(key(HALF))).isUnanswered()).isTrue();
        assertThat(claims.hasStoreFailed()).isTrue();
        assertThat(requireNonNull(claims.take(key(0))).isUnanswered()).isFalse();
        claims.giveBack();

        background.shutdown();
        claims.claim(deliveries, LONG);
        assertThat(claims.take(key(HALF))).isNull();
        assertThat(claims.take(key(1))).isNotNull();
        claims.giveBack();
    }

    @Test
    @DisplayName("where no more threads can be had, the first half is claimed and nobody waits for the second")
    void noThread() {
        WaitingClaims alone = new WaitingClaims(
                DedupAdapter.of(dedup),
                work -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                timer);
        alone.claim(deliveries, LONG);
        assertThat(alone.take(key(HALF))).isNull();
        assertThat(alone.take(key(0))).isNotNull();
        alone.giveBack();
    }

    @Test
    @DisplayName("K18 nobody waits for a second half that couldn't be asked for, whatever the executor throws")
    void executorFails() {
        WaitingClaims alone = new WaitingClaims(
                DedupAdapter.of(dedup),
                work -> {
                    throw new IllegalStateException("for once");
                },
                timer);
        assertThatCode(() -> alone.claim(deliveries, LONG)).doesNotThrowAnyException();
        assertThat(alone.take(key(HALF))).isNull();
        assertThat(alone.take(key(0))).isNotNull();
        alone.giveBack();
    }

    @Test
    @DisplayName("K18 where nobody would give claims back behind a handler that hangs, nothing is claimed ahead")
    void noTimer() {
        timer.close();
        claims.claim(deliveries, LONG);
        assertThat(watched.calls("claimAll")).isEmpty();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(claims.take(key(0))).isNull();
    }

    /** Throws where the engine asks for its text, and not where it is logged: an Error in the engine itself. */
    private static final class TellsNothing extends OutOfMemoryError {
        private static final long serialVersionUID = 1L;
        private boolean asked;

        @Override
        public String getMessage() {
            if (asked) {
                return "for once";
            }
            asked = true;
            throw this;
        }
    }

    @Test
    @DisplayName("K18 an Error while claims are given back doesn't reach the consumer, which would stop")
    void givingBackFails() {
        Runnable full = () -> {
            throw new TellsNothing();
        };
        claims.claim(deliveries, LONG);
        watched.before("releaseAll", full);
        assertThatCode(claims::giveBack).doesNotThrowAnyException();
        assertThat(claims.take(key(0))).isNull();
    }

    @Test
    @DisplayName("K18 an Error in a call of the first half: what the second one claims is given back")
    void firstHalfFails() {
        Thread mine = Thread.currentThread();
        Runnable full = () -> {
            if (Thread.currentThread() == mine) {
                throw new TellsNothing();
            }
        };
        watched.before("claimAll", full);
        assertThatThrownBy(() -> claims.claim(deliveries, LONG)).isInstanceOf(OutOfMemoryError.class);
        claims.giveBack(); // so does the poll that called it
        await().atMost(LONG).until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        assertThat(claims.take(key(HALF))).isNull();
    }

    @Test
    @DisplayName("behind a handler that hangs, what the store answers later is given back too")
    void hangs() {
        holdTheSecondHalf();
        claims.claim(deliveries, Duration.ofMillis(50));
        await().atMost(LONG).until(() -> record(0).state() == State.RELEASED);

        assertThat(claims.take(key(HALF))).isNull();
        goOn.countDown();

        await().atMost(LONG).until(() -> real.find(key(2 * HALF - 1)).isPresent());
        await().atMost(LONG).until(() -> record(2 * HALF - 1).state() == State.RELEASED);
        await().atMost(LONG).until(() -> DedupAdapter.of(dedup).inFlight() == 0);
    }
}
