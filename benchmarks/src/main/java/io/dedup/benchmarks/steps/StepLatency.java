package io.dedup.benchmarks.steps;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.step.KeptStep;
import io.dedup.step.StepLog;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How long it takes to keep a step, beside what is written by hand. The two alternate, so that both see the same machine. */
public final class StepLatency {
    private static final int WARM_UPS = 2_000;
    private static final int STEPS_OF_A_MESSAGE = 3;
    private static final byte[] RESULT = "{\"id\":\"ch_3PqX2eK\",\"cents\":4200}".getBytes(StandardCharsets.UTF_8);

    private final int messages;

    /** @param messages how many are measured, with three steps each */
    public StepLatency(int messages) {
        this.messages = messages;
    }

    /** A row of the table. */
    public List<String> measure(StepSubject subject) {
        Percentiles kept = new Percentiles();
        Percentiles byHand = new Percentiles();
        DedupScope scope = DedupScope.of("benchmark", "orders");
        StepRecords steps = StepRecords.of(subject.store());
        for (int i = 0; i < WARM_UPS + messages; i++) {
            boolean counts = i >= WARM_UPS;
            Claim claim = claimed(subject.store(), scope.key("o-" + i));
            for (int step = 0; step < STEPS_OF_A_MESSAGE; step++) {
                byte[] entry = StepLog.entry(KeptStep.of("step-" + step, Instant.now(), RESULT));
                long start = System.nanoTime();
                List<WriteResult> answers = steps.keepSteps(List.of(new StepRequest(claim, entry)));
                long middle = System.nanoTime();
                subject.keepByHand("o-" + i + "/" + step, RESULT);
                long end = System.nanoTime();
                if (!answers.get(0).isApplied()) {
                    throw new IllegalStateException("a step wasn't kept: " + answers);
                }
                if (counts) {
                    kept.add(middle - start);
                    byHand.add(end - middle);
                }
            }
        }
        List<String> row = new ArrayList<>(List.of(subject.name(), kept.micros(), byHand.micros()));
        row.add(String.format(Locale.ROOT, "%.2f", kept.median() / byHand.median()));
        return row;
    }

    private static Claim claimed(DedupStore store, DedupKey key) {
        Owner owner = new Owner("benchmark" + Owner.ALONE_END);
        ClaimResult answer = store.claim(List.of(new ClaimRequest(key, owner, Duration.ofMinutes(5))))
                .get(0);
        if (!(answer instanceof ClaimResult.Acquired acquired)) {
            throw new IllegalStateException("the message isn't new: " + answer);
        }
        return new Claim(key, owner, acquired.attempt());
    }
}
