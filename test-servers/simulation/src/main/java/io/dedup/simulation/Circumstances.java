package io.dedup.simulation;

import io.dedup.simulation.kafka.GroupProtocol;
import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import io.dedup.simulation.kafka.Trouble;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/**
 * What one run is made of: the application's listener, its error handler and its interceptors, the group, and what goes wrong.
 * Everything is drawn from the run's seed.
 */
record Circumstances(
        boolean batch,
        Listening listening,
        AckMode ackMode,
        boolean claimAhead,
        boolean asyncAcks,
        boolean inKafkaTransaction,
        int pauses,
        int storeFaults,
        OnFailure onFailure,
        ErrorHandling errorHandling,
        int retries,
        Interception interception,
        GroupProtocol protocol,
        Reset reset,
        int partitions,
        int messages,
        int copies,
        int arrivals,
        int maxPollRecords,
        int failing,
        Set<Trouble.Kind> trouble,
        int faults,
        int oneIn) {

    /** The form of the listener. */
    enum Listening {
        /** An object that implements one of spring-kafka's interfaces. */
        INTERFACE,
        /** An annotated method. */
        METHOD,
        /** An annotated method that returns a future, which ends later and in any order. */
        FUTURE
    }

    /** What the listener does when it can't handle a record. */
    enum OnFailure {
        /** Throws, as most listeners do. */
        THROW,
        /** For batches: throws an exception that names the record. */
        THROW_NAMED,
        /** Seeks back to the record, and returns. */
        SEEK_BACK,
        /** A method throws, and its {@code KafkaListenerErrorHandler} seeks back to the record and returns. */
        ERROR_HANDLER_SEEKS_BACK,
        /** Calls {@code Acknowledgment.nack}. */
        NACK
    }

    /** The container's error handler. */
    enum ErrorHandling {
        /** {@code DefaultErrorHandler}, which retries and then calls a recoverer. */
        DEFAULT,
        /** The same with a back-off of a millisecond, in which the handler of a batch polls. */
        DEFAULT_WITH_BACK_OFF,
        /** {@code CommonMixedErrorHandler}. */
        MIXED,
        /** An application's wrapper, which forwards the methods that it knows of. */
        WRAPPED,
        /** An application's handler that gives up what failed. */
        SKIPS,
        /** {@code CommonLoggingErrorHandler}. */
        LOGS,
        /** An application's handler that seeks to what remains. */
        SEEKS
    }

    /** The container's interceptors. */
    enum Interception {
        NONE,
        /** Drops some records, always. */
        DROPS,
        /** Throws once for some records. */
        THROWS_ONCE
    }

    static Circumstances draw(Random random) {
        boolean batch = random.nextInt(3) == 0;
        AckMode[] modes = batch
                ? new AckMode[] {AckMode.BATCH, AckMode.MANUAL, AckMode.MANUAL_IMMEDIATE}
                : new AckMode[] {AckMode.BATCH, AckMode.RECORD, AckMode.MANUAL, AckMode.MANUAL_IMMEDIATE, AckMode.COUNT
                };
        AckMode mode = modes[random.nextInt(modes.length)];
        boolean manual = mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE;
        boolean transaction = !manual && random.nextInt(4) == 0;
        boolean asyncAcks = manual && !batch && random.nextInt(2) == 0;
        Listening listening = pick(random, Listening.values());
        if (listening == Listening.FUTURE && (batch || transaction || mode != AckMode.BATCH)) {
            listening = Listening.METHOD;
        }
        OnFailure onFailure = pick(random, OnFailure.values());
        if ((onFailure == OnFailure.NACK && (!manual || asyncAcks)) || (onFailure == OnFailure.THROW_NAMED && !batch)) {
            onFailure = OnFailure.THROW;
        }
        if (listening == Listening.FUTURE
                || (onFailure == OnFailure.ERROR_HANDLER_SEEKS_BACK && (listening != Listening.METHOD || batch))) {
            onFailure = OnFailure.THROW;
        }
        Set<Trouble.Kind> trouble = EnumSet.noneOf(Trouble.Kind.class);
        for (Trouble.Kind each : Trouble.Kind.values()) {
            if (random.nextBoolean()) {
                trouble.add(each);
            }
        }
        int messages = 5 + random.nextInt(60);
        return new Circumstances(
                batch,
                listening,
                mode,
                random.nextInt(4) != 0,
                asyncAcks,
                transaction,
                random.nextInt(3) == 0 ? random.nextInt(5) : 0,
                random.nextInt(3) == 0 ? random.nextInt(6) : 0,
                onFailure,
                pick(random, ErrorHandling.values()),
                1 + random.nextInt(3),
                pick(random, Interception.values()),
                pick(random, GroupProtocol.values()),
                pick(random, Reset.values()),
                1 + random.nextInt(3),
                messages,
                random.nextInt(1 + messages / 4),
                1 + random.nextInt(6),
                1 + random.nextInt(20),
                random.nextInt(1 + messages / 5),
                trouble,
                random.nextInt(10),
                4 + random.nextInt(30));
    }

    private static <T> T pick(Random random, T[] values) {
        return values[random.nextInt(values.length)];
    }

    boolean isManual() {
        return ackMode == AckMode.MANUAL || ackMode == AckMode.MANUAL_IMMEDIATE;
    }
}
