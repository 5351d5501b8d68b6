package io.dedup.kafka.internal.container;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.consumer.CommitInquiries;
import io.dedup.kafka.internal.consumer.ConsumerThreads;
import io.dedup.kafka.internal.deferral.DeferralAwareErrorHandler;
import io.dedup.kafka.internal.deferral.DeferralBackOff;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.deferral.StorePauses;
import io.dedup.kafka.internal.handler.HandlerCalls;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.listener.ContainerLifecycle;
import io.dedup.kafka.internal.listener.DedupBatchMessageListener;
import io.dedup.kafka.internal.listener.DedupMessageListener;
import io.dedup.kafka.internal.poll.PollHooks;
import io.dedup.kafka.internal.poll.WatchedInterceptors;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.reply.ListenerReplies;
import io.dedup.kafka.internal.reply.Replies;
import io.dedup.kafka.internal.reply.ReplyTemplate;
import io.dedup.kafka.internal.settlement.AsyncMode;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.KafkaTransactions;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/** Decorates containers: replaces the listener and the error handler, and hooks the consumers. Thread-safe. */
public final class ContainerDecorator implements AutoCloseable {
    /** For the whole process, since several decorators decorate containers of one consumer factory. */
    private static final ConsumerThreads THREADS = new ConsumerThreads();

    private static final PollHooks HOOKS = new PollHooks(THREADS::polls);

    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final StorePauses pauses;
    private final ClaimedPolls claims;
    private final CommitInquiries inquiries;
    private final boolean claimAhead;
    private final int maxUnfinished;
    private final Replies replies;
    private final PollTimer timer = new PollTimer("dedup-kafka-timer", LoggerFactory.getLogger(KafkaLog.NAME));

