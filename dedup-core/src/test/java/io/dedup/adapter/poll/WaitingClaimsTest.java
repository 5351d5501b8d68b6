package io.dedup.adapter.poll;

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
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class WaitingClaimsTest {
    private static final Logger log = LoggerFactory.getLogger(WaitingClaimsTest.class);
    private static final int COUNT = 100;
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH.plusSeconds(1_000_000));
    private final InMemoryDedupStore real = new InMemoryDedupStore(now::get, Duration.ofDays(7));
    private final FaultyStore watched = new FaultyStore(real);
    private final Deduplicator dedup = Deduplicators.builder(watched)
            .consumer("claims")
            .shutdownTimeout(Duration.ZERO) // not all that is taken here is run
            .defaults(DedupPolicy.builder().maxDeaths(3).build())
            .build();
    private final PollTimer timer = new PollTimer("timer", log);
    private final WaitingClaims claims = new WaitingClaims(DedupAdapter.of(dedup), timer, log);
    private final List<Delivery> deliveries = deliveries(COUNT);

    @AfterEach
    void close() {
        timer.close();
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

    /** How many each call to the store has claimed. */
    private List<Integer> claimed() {
        return watched.calls(Op.CLAIM).stream()
                .map(call -> call.requests().size())
                .toList();
    }

    private boolean isRunning(int i) {
        ClaimAhead claim = claims.take(key(i));
        return claim != null
                && DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none()) instanceof Admission.Run run
                && run.execution().succeed(null, WaitBudget.none()) != null;
    }

    @Test
    @DisplayName("a poll is claimed with one call")
    void oneCall() {
        claims.claim(deliveries, LONG);
        assertThat(IntStream.range(0, COUNT)).allMatch(this::isRunning);
        assertThat(claimed()).containsExactly(COUNT);
    }

    @Test
    @DisplayName("what is given up is given back when that returns")
    void givenUp() {
        claims.claim(deliveries, LONG);
        claims.giveBack();

        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        for (int i = 0; i < COUNT; i++) {
            assertThat(record(i).state()).isEqualTo(State.RELEASED);
            assertThat(record(i).attempt()).isZero();
            assertThat(claims.take(key(i))).isNull();
        }
    }

    @Test
    @DisplayName("copies are claimed with their first")
    void copies() {
        List<Delivery> twice =
                Stream.concat(deliveries.stream(), deliveries.stream()).toList();
        claims.claim(twice, LONG);
        assertThat(IntStream.range(0, COUNT)).allMatch(this::isRunning);
        assertThat(claimed()).containsExactly(COUNT);
    }

    @Test
    @DisplayName(
            "T9 one whose process died with it stands alone: nothing is held that would be charged with its next victim")
    void killer() {
        try (Deduplicator mortal = Deduplicators.builder(watched)
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
        assertThat(record(COUNT - 1).state()).isEqualTo(State.RELEASED);
    }

    @Test
    @DisplayName("a call that gets no answer is known for it")
    void failed() {
        watched.on(Op.CLAIM, Faults.throwing(() -> new AssertionError("as if memory were full")));
        claims.claim(deliveries, LONG);
        assertThat(requireNonNull(claims.take(key(0))).isUnanswered()).isTrue();
        assertThat(claims.hasStoreFailed()).isTrue();
        claims.giveBack();

        claims.storeAnswers();
        assertThat(claims.hasStoreFailed()).isFalse();
    }

    @Test
    @DisplayName("K18 where nobody would give claims back behind a handler that hangs, nothing is claimed ahead")
    void noTimer() {
        timer.close();
        claims.claim(deliveries, LONG);
        assertThat(claimed()).isEmpty();
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
        claims.claim(deliveries, LONG);
        watched.on(Op.RELEASE, Faults.throwing(TellsNothing::new));
        assertThatCode(claims::giveBack).doesNotThrowAnyException();
        assertThat(claims.take(key(0))).isNull();
    }

    @Test
    @DisplayName("K18 an Error in the call: nothing stays claimed")
    void claimingFails() {
        watched.on(Op.CLAIM, Faults.throwing(TellsNothing::new));
        assertThatThrownBy(() -> claims.claim(deliveries, LONG)).isInstanceOf(OutOfMemoryError.class);
        claims.giveBack(); // so does the poll that called it
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(claims.take(key(0))).isNull();
    }

    @Test
    @DisplayName("behind a handler that hangs, claims are given back")
    void hangs() {
        claims.claim(deliveries, Duration.ofMillis(50));
        await().atMost(LONG).until(() -> record(COUNT - 1).state() == State.RELEASED);

        await().atMost(LONG).until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        assertThat(claims.take(key(0))).isNull();
    }

    @Test
    @DisplayName("those of a later poll are kept for their own time, and watched as well")
    void laterPoll() {
        claims.claim(deliveries, Duration.ofMillis(20));
        claims.giveBack();
        await().during(Duration.ofMillis(60)).until(() -> true); // the watch finds nothing, and ends
        claims.claim(deliveries, Duration.ofMillis(50));
        assertThat(claims.take(key(0))).isNotNull();
        await().atMost(LONG).until(() -> record(1).state() == State.RELEASED);
        assertThat(claims.take(key(1))).isNull();
    }
}
