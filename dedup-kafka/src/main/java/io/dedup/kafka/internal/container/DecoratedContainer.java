package io.dedup.kafka.internal.container;

import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.consumer.CommitInquiries;
import io.dedup.kafka.internal.consumer.ConsumerLimits;
import io.dedup.kafka.internal.deferral.DeferralBackOff;
import io.dedup.kafka.internal.listener.ContainerLifecycle;
import io.dedup.kafka.internal.poll.ConsumerWrapper;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** A decorated container: checks its starts, and binds its consumers to their threads. Thread-safe. */
final class DecoratedContainer implements ContainerLifecycle {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final AbstractMessageListenerContainer<?, ?> container;
    private final ContainerServices services;
    private final DeferralBackOff backOff;
    private final ClaimedPolls claimedPolls;
    private final CommitInquiries inquiries;
    private final ListenerTraits traits;
    private final int maxUnfinished;
    private final BoundConsumers consumers;
    /** The topics that its consumers have been assigned so far. */
    private final Set<String> read = ConcurrentHashMap.newKeySet();

    private volatile boolean warned;

    DecoratedContainer(
            AbstractMessageListenerContainer<?, ?> container,
            ContainerServices services,
            DeferralBackOff backOff,
            ClaimedPolls claimedPolls,
            CommitInquiries inquiries,
            ListenerTraits traits,
            int maxUnfinished) {
        this.container = container;
        this.services = services;
        this.backOff = backOff;
        this.claimedPolls = claimedPolls;
        this.inquiries = inquiries;
        this.traits = traits;
        this.maxUnfinished = maxUnfinished;
        this.consumers = services.consumers();
    }

    ContainerStartCheck check() {
        return new ContainerStartCheck(container, services, traits);
    }

    ContainerServices services() {
        return services;
    }

    DeferralBackOff backOff() {
        return backOff;
    }

    ListenerTraits traits() {
        return traits;
    }

    @Override
    public void starting() {
        check().requireSafe();
        if (!warned) {
            warned = true;
            check().warnings().forEach(log::warn);
            if (services.kafkaTransactions().areUsed()) {
                warnOfOldTransactions();
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // only logs
    private void warnOfOldTransactions() {
        try {
            TransactionVersion.warning(
                            new ConsumerSettings(container).ofAdmin(),
                            "Listener container " + container.getListenerId())
                    .whenComplete((warning, failure) -> {
                        if (failure != null) {
                            log.debug("Cannot ask for the broker's transaction.version", failure);
                        } else if (!warning.isEmpty()) {
                            log.warn(warning);
                        }
                    });
        } catch (RuntimeException e) { // for example a consumer factory of a test, without an address
            log.debug("Cannot ask for the broker's transaction.version", e);
        }
    }

    @Override
    public void consumerStarted(ConsumerSeekCallback seeks) {
        BoundConsumer before = consumers.currentOrNull();
        if (before != null && before.belongsTo(seeks)) {
            return;
        }
        // The adapter of @RetryableTopic doesn't report the end of a consumer, and its thread may be used again.
        consumerStopped();
        // Checked again here: another decorator around this listener may swallow the call at the start.
        if (!stopUnless(this::starting) || !stopUnless(() -> check().requireWatched(seeks))) {
            return;
        }
        Duration maxPollInterval = new ConsumerSettings(container).maxPollInterval();
        ConsumerLimits limits = new ConsumerLimits(maxPollInterval, maxUnfinished, container.getGroupId() != null);
        consumers.started(new BoundConsumer(
                services.engine(),
                limits,
                seeks,
                claims(seeks, maxPollInterval),
                services.deliveries(),
                inquiries.of(container),
                this));
    }

    /**
     * Claims nothing ahead if polls and commits cannot be seen: polls return unused claims, and commits wait for
     * successes to be recorded.
     */
    private ClaimedPoll claims(ConsumerSeekCallback seeks, Duration maxPollInterval) {
        boolean queued = container.getContainerProperties().getAckMode() != AckMode.MANUAL_IMMEDIATE;
        return traits.claimsAhead() && !ConsumerWrapper.isBare(seeks)
                ? claimedPolls.of(queued, maxPollInterval)
                : claimedPolls.none();
    }

    /** The topics may be new if the container reads a pattern. */
    @Override
    public void assigned(Collection<TopicPartition> partitions) {
        Set<String> topics = partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        ContainerStartCheck check = check();
        read.addAll(topics); // a cooperative rebalance reports only added partitions
        if (!stopUnless(() -> check.requireOneGroup(topics)) || !stopUnless(() -> check.requireModes(read))) {
            consumerStopped(); // a record that was fetched already then causes an Error and isn't acked
        }
    }

    private boolean stopUnless(Runnable safe) {
        try {
            safe.run();
            return true;
        } catch (IllegalStateException | IllegalArgumentException e) {
            log.error(
                    "Stopping listener container {} before it consumes anything: {}",
                    container.getListenerId(),
                    e.getMessage(),
                    e);
            container.stopAbnormally(() -> {});
            return false;
        }
    }

    @Override
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        Optional.ofNullable(consumers.currentOrNull()).ifPresent(bound -> bound.revoked(partitions));
    }

    @Override
    public void leftUnnoticed(Collection<TopicPartition> partitions) {
        Optional.ofNullable(consumers.currentOrNull()).ifPresent(bound -> bound.leftUnnoticed(partitions));
    }

    @Override
    public void consumerStopped() {
        consumers.stopped();
    }
}
