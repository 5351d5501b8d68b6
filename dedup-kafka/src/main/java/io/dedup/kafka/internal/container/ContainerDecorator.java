package io.dedup.kafka.internal.container;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.claimahead.ClaimsAhead;
import io.dedup.kafka.internal.consumer.BoundConsumers;
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
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.KafkaBackoffAwareMessageListenerAdapter;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/** Wires containers: which listener, which error handler, which hooks. Thread-safe. */
public final class ContainerDecorator implements AutoCloseable {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final StorePauses pauses;
    private final ConsumerThreads threads = new ConsumerThreads();
    private final PollHooks hooks = new PollHooks(threads::polls);
    private final ClaimsAhead claims;
    private final boolean claimAhead;
    private final int maxUnfinished;
    private final Replies replies;
    private final Timer timer = new Timer();

    /**
     * A decorator with threads of its own.
     *
     * @param claimAhead whether record listeners' records are claimed a poll at a time
     * @param maxUnfinished how many records of a partition a consumer gives to handlers from the first unfinished one on
     */
    public ContainerDecorator(
            DedupAdapter engine, RecordDeliveries deliveries, boolean claimAhead, int maxUnfinished, Replies replies) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.claimAhead = claimAhead;
        this.maxUnfinished = maxUnfinished;
        this.replies = replies;
        this.pauses = new StorePauses(timer, engine);
        this.claims = new ClaimsAhead(engine, deliveries, timer);
    }

    /**
     * Decorates a container; a second call changes nothing.
     *
     * @throws IllegalStateException when there is no message listener yet, or the container runs
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
            throw new IllegalStateException(container.getListenerId() + " is running: decorate it before its start");
        }
        Invocations invocations = new Invocations();
        boolean declaredLater = listener != null && HandlerCalls.take(listener, invocations);
        boolean answers = listener != null
                && HandlerCalls.stands(listener, invocations)
                && ReplyTemplate.take(listener, replies, invocations::replying);
        ContainerServices services = services(container);
        AsyncMode later = AsyncMode.of(container, declaredLater);
        // a copy that is claimed with its first would be answered before there is a reply; and a record whose
        // commit got no answer mustn't be claimed by anybody before it has one
        boolean claimsAhead = claimAhead
                && !answers
                && !FailureDecorator.isInKafkaTransaction(container)
                && listener instanceof MessageListener<?, ?>;
        DecoratedContainer decorated = new DecoratedContainer(
                container,
                services,
                new DeferralBackOff(container, services.consumers(), pauses),
                hooks,
                claims,
                new ListenerTraits(declaredLater, later != null, claimsAhead),
                maxUnfinished);
        hooks.install(ConsumerSettings.factoryOf(container));
        WatchedInterceptors.watch(container, services.consumers()::disturbed);
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
                new BoundConsumers(container, threads),
                deferrals,
                new KafkaTransactions(container, deferrals));
    }

    /** Of a listener that was decorated, within the adapter of a retry topic or not; null of any other. */
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
     * Looks at a decorated container before its start, which does the same.
     *
     * @return what is risky about it
     * @throws IllegalStateException when its start would be refused
     * @throws IllegalArgumentException when one of its topics has no ID extractor
     */
    public static List<String> check(AbstractMessageListenerContainer<?, ?> container) {
        DecoratedContainer decorated =
                decorated(container.getContainerProperties().getMessageListener());
        if (decorated == null) {
            throw new IllegalStateException(container.getListenerId()
                    + " isn't decorated, or its message listener was wrapped or replaced after it was: decorate last");
        }
        StartCheck check = decorated.check();
        check.requireSafe();
        return check.warnings();
    }

    /** The main container of a {@code @RetryableTopic}, whose further topics are planned there. */
    public void retryTopics(AbstractMessageListenerContainer<?, ?> main, DestinationTopicContainer destinations) {
        for (String topic : StartCheck.topics(main.getContainerProperties())) {
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
        throw new IllegalStateException(container.getListenerId()
                + (listener == null
                        ? " has no message listener yet: set it first, then decorate"
                        : " has a message listener of an unknown kind: "
                                + listener.getClass().getName()));
    }

    /** Ends the timer, and resumes the containers that are paused until the store answers. */
    @Override
    public void close() {
        timer.close();
        pauses.close();
        claims.close();
    }
}
