package io.dedup.schedules;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.adapter.poll.SuccessQueue;
import io.dedup.adapter.poll.WaitingClaims;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer that polls, and the threads that work for it. */
final class PollScenes {
    private static final Logger log = LoggerFactory.getLogger(PollScenes.class);
    private static final int MESSAGES = 3;

    /** Claims that aren't used for so long are given back while the poll goes on: time passes with each step. */
    private static final Duration SHORT_LEASE = Duration.ofMillis(200);

    private PollScenes() {}

    static Map<String, Runnable> all() {
        return Map.of("flush", PollScenes::flush, "claims-ahead", PollScenes::claimsAhead);
    }

    /** A timer, a background thread and the consumer's thread record successes; then the consumer commits. */
    private static void flush() {
        Messages messages = new Messages();
        Deduplicator dedup = messages.process();
        DedupAdapter engine = DedupAdapter.of(dedup);
        PollTimer timer = new PollTimer("timer", log);
        ExecutorService background = Executors.newCachedThreadPool();
        ClaimedPoll poll = new ClaimedPoll(
                engine,
                new SuccessQueue(engine, background, timer, new PollBudget(Messages.LONG_LEASE), log),
                null,
                log);
        poll.beforePoll();
        for (int i = 0; i < MESSAGES; i++) {
            handle(poll, Messages.delivery(dedup, i), messages);
        }
        poll.flush();
        messages.check(dedup, MESSAGES, true); // their offsets may be committed now
        poll.end();
        timer.close();
        background.shutdown();
        dedup.close();
    }

    /** A timer gives back claims whose turns don't come in time, while they come; another process handles a copy. */
    private static void claimsAhead() {
        Messages messages = new Messages();
        Deduplicator dedup = Messages.process(messages.store(), SHORT_LEASE, Duration.ZERO);
        DedupAdapter engine = DedupAdapter.of(dedup);
        PollTimer timer = new PollTimer("timer", log);
        ClaimedPoll poll = new ClaimedPoll(engine, null, new WaitingClaims(engine, timer, log), log);
        List<Delivery> polled = List.of(Messages.delivery(dedup, 0), Messages.delivery(dedup, 1));
        try (Deduplicator other = messages.process()) {
            Messages.together(
                    () -> {
                        poll.beforePoll();
                        poll.polled(polled, polled.size());
                        for (Delivery each : polled) {
                            poll.claimPolled();
                            handle(poll, each, messages);
                        }
                        poll.end();
                    },
                    () -> other.execute(Messages.key(other, 1), context -> messages.effect(Messages.key(other, 1))));
        }
        timer.close();
        dedup.close();
        messages.check(dedup, polled.size(), false);
    }

    private static void handle(ClaimedPoll poll, Delivery delivery, Messages messages) {
        if (poll.admit(delivery, WaitBudget.none()) instanceof Admission.Run run) {
            run.execution().begin();
            messages.effect(delivery);
            poll.succeed(run.execution(), WaitBudget.none());
        }
    }
}
