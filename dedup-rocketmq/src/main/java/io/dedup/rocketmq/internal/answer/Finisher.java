package io.dedup.rocketmq.internal.answer;

import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.engine.WaitBudget;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.open.OpenMessage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Marks messages as done, all of a batch with one call. Thread-safe. */
public final class Finisher {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1); // leases bound it as well

    private final DedupEngine engine;
    private final Consumer<OpenMessage> then;

    /** @param then is given each message once it is done, or as done as it can be */
    public Finisher(DedupEngine engine, Consumer<OpenMessage> then) {
        this.engine = engine;
        this.then = then;
    }

    /** The effects of these messages have happened. */
    public void finish(List<OpenMessage> batch) {
        try {
            List<Execution> executions = batch.stream()
                    .map(message -> Objects.requireNonNull(message.execution))
                    .toList();
            engine.succeedAll(executions, WaitBudget.of(LONGEST_WAIT)); // whatever it says: the effects have happened
        } catch (RuntimeException | Error e) {
            log.error("Messages couldn't be marked as done", e);
        }
        for (OpenMessage message : batch) {
            try {
                then.accept(message);
            } catch (RuntimeException | Error e) { // the others are to be acked all the same
                log.error("{} couldn't be acked", MessageDeliveries.origin(message.view), e);
            }
        }
    }
}