    /**
     * Creates a decorator, with its own timer.
     *
     * @param claimAhead whether the records of record listeners are claimed a poll at a time
     * @param maxUnfinished the maximum number of records delivered to handlers from a partition's first unfinished one on
     * @param adminClient makes an admin client with the settings of a container's consumers
     */
    public ContainerDecorator(
            DedupAdapter engine,
            RecordDeliveries deliveries,
            boolean claimAhead,
            int maxUnfinished,
            Replies replies,
            Function<Map<String, Object>, Admin> adminClient) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.claimAhead = claimAhead;
        this.maxUnfinished = maxUnfinished;
        this.replies = replies;
        this.pauses = new StorePauses(timer, engine);
        this.claims = new ClaimedPolls(engine, timer);
        this.inquiries = new CommitInquiries(engine, timer, adminClient);
    }

    /** Whether a container was decorated, or is one for share groups of ours, which decorates itself at its start. */
    public static boolean isDecorated(MessageListenerContainer container) {
        return container instanceof AbstractMessageListenerContainer<?, ?> decorable
                ? decorated(decorable.getContainerProperties().getMessageListener()) != null
                : container instanceof SelfDecorating;
    }

    /**
     * Decorates a container; a second call has no effect.
     *
     * @throws IllegalStateException when the container has no message listener yet, or is running
     */
    public void decorate(AbstractMessageListenerContainer<?, ?> container) {
        Object listener = container.getContainerProperties().getMessageListener();
        DecoratedContainer before = decorated(listener);
        if (before != null) {
            if (listener instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?>
                    && !(container.getCommonErrorHandler()
                            instanceof DeferralAwareErrorHandler)) { // @RetryableTopic set its own
                FailureDecorator.decorateErrors(container, before);
            }
            return;
        }
        if (container.isRunning()) {
            throw new IllegalStateException("Cannot decorate listener container " + container.getListenerId()
                    + ": it is running. Decorate it before its start");
        }
        ContainerServices services = services(container);
        Invocations invocations = new Invocations((failure, record, taker) -> {
            BoundConsumer bound = services.consumers().currentOrNull();
            if (bound != null) { // else the application has called it on a thread of its own
                bound.takenFailure().threw(failure, record, taker);
            }
        });
        boolean declaredLater = listener != null && HandlerCalls.wrap(listener, invocations);
        boolean answers = listener != null
                && HandlerCalls.isWrapped(listener, invocations)
                && ReplyTemplate.take(listener, replies, invocations::replying);
        AsyncMode later = AsyncMode.of(container, declaredLater);
        // Not with replies: a copy that is claimed with its first would be answered before there is a reply.
        // Not in a Kafka transaction: a record whose commit got no answer mustn't be claimed before the answer is
        // known.
        boolean claimsAhead = claimAhead
                && !answers
                && !FailureDecorator.isInKafkaTransaction(container)
                && listener instanceof MessageListener<?, ?>;
        DecoratedContainer decorated = new DecoratedContainer(
                container,
                services,
                new DeferralBackOff(engine, deliveries, container, services.consumers(), pauses),
                claims,
                inquiries,
                new ListenerTraits(declaredLater, later != null, claimsAhead),
                maxUnfinished);
        HOOKS.install(ConsumerSettings.factoryOf(container));
        WatchedInterceptors.watch(container, services.consumers()::suspectDrop);
        ListenerReplies answered =
                new ListenerReplies(answers ? replies : null, deliveries, services.kafkaTransactions()::areUsed);
        container.setupMessageListener(
                decorated(listener, container, services, answered, invocations, later, decorated));
        FailureDecorator.decorate(container, decorated);
    }

    private ContainerServices services(AbstractMessageListenerContainer<?, ?> container) {
        Deferrals deferrals = new Deferrals(deliveries);
        return new ContainerServices(
                engine,
                deliveries,
                new BoundConsumers(container, THREADS),
                deferrals,
                new KafkaTransactions(container, deferrals));
    }

    /**
     * Returns the decoration of a listener, whether within the adapter of a retry topic or not; null if it isn't
     * decorated.
     */
    private static @Nullable DecoratedContainer decorated(@Nullable Object listener) {
        Object ours = listener instanceof KafkaBackoffAwareMessageListenerAdapter<?, ?> adapter
                ? adapter.getDelegate()
                : listener;
        if (ours instanceof DedupMessageListener<?, ?> records) {
            return (DecoratedContainer) records.lifecycle();
        }
        return ours instanceof DedupBatchMessageListener<?, ?> batches
                ? (DecoratedContainer) batches.lifecycle()
                : null;
    }

    /**
     * Checks a decorated container before it starts; its start runs the same checks.
     *
     * @return warnings about risky settings
     * @throws IllegalStateException when its start would be refused
     * @throws IllegalArgumentException when one of its topics has no ID extractor
     */
    public static List<String> check(AbstractMessageListenerContainer<?, ?> container) {
        DecoratedContainer decorated =
                decorated(container.getContainerProperties().getMessageListener());
        if (decorated == null) {
            throw new IllegalStateException("Cannot check listener container " + container.getListenerId()
                    + ": it isn't decorated, or its message listener was wrapped or replaced after the decoration. Set"
                    + " the listener first, then decorate");
        }
        ContainerStartCheck check = decorated.check();
        check.requireSafe();
        return check.warnings();
    }

    /**
     * Registers the main container of a {@code @RetryableTopic}, whose retry and dead-letter topics are listed in
     * {@code destinations}.
     */
    public void retryTopics(AbstractMessageListenerContainer<?, ?> main, DestinationTopicContainer destinations) {
        for (String topic : ContainerStartCheck.topics(main.getContainerProperties())) {
            deliveries.roles().plan(destinations, main.getListenerId(), topic);
        }
    }

    private static Object decorated(
            @Nullable Object listener,
            AbstractMessageListenerContainer<?, ?> container,
            ContainerServices services,
            ListenerReplies answered,
            Invocations invocations,
            @Nullable AsyncMode later,
            ContainerLifecycle lifecycle) {
        if (listener instanceof BatchMessageListener<?, ?> batch) {
            return new DedupBatchMessageListener<>(batch, services, lifecycle);
        }
        if (listener instanceof MessageListener<?, ?> records) {
            return new DedupMessageListener<>(records, services, answered, invocations, later, lifecycle);
        }
        throw new IllegalStateException("Cannot decorate listener container " + container.getListenerId()
                + (listener == null
                        ? ": it has no message listener yet. Set the listener first, then decorate"
                        : ": its message listener is of an unsupported type, "
                                + listener.getClass().getName()));
    }

    /** Stops the timer and resumes the containers that are paused until the store answers. */
    @Override
    public void close() {
        inquiries.close(); // first: it needs the timer
        timer.close();
        pauses.close();
        claims.close();
    }
}
