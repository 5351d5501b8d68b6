package io.dedup.simulation;

import io.dedup.policy.DedupMode;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.OnStoreFailure;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.draw.MissingIds;
import io.dedup.simulation.kafka.GroupProtocol;
import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import io.dedup.simulation.kafka.Trouble;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/**
 * What one run is made of: the application's listener, its error handler and its interceptors, and the group. The first
 * constant of each enum, false and 0 are the plainest: a failing run is repeated with these as far as it still fails.
 */
record Circumstances(
        boolean batch,
        Listening listening,
        AckMode ackMode,
        DedupMode mode,
        boolean changesMode,
        int transactionRecords,
        boolean transactionsEndInTime,
        OnStoreFailure onStoreFailure,
        MissingIds missing,
        boolean otherPayloads,
        OnConflict onConflict,
        boolean limitsDeaths,
        boolean claimAhead,
        boolean asyncAcks,
        boolean handsOver,
        boolean collects,
        boolean inKafkaTransaction,
        boolean commitRecovered,
        boolean asyncCommits,
        boolean pauseImmediate,
        boolean stopImmediate,
        boolean subBatches,
        boolean fixTxOffsets,
        boolean filter,
        boolean leavesFiltered,
        boolean acknowledgesParts,
        boolean replies,
        boolean deadLetters,
        RetryTopicPlan retryTopics,
        OnFailure onFailure,
        boolean throwsErrors,
        SeekBy seekBy,
        Replay replay,
        ErrorHandling errorHandling,
        int retries,
        Interception interception,
        UserCall userCall,
        Place place,
        boolean rebalancesFail,
        boolean rebalancesCommit,
        GroupProtocol protocol,
        Reset reset,
        int partitions,
        int concurrency,
        boolean neighbor,
        int messages,
        int arrivals,
        int maxPollRecords,
        StartMistake mistake)
        implements Drawn {

    /** The form of the listener. */
    enum Listening {
        /** An object that implements one of spring-kafka's interfaces. */
        INTERFACE,
        /** An annotated method. */
        METHOD,
        /** An annotated method that returns a future, which ends later and in any order. */
        FUTURE
    }

    /** Where records go that the listener couldn't handle, instead of an error handler's retries. */
    enum RetryTopicPlan {
        NONE,
        /** To a retry topic for each attempt, then to a dead-letter topic. */
        EACH,
        /** To one retry topic for all attempts, then to a dead-letter topic. */
        SHARED
    }

    /** What the listener does when it cannot handle a record. */
    enum OnFailure {
        /** Throws, as most listeners do; one that collects records checks each when it gets it. */
        THROW,
        /** For batches: throws an exception that names the record. */
        THROW_NAMED,
        /** Seeks back to the record, and returns. */
        SEEK_BACK,
        /** Seeks back to the record, and throws. */
        SEEK_AND_THROW,
        /** A method throws, and its {@code KafkaListenerErrorHandler} seeks back to the record and returns. */
        ERROR_HANDLER_SEEKS_BACK,
        /** Calls {@code Acknowledgment.nack}. */
        NACK,
        /** The same, with a sleep of a millisecond. */
        NACK_AND_SLEEP
    }

    /** How the listener seeks. */
    enum SeekBy {
        CONSUMER,
        /** The callback of a {@code ConsumerSeekAware} listener. */
        CALLBACK,
        /** The same, by a function of the position. */
        COMPUTED
    }

    /** When a {@code ConsumerSeekAware} listener reads again what it has read before. */
    enum Replay {
        NONE,
        /** When partitions are assigned. */
        ON_ASSIGNMENT,
        /** When its container is idle. */
        WHEN_IDLE,
        /** When partitions are assigned, by the consumer that the container's rebalance listener is given. */
        BY_REBALANCE_LISTENER
    }

    /** The container's error handler. */
    enum ErrorHandling {
        /** {@code DefaultErrorHandler}, which retries and then calls a recoverer. */
        DEFAULT,
        /** The same with a back-off of a millisecond, in which the handler of a batch polls. */
        DEFAULT_WITH_BACK_OFF,
        /** The same with {@code seekAfterError=false}: the container keeps what it has polled. */
        KEEPS,
        /** {@code CommonMixedErrorHandler}. */
        MIXED,
        /** {@code CommonDelegatingErrorHandler}: what the application has failed with is given up at once. */
        DELEGATES,
        /** An application's wrapper, which forwards the methods that it knows of. */
        WRAPPED,
        /** An application's handler that gives up what failed. */
        SKIPS,
        /** {@code CommonLoggingErrorHandler}. */
        LOGS,
        /** An application's handler that seeks to what remains. */
        SEEKS,
        /** An application's handler that gives one record up, and doesn't seek to those behind it. */
        FORGETS,
        /** {@code CommonContainerStoppingErrorHandler}; the container is started again. */
        STOPS
    }

    /** The container's interceptors. */
    enum Interception {
        NONE,
        /** Drop some records, always. */
        DROPS,
        /** Throw once for some records. */
        THROWS_ONCE
    }

    /** What the application does with its container or its consumer in the middle of a poll's records. */
    enum UserCall {
        NONE,
        /** Polls, and drops what it gets. */
        POLL,
        /** Commits what is below the record. */
        COMMIT_BELOW,
        /** The positions, with {@code commitSync()} or by their names. A handler does it at its end. */
        COMMIT_POSITIONS,
        /** Commits its record, when its own transaction would have committed, if it weren't part of dedup's. */
        COMMIT_OWN,
        /** Pauses the container, which something resumes later. */
        PAUSE_CONTAINER,
        PAUSE_PARTITION,
        /** Pauses the consumer itself, and resumes later what it has paused. */
        PAUSE_CONSUMER,
        /** Stops the container; it is started again. */
        STOP;

        /** Whether a handler does it when it has handled its records, and not before. */
        boolean isAtEnd() {
            return this == COMMIT_POSITIONS || this == COMMIT_OWN;
        }
    }

    /** Who does it. */
    enum Place {
        HANDLER,
        INTERCEPTOR,
        RECOVERER,
        ERROR_HANDLER
    }

    /** What isn't supported, so that the container must not start. */
    enum StartMistake {
        NONE,
        AUTO_COMMIT,
        ERROR_HANDLER_SET_AFTERWARDS,
        ERROR_HANDLER_IN_TRANSACTION,
        INTERCEPTOR_SET_AFTERWARDS,
        COOPERATIVE_WITHOUT_POST_PROCESSORS,
        ASYNC_ACKS_OF_BATCHES,
        CONTEXT_OF_A_BATCH,
        DATABASE_IN_KAFKA_TRANSACTION,
        RETRY_TOPICS_IN_KAFKA_TRANSACTION,
        RETRY_TOPICS_WITHOUT_INSTALLER,
        RETRY_TOPICS_IN_TRANSACTION_OF_A_POLL,
        SEEKS_IN_TRANSACTION_OF_A_POLL
    }

    private static final Set<StartMistake> WITH_RETRY_TOPICS = EnumSet.of(
            StartMistake.RETRY_TOPICS_IN_KAFKA_TRANSACTION,
            StartMistake.RETRY_TOPICS_WITHOUT_INSTALLER,
            StartMistake.RETRY_TOPICS_IN_TRANSACTION_OF_A_POLL);

    private static final Set<ErrorHandling> ERRORS_WITHOUT_SEEKS =
            EnumSet.of(ErrorHandling.KEEPS, ErrorHandling.SKIPS, ErrorHandling.LOGS);

    static final int LEAST_MESSAGES = 5;

    static Circumstances draw(Draws draws) {
        StartMistake mistake = draws.below(25, "makes a mistake") == 0
                ? draws.pick(StartMistake.values(), "mistake")
                : StartMistake.NONE;
        RetryTopicPlan plan = draws.pick(RetryTopicPlan.values(), "retryTopics");
        if (WITH_RETRY_TOPICS.contains(mistake)) {
            plan = RetryTopicPlan.EACH;
        } else if (mistake != StartMistake.NONE || draws.below(8, "retries in topics") != 0) {
            plan = RetryTopicPlan.NONE;
        }
        boolean hops = plan != RetryTopicPlan.NONE;
        boolean fixTxOffsets = draws.below(4, "fixTxOffsets") == 0 && mistake == StartMistake.NONE && !hops;
        // Most others would be refused: a few of those are enough.
        boolean fixing = fixTxOffsets && draws.below(6, "fixTxOffsets is refused") != 0;
        boolean seeksInPoll = mistake == StartMistake.SEEKS_IN_TRANSACTION_OF_A_POLL;
        boolean batch = draws.below(3, "batch") == 0 && !hops && !seeksInPoll;
        DedupMode dedupMode =
                draws.below(4, "transactional") == 0 ? draws.pick(DedupMode.values(), "mode") : DedupMode.LEASED;
        if (seeksInPoll || mistake == StartMistake.RETRY_TOPICS_IN_TRANSACTION_OF_A_POLL) {
            dedupMode = DedupMode.TRANSACTIONAL;
        } else if (mistake == StartMistake.RETRY_TOPICS_IN_KAFKA_TRANSACTION) {
            dedupMode = DedupMode.LEASED;
        }
        boolean changesMode = draws.below(12, "changesMode") == 0 && mistake == StartMistake.NONE;
        boolean database = dedupMode.isTransactional() || changesMode;
        boolean spans = dedupMode == DedupMode.TRANSACTIONAL
                && !changesMode
                && !batch
                && !hops
                && (seeksInPoll
                        || (mistake == StartMistake.NONE && draws.below(2, "a transaction for several records") == 0));
        OnStoreFailure onStoreFailure = draws.pick(OnStoreFailure.values(), "onStoreFailure");
        if ((database && onStoreFailure == OnStoreFailure.PROCESS) || draws.below(2, "store failures") == 0) {
            onStoreFailure = OnStoreFailure.RETRY;
        }
        MissingIds missing = draws.below(6, "missing") == 0 && mistake == StartMistake.NONE
                ? draws.pick(MissingIds.values(), "missing kind")
                : MissingIds.NONE;
        AckMode mode = draws.pick(AckMode.values(), "ackMode");
        if ((batch && mode == AckMode.RECORD)
                || ((hops || spans) && (mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE))) {
            mode = AckMode.BATCH;
        }
        Listening listening = draws.pick(Listening.values(), "listening");
        if (((fixing || database) && listening == Listening.FUTURE) || (hops && listening == Listening.INTERFACE)) {
            listening = Listening.METHOD;
        }
        if ((listening == Listening.FUTURE && !batch)
                || (fixing && (mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE))) {
            mode = AckMode.BATCH;
        }
        boolean manual = mode == AckMode.MANUAL || mode == AckMode.MANUAL_IMMEDIATE;
        boolean transaction = mistake == StartMistake.RETRY_TOPICS_IN_KAFKA_TRANSACTION
                || (draws.below(4, "inKafkaTransaction") == 0
                        && !hops
                        && (!database || mistake == StartMistake.DATABASE_IN_KAFKA_TRANSACTION));
        boolean asyncAcks = draws.below(3, "asyncAcks") == 0 && manual && !batch && !database && !transaction;
        boolean collects = draws.below(3, "collects") == 0 && manual && !asyncAcks && !database && !transaction;
        boolean handsOver = draws.below(3, "handsOver") == 0
                && manual
                && !batch
                && !asyncAcks
                && !collects
                && !database
                && !transaction;
        if (listening == Listening.FUTURE && (batch || transaction)) {
            listening = Listening.METHOD;
        }
        boolean later = asyncAcks || handsOver || collects || listening == Listening.FUTURE;
        OnFailure onFailure = draws.pick(OnFailure.values(), "onFailure");
        boolean nacks = onFailure == OnFailure.NACK || onFailure == OnFailure.NACK_AND_SLEEP;
        if ((nacks && (!manual || later))
                || (onFailure == OnFailure.THROW_NAMED && !batch)
                || (onFailure == OnFailure.ERROR_HANDLER_SEEKS_BACK && (listening != Listening.METHOD || batch))
                || listening == Listening.FUTURE
                || handsOver // what it seeks back to while a worker has it counts as failed
                || spans
                || (hops && onFailure != OnFailure.SEEK_BACK)
                // The whole batch is rolled back: a seek to the middle of it would skip what the handler had done
                // before.
                || (transaction && batch && onFailure == OnFailure.SEEK_AND_THROW)
                || (collects && onFailure != OnFailure.SEEK_BACK && onFailure != OnFailure.THROW)) {
            onFailure = collects ? OnFailure.SEEK_AND_THROW : OnFailure.THROW;
        }
        SeekBy seekBy = draws.pick(SeekBy.values(), "seekBy");
        if (seekBy == SeekBy.COMPUTED
                && (batch || collects)) { // if the position isn't known, spring-kafka doesn't seek
            seekBy = SeekBy.CALLBACK;
        }
        ErrorHandling errorHandling = draws.pick(ErrorHandling.values(), "errorHandling");
        if (fixing && ERRORS_WITHOUT_SEEKS.contains(errorHandling)) {
            errorHandling = ErrorHandling.DEFAULT_WITH_BACK_OFF;
        }
        if (hops && errorHandling != ErrorHandling.DEFAULT_WITH_BACK_OFF) {
            errorHandling = ErrorHandling.DEFAULT; // DEFAULT_WITH_BACK_OFF: retries in place before each topic
        }
        // In the call with a later part of the poll, a handler that collects would seek past what it sought back to in
        // the
        // call with an earlier one: it loses messages without deduplication, too.
        boolean commitRecovered = draws.below(2, "commitRecovered") == 0 && transaction;
        // What is rejected would stay in its place.
        boolean endless = transaction
                ? batch && !commitRecovered
                : errorHandling == ErrorHandling.SEEKS || errorHandling == ErrorHandling.STOPS;
        boolean subBatches = draws.below(4, "subBatches") == 0 && batch && !(collects && onFailure != OnFailure.THROW);
        UserCall call = draws.pick(UserCall.values(), "userCall");
        Place place = draws.pick(Place.values(), "place");
        boolean throwsErrors = draws.below(6, "throwsErrors") == 0
                && onFailure == OnFailure.THROW
                && !collects
                && !hops
                && listening != Listening.FUTURE;
        boolean calls = draws.below(2, "calls") == 0
                && !(spans && (place == Place.HANDLER || place == Place.INTERCEPTOR))
                && (place == Place.HANDLER || place == Place.INTERCEPTOR || !(transaction || hops))
                && !(listening == Listening.FUTURE && place == Place.HANDLER)
                && !(collects && batch && call == UserCall.STOP)
                && !(transaction && (call == UserCall.COMMIT_BELOW || call == UserCall.COMMIT_POSITIONS))
                && (call != UserCall.COMMIT_OWN || (place == Place.HANDLER && database && !changesMode));
        boolean replies = draws.below(4, "replies") == 0
                && listening == Listening.METHOD
                && !batch
                && !later
                && !hops
                && !spans
                && mistake == StartMistake.NONE;
        // A handler that collects keeps what one consumer has brought it.
        boolean several = draws.below(6, "several consumers") == 0 && !collects;
        int most = hops ? 2 : 3; // threads, and topics
        Reset reset = draws.pick(Reset.values(), "reset");
        Replay replay =
                draws.below(6, "replays") == 0 && reset != Reset.NONE // it ends at an offset that retention has deleted
                        ? draws.pick(Replay.values(), "replay")
                        : Replay.NONE;
        if (spans && replay != Replay.NONE) {
            replay = Replay.BY_REBALANCE_LISTENER;
        }
        boolean pauseImmediate = draws.below(4, "pauseImmediate") == 0 && !fixing;
        // Acknowledging what it drops, a filter acknowledges what the handler has below.
        boolean filter = draws.below(5, "filter") == 0 && listening == Listening.METHOD && !collects && !handsOver;
        OnConflict onConflict = draws.pick(OnConflict.values(), "onConflict");
        boolean otherPayloads = draws.below(6, "otherPayloads") == 0
                && missing == MissingIds.NONE
                && mistake == StartMistake.NONE
                && !hops
                && !replies;
        return new Circumstances(
                batch,
                listening,
                mode,
                dedupMode,
                changesMode,
                spans ? 2 + draws.below(10, "transactionRecords") : 1,
                spans && draws.below(3, "transactionsEndInTime") == 0,
                onStoreFailure,
                missing == MissingIds.FAIL && endless ? MissingIds.SKIP : missing,
                otherPayloads,
                otherPayloads
                        ? (endless && onConflict == OnConflict.FAIL ? OnConflict.SKIP : onConflict)
                        : OnConflict.FAIL,
                draws.below(5, "limitsDeaths") == 0 && dedupMode != DedupMode.TRANSACTIONAL && !changesMode && !endless,
                draws.below(4, "claimAhead") != 0,
                asyncAcks,
                handsOver,
                collects,
                transaction,
                commitRecovered,
                draws.below(4, "asyncCommits") == 0,
                pauseImmediate,
                draws.below(4, "stopImmediate") == 0,
                subBatches,
                fixTxOffsets,
                filter,
                // With asyncAcks, what nobody acknowledges holds back all that is above it, without deduplication, too.
                filter
                        && draws.below(2, "leavesFiltered") == 0
                        && manual
                        && !asyncAcks
                        && !fixTxOffsets
                        && !changesMode
                        && mistake == StartMistake.NONE,
                draws.below(2, "acknowledgesParts") == 0 && batch && mode == AckMode.MANUAL_IMMEDIATE && !collects,
                replies,
                draws.below(3, "deadLetters") == 0 && !transaction && !hops,
                plan,
                onFailure,
                throwsErrors,
                seekBy,
                replay,
                errorHandling,
                Math.min(most, 1 + draws.below(3, "retries")),
                spans ? Interception.NONE : draws.pick(Interception.values(), "interception"),
                calls ? call : UserCall.NONE,
                calls ? place : Place.HANDLER,
                draws.below(5, "a rebalance listener throws") == 0 && !hops && mistake == StartMistake.NONE,
                draws.below(6, "rebalancesCommit") == 0
                        && !replies
                        && !batch
                        && !later
                        && !transaction
                        && !database
                        && !hops,
                draws.pick(GroupProtocol.values(), "protocol"),
                reset,
                1 + draws.below(3, "partitions"),
                several ? Math.min(most, 2 + draws.below(2, "concurrency")) : 1,
                draws.below(8, "neighbor") == 0
                        && mistake == StartMistake.NONE
                        && !hops
                        && !transaction
                        && !changesMode,
                LEAST_MESSAGES + draws.below(60, "messages"),
                1 + draws.below(6, "arrivals"),
                1 + draws.below(20, "maxPollRecords"),
                mistake);
    }

    /** The mode of a process, by the order in which they start: each may have another one. */
    DedupMode modeOf(int process, Draws draws) {
        return changesMode ? draws.pick(DedupMode.values(), "mode of process " + process) : mode;
    }

    /** Whether records are in a database, and in some processes at least the effects with them, in one transaction. */
    boolean hasDatabase() {
        return changesMode || inDatabase();
    }

    /** Whether effects and records are in one database transaction, in each process. */
    boolean inDatabase() {
        return mode.isTransactional() && !changesMode;
    }

    /** Whether several records of a poll share a transaction, or are meant to. */
    boolean spansPoll() {
        return transactionRecords > 1 || mistake == StartMistake.RETRY_TOPICS_IN_TRANSACTION_OF_A_POLL;
    }

    boolean hasRetryTopics() {
        return retryTopics != RetryTopicPlan.NONE;
    }

    /** Whether the container may stop after a failure, so that somebody has to start it again. */
    boolean stopsItself() {
        return throwsErrors || (errorHandling == ErrorHandling.STOPS && !inKafkaTransaction);
    }

    /** Whether more than one consumer runs in a process. */
    boolean hasSeveralConsumers() {
        return concurrency > 1 || neighbor || hasRetryTopics();
    }

    OnMissingId onMissingId() {
        return missing == MissingIds.NONE ? OnMissingId.FAIL : OnMissingId.valueOf(missing.name());
    }

    /** How many runs of a message may end with their process before it is rejected; 0 for any number. */
    int maxDeaths() {
        return limitsDeaths ? 1 : 0;
    }

    boolean isManual() {
        return ackMode == AckMode.MANUAL || ackMode == AckMode.MANUAL_IMMEDIATE;
    }

    /** What the refusal of this container must say; null if it must start. */
    @Nullable
    String refusal() {
        String mistaken = switch (mistake) {
            case NONE -> null;
            case AUTO_COMMIT -> "enable.auto.commit is true";
            case ERROR_HANDLER_SET_AFTERWARDS, ERROR_HANDLER_IN_TRANSACTION -> "error handler";
            case INTERCEPTOR_SET_AFTERWARDS -> inKafkaTransaction ? "interceptor was set after" : null;
            case COOPERATIVE_WITHOUT_POST_PROCESSORS -> "ignores addPostProcessor";
            case ASYNC_ACKS_OF_BATCHES -> batch ? "asyncAcks" : null;
            case DATABASE_IN_KAFKA_TRANSACTION ->
                mode.isTransactional() && inKafkaTransaction ? "a Kafka transaction around a transactional mode" : null;
            case RETRY_TOPICS_IN_KAFKA_TRANSACTION -> "it belongs to @RetryableTopic and has a Kafka transaction";
            case RETRY_TOPICS_WITHOUT_INSTALLER -> "wasn't decorated by a KafkaDedupInstaller";
            case RETRY_TOPICS_IN_TRANSACTION_OF_A_POLL -> "the listener belongs to @RetryableTopic";
            case SEEKS_IN_TRANSACTION_OF_A_POLL -> "and could seek";
            case CONTEXT_OF_A_BATCH ->
                batch && listening == Listening.METHOD && !isManual() ? "DedupContext parameter" : null;
        };
        if (mistake == StartMistake.ERROR_HANDLER_IN_TRANSACTION && !inKafkaTransaction) {
            mistaken = null;
        }
        if (mistaken != null) {
            return mistaken;
        }
        if (leavesFiltered && !batch && (inKafkaTransaction || inDatabase())) {
            return "ackDiscarded";
        }
        boolean keeps = pauseImmediate
                || (!inKafkaTransaction && (isManual() || listening == Listening.FUTURE))
                || (!inKafkaTransaction && seeksNotAfterErrors());
        return fixTxOffsets && keeps ? "fixTxOffsets is true" : null;
    }

    private boolean seeksNotAfterErrors() {
        return ERRORS_WITHOUT_SEEKS.contains(errorHandling);
    }

    /** What would lose messages with this application even without deduplication, or end its container. */
    Set<Trouble.Kind> impossible() {
        Set<Trouble.Kind> impossible = EnumSet.noneOf(Trouble.Kind.class);
        if (reset == Reset.NONE) {
            impossible.add(Trouble.Kind.DELETE_RECORDS);
            impossible.add(Trouble.Kind.RECREATED);
        }
        if (hasRetryTopics() || neighbor) {
            impossible.add(Trouble.Kind.RECREATED); // of which of the topics?
        }
        if (batch && collects) {
            // It forgets all that it has collected when it seeks back. What it has of partitions that have left stays
            // claimed, and its
            // redeliveries wait, for maxProcessingTime.
            impossible.addAll(EnumSet.of(
                    Trouble.Kind.REBALANCE,
                    Trouble.Kind.LOST,
                    Trouble.Kind.RESTART,
                    Trouble.Kind.COMMIT_IN_REBALANCE,
                    Trouble.Kind.COMMIT_FENCED));
        }
        return impossible;
    }
}
