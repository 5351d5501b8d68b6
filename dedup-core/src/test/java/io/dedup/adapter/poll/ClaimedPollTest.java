package io.dedup.adapter.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class ClaimedPollTest {
    private static final Logger log = LoggerFactory.getLogger(ClaimedPollTest.class);

    private final FaultyStore store = new FaultyStore(new InMemoryDedupStore());
    private final Deduplicator dedup = Deduplicators.builder(store)
            .consumer("claims")
            .shutdownTimeout(Duration.ZERO) // not all that is claimed here is run
            .defaults(DedupPolicy.builder().maxDeaths(1).build())
            .build();
    private final DedupAdapter engine = DedupAdapter.of(dedup);
    private final PollTimer timer = new PollTimer("timer", log);
    private final WaitingClaims waiting = new WaitingClaims(engine, timer, log);
    private final ClaimedPoll claims = new ClaimedPoll(engine, null, waiting, log);

    @AfterEach
    void close() {
        timer.close();
        dedup.close();
    }

    private Delivery delivery(String id) {
        return Delivery.of(dedup.topic("orders"), id, null, () -> "the message " + id);
    }

    private List<Integer> claimed() {
        return store.calls(Op.CLAIM).stream()
                .map(call -> call.requests().size())
                .toList();
    }

    @Test
    @DisplayName(
            "a poll is claimed at its first message's turn: until then the client may drop it, and others may have it")
    void claimedAtTheFirstTurn() {
        claims.beforePoll();
        claims.polled(List.of(delivery("a"), delivery("b")), 2);
        assertThat(claimed()).isEmpty();
        assertThat(engine.inFlight()).isZero();

        claims.claimPolled();
        assertThat(claims.skipCopy(delivery("a"))).isFalse();
        assertThat(claims.admit(delivery("a"), WaitBudget.none())).isInstanceOf(Admission.Run.class);

        assertThat(claimed()).containsExactly(2);
    }

    @Test
    @DisplayName(
            "what was claimed alone and has succeeded is recorded before the next message runs, also if that one was"
                    + " claimed ahead: its crash must not count against the other")
    void recordedBeforeTheNextRuns() {
        PollBudget budget = new PollBudget(Duration.ofMinutes(5));
        // Nothing is recorded in the background, as if the next message crashed the process at once.
        SuccessQueue successes = new SuccessQueue(engine, recording -> {}, timer, budget, log);
        ClaimedPoll queued = new ClaimedPoll(engine, successes, waiting, log);
        queued.beforePoll();
        Execution alone = run(queued, "alone");
        assertThat(alone.countsDeath()).isTrue();
        queued.succeed(alone, WaitBudget.none());
        queued.polled(List.of(delivery("ahead"), delivery("next"), delivery("last")), 3);
        queued.claimPolled();

        Execution ahead = run(queued, "ahead");
        assertThat(ahead.countsDeath()).isFalse();
        assertThat(state("alone")).isEqualTo(State.DONE);

        queued.succeed(ahead, WaitBudget.none());
        run(queued, "next");
        assertThat(state("ahead")).isEqualTo(State.PROCESSING); // its claim counts no death: it may wait for others
        queued.flush();
        assertThat(state("ahead")).isEqualTo(State.DONE);
    }

    private Execution run(ClaimedPoll poll, String id) {
        Admission admission = poll.admit(delivery(id), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private State state(String id) {
        return store.find(dedup.key("orders", id)).orElseThrow().state();
    }
}
