package io.dedup.kafka.internal.container;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.claimahead.ClaimedPoll;
import io.dedup.kafka.internal.claimahead.PollHooks;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.InPlaceBackOff;
import io.dedup.kafka.internal.deferral.StorePauses;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.reply.Replies;
import io.dedup.kafka.internal.reply.ReplyExchange;
import io.dedup.kafka.internal.settlement.DedupTransactionManager;
import io.dedup.kafka.internal.settlement.KafkaTransactionPart;
import io.dedup.kafka.internal.settlement.LaterMode;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * What a container's decorated listener and decorated error handler share. Thread-safe.
 *
 * <p>Consumers are found by their thread, as spring-kafka's own failure tracking does: a simple listener isn't given its
 * consumer, and an error handler is asked about its kind without one.
 */
public final class Decoration {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);

    private final AbstractMessageListenerContainer<?, ?> container;
    private final DedupEngine engine;
    private final RecordDeliveries deliveries;
    private final StorePauses pauses;
    private final Invocations invocations;
    private final boolean declaredLater;
    private final @Nullable LaterMode later;
    private final PollHooks hooks;
    private final boolean claimAhead;
    private final int maxUnfinished;
    private final @Nullable Replies replies;
    private final Map<Thread, BoundConsumer> consumers = new ConcurrentHashMap<>();
    /** What its consumers were ever assigned. */
    private final Set<String> read = ConcurrentHashMap.newKeySet();

    private volatile boolean warned;

    public Decoration(
            AbstractMessageListenerContainer<?, ?> container,
            DedupEngine engine,
            RecordDeliveries deliveries,
            StorePauses pauses,
            Invocations invocations,
            boolean declaredLater,
            @Nullable LaterMode later,
            PollHooks hooks,
            boolean claimAhead,
            int maxUnfinished,
            @Nullable Replies replies) {
        this.replies = replies;
        this.container = container;
        this.engine = engine;
        this.deliveries = deliveries;
        this.pauses = pauses;
        this.invocations = invocations;
        this.declaredLater = declaredLater;
        this.later = later;
        this.hooks = hooks;
        this.claimAhead = claimAhead;
        this.maxUnfinished = maxUnfinished;
    }

    public DedupEngine engine() {
        return engine;
    }

    public RecordDeliveries deliveries() {
        return deliveries;
    }

    /** For a run whose result is kept; else null. */
    @Nullable
    public ReplyExchange reply(ConsumerRecord<?, ?> record, Execution execution) {
        return replies == null ? null : replies.of(deliveries.topic(record.topic()), execution, inKafkaTransaction());
    }

    /** Answers a duplicate request, if it can be, with the listener but without its handler; false if it can't. */
    public boolean answer(ConsumerRecord<?, ?> record, AlreadyDone done, Runnable listener) {
        DedupKey key = replies == null ? null : deliveries.of(record).key();
        ReplyExchange reply = replies == null || key == null
                ? null
                : replies.of(deliveries.topic(record.topic()), key, done, inKafkaTransaction());
        if (reply == null) {
            return false;
        }
        call(reply, record, listener);
        reply.deliver(record);
        return true;
    }

    /** Calls the listener with a record. */
    public void call(@Nullable ReplyExchange reply, ConsumerRecord<?, ?> record, Runnable listener) {
        if (replies == null) {
            listener.run();
        } else {
            replies.call(reply, record, listener);
        }
    }

    /** Whether the container's listener is called in a Kafka transaction, which commits the offsets. */
    public boolean inKafkaTransaction() {
        return container.getContainerProperties().getKafkaAwareTransactionManager()
                instanceof DedupTransactionManager<?, ?>;
    }

    public boolean stopsWhenFenced() {
        return container.getContainerProperties().isStopContainerWhenFenced();
    }

    /**
     * Runs work in a Kafka transaction of its own, which commits the offsets of these records.
     *
     * @throws RuntimeException what the work throws, or the transaction
     */
    public void inTransaction(List<? extends ConsumerRecord<?, ?>> finished, Consumer<?, ?> consumer, Runnable work) {
        bound().transaction().apart(finished, () -> KafkaTransactionPart.run(container, finished, consumer, work));
    }

    /**
     * Nothing is handled while it isn't known whether it has committed before. After the rollback, that is asked for.
     *
     * @throws DeliveryDeferredException when it isn't known
     */
    public void requireResolved(BoundConsumer bound, List<? extends ConsumerRecord<?, ?>> records) {
        if (bound.transaction().isUnknown(records)) {
            ConsumerRecord<?, ?> first = records.get(0);
            throw bound.deferring(deferral(DeferReason.COMMIT_UNKNOWN, first, null), first);
        }
    }

    public DeliveryDeferredException deferral(
            DeferReason reason, ConsumerRecord<?, ?> record, @Nullable Throwable cause) {
        return deferral(reason, maxDeferDelay(record), record, cause);
    }

    public DeliveryDeferredException deferral(
            DeferReason reason, Duration retryAfter, ConsumerRecord<?, ?> record, @Nullable Throwable cause) {
        return new DeliveryDeferredException(reason, retryAfter, false, record, record, cause);
    }

    public Duration maxDeferDelay(ConsumerRecord<?, ?> record) {
        return deliveries.topic(record.topic()).policy().maxDeferDelay();
    }

    public Invocations invocations() {
        return invocations;
    }

    /** Whether a handler method is declared to return what is done later. */
    boolean declaredLater() {
        return declaredLater;
    }

    /** How the records of a listener end that aren't done when it returns; null for one whose return is the end. */
    @Nullable
    public LaterMode later() {
        return later;
    }

    /** The longest time between two polls. */
    Duration maxPollInterval() {
        return new ConsumerSettings(container).maxPollInterval();
    }

    /**
     * The container is starting, on the thread that starts it.
     *
     * @throws IllegalStateException when it can't be run safely
     */
    public void starting() {
        new StartCheck(container, this).requireSafe();
        if (!warned) {
            warned = true;
            new StartCheck(container, this).warnings().forEach(log::warn);
        }
    }

    /** A consumer has started, on its own thread and before its first poll. */
    public void bind(ConsumerSeekCallback seeks) {
        BoundConsumer before = boundOrNull();
        if (before != null && before.belongsTo(seeks)) {
            return;
        }
        unbind(); // the adapter of @RetryableTopic doesn't tell the end of a consumer, and threads may be used again
        consumers.keySet().removeIf(thread -> !thread.isAlive());
        // Once more: a decorator around ours keeps the call at the start away from us.
        if (!stopUnless(this::starting)
                || !stopUnless(() -> new StartCheck(container, this).requireWatchedIfCooperative(seeks))) {
            return;
        }
        ClaimedPoll claims = claimAhead
                ? hooks.claimsAhead(container.getContainerProperties(), engine, deliveries, maxPollInterval(), seeks)
                : ClaimedPoll.none(engine, deliveries);
        consumers.put(
                Thread.currentThread(),
                new BoundConsumer(
                        engine,
                        maxPollInterval(),
                        maxUnfinished,
                        container.getGroupId() != null,
                        seeks,
                        hooks.bind(claims, seeks)));
    }

    /** These topics may be new, where a pattern finds them. */
    public void assigned(Collection<TopicPartition> partitions) {
        Set<String> topics = partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        StartCheck check = new StartCheck(container, this);
        read.addAll(topics); // a cooperative rebalance tells only what has come
        if (!stopUnless(() -> check.requireOneGroup(topics)) || !stopUnless(() -> check.requireModes(read))) {
            unbind(); // so that a record that has been fetched is an error, and isn't acked
        }
    }

    private boolean stopUnless(Runnable safe) {
        try {
            safe.run();
            return true;
        } catch (IllegalStateException | IllegalArgumentException e) {
            log.error("Stopping {} before it consumes anything", container.getListenerId(), e);
            container.stopAbnormally(() -> {});
            return false;
        }
    }

    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        BoundConsumer bound = boundOrNull();
        if (bound != null) {
            bound.revoked(partitions);
        }
    }

    public void unbind() {
        BoundConsumer bound = consumers.remove(Thread.currentThread());
        if (bound != null) {
            bound.revoked(null);
        }
        hooks.unbind();
    }

    /** This thread's consumer. An error where there is none: an exception would have the record given up. */
    public BoundConsumer bound() {
        BoundConsumer bound = boundOrNull();
        if (bound == null) {
            throw new UnboundListenerError(
                    "the listener that KafkaDedup decorated for container " + container.getListenerId()
                            + " is called by something that hides it from the container: decorate last");
        }
        return bound;
    }

    /** Stops the container, with nothing acked. */
    private static final class UnboundListenerError extends Error {
        private static final long serialVersionUID = 1L;

        UnboundListenerError(String message) {
            super(message);
        }
    }

    @Nullable
    public BoundConsumer boundOrNull() {
        return consumers.get(Thread.currentThread());
    }

    /** Something left the container's loop over what this thread's consumer has polled: the records may be dropped. */
    public void disturbed() {
        BoundConsumer bound = boundOrNull();
        if (bound != null) {
            bound.outstanding().disturbed();
        }
    }

    /** Keeps the deferred record's partition, or everything when the store is down and so it is wished, from coming. */
    public void backOff(DeliveryDeferredException deferral, MessageListenerContainer from) {
        if (deferral.pause() && !pauses.isClosed()) { // else nobody would end the pause
            pauses.pause(from);
        } else if (!bound().hold(from, deferral.partition(), deferral.retryAfter())) {
            InPlaceBackOff.await(from, deferral.retryAfter(), maxPollInterval());
        }
    }
}
