package io.dedup.simulation.rocketmq;

import io.dedup.policy.OnMissingId;
import io.dedup.simulation.Drawn;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.draw.MissingIds;
import java.time.Duration;

/** What one run is made of: the application's client and listener, its policy, and the broker's settings. */
record RocketMqCircumstances(
        Client client,
        boolean fifo,
        OnFailure onFailure,
        boolean batchCompletions,
        boolean asyncAnswers,
        Call call,
        Requeue requeue,
        Closing closing,
        MissingIds missing,
        boolean explicitDelay,
        int members,
        int concurrency,
        int batchSize,
        int queues,
        int messages,
        int arrivals,
        int leaseSeconds,
        int processingSeconds,
        int invisibleSeconds,
        int retrySeconds,
        int maxWaitSeconds,
        int maxAttempts,
        int maxDeaths)
        implements Drawn {

    /** Who receives. */
    enum Client {
        /** The loop of a simple consumer. */
        LOOP,
        PUSH,
        /** The older client's concurrent listener. */
        CONCURRENT,
        /** The older client's orderly listener. */
        ORDERLY,
        /** A caller of the deduplicator, as an application on another broker writes it. */
        CALLER
    }

    /** What the listener does when it cannot handle a message. */
    enum OnFailure {
        THROW,
        RETURN_FAILURE,
        RETURN_NULL,
        ERROR,
        /** Asks for the dead-letter queue: the older client only. */
        DEAD_LETTER
    }

    /** The deduplicator's method that a caller calls. */
    enum Call {
        EXECUTE,
        ASYNC,
        ALL
    }

    /** What a caller does with a delivery that may not be acknowledged. */
    enum Requeue {
        /** With the delay that the outcome names. */
        WITH_DELAY,
        AT_ONCE
    }

    /** In which order a process closes. */
    enum Closing {
        DOCUMENTED,
        /** The deduplicator first. */
        DEDUPLICATOR_FIRST
    }

    static RocketMqCircumstances draw(Draws draws) {
        Client client = draws.pick(
                new Client[] {
                    Client.LOOP, Client.LOOP, Client.LOOP, Client.PUSH, Client.CONCURRENT, Client.ORDERLY, Client.CALLER
                },
                "client");
        OnFailure onFailure = draws.pick(OnFailure.values(), "onFailure");
        if (onFailure == OnFailure.DEAD_LETTER && client != Client.CONCURRENT) {
            onFailure = OnFailure.THROW;
        }
        if (client == Client.CALLER && onFailure != OnFailure.ERROR) {
            onFailure = OnFailure.THROW;
        }
        int lease = 2 + draws.below(6, "leaseSeconds");
        int batch = 1 + draws.below(8, "batchSize");
        return new RocketMqCircumstances(
                client,
                draws.below(3, "fifo") == 0 && (client == Client.LOOP || client == Client.PUSH),
                onFailure,
                draws.below(3, "batchCompletions") == 0 && client == Client.LOOP,
                draws.below(3, "asyncAnswers") == 0 && client == Client.LOOP,
                client == Client.CALLER ? draws.pick(Call.values(), "call") : Call.EXECUTE,
                client == Client.CALLER ? draws.pick(Requeue.values(), "requeue") : Requeue.WITH_DELAY,
                draws.below(4, "closing") == 0 ? Closing.DEDUPLICATOR_FIRST : Closing.DOCUMENTED,
                draws.below(4, "missing") == 0 && client != Client.CALLER
                        ? draws.pick(MissingIds.values(), "missing kind")
                        : MissingIds.NONE,
                draws.below(3, "explicitDelay") == 0,
                1 + draws.below(2, "members"),
                1 + draws.below(4, "concurrency"),
                client == Client.ORDERLY ? 1 : batch,
                1 + draws.below(3, "queues"),
                5 + draws.below(60, "messages"),
                1 + draws.below(6, "arrivals"),
                lease,
                lease + draws.below(8, "processingSeconds"),
                1 + draws.below(10, "invisibleSeconds"),
                1 + draws.below(5, "retrySeconds"),
                draws.below(2, "maxWait") == 0 ? 0 : 1 + draws.below(10, "maxWaitSeconds"),
                2 + draws.below(15, "maxAttempts"),
                draws.below(4, "maxDeaths"));
    }

    Duration lease() {
        return Duration.ofSeconds(leaseSeconds);
    }

    Duration processing() {
        return Duration.ofSeconds(processingSeconds);
    }

    Duration invisible() {
        return Duration.ofSeconds(invisibleSeconds);
    }

    Duration retry() {
        return Duration.ofSeconds(retrySeconds);
    }

    OnMissingId onMissingId() {
        return missing == MissingIds.NONE ? OnMissingId.FAIL : OnMissingId.valueOf(missing.name());
    }
}
