package io.dedup.simulation.share;

import static java.util.Objects.requireNonNull;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.share.ShareCircumstances.Acks;
import io.dedup.simulation.share.ShareCircumstances.CommitCallback;
import io.dedup.simulation.share.SimulatedShareConsumer.Fault;
import io.dedup.simulation.store.FailingStore;
import io.dedup.simulation.store.StoreOutage;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.kafka.core.ShareConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/** One process of the application: a deduplicator, the adapter, and a container with its consumers. */
final class ShareProcess {
    static final String TOPIC = "orders";
    static final String GROUP = "group";

    private final ShareWorld world;
    private final ShareBroker broker;
    private final String name;
    private final FailingStore store;
    private final StoreOutage outage;
    private final Deduplicator dedup;
    private final KafkaDedup kafka;
    private final ShareListener listener;
    private final List<String> members = new ArrayList<>();
    private @Nullable ShareKafkaMessageListenerContainer<String, String> container;
    private final long began;
    private boolean dead;

    ShareProcess(
            ShareWorld world,
            ShareBroker broker,
            String name,
            DedupStore records,
            ConcurrentMap<String, Integer> calls,
            StoreOutage outage) {
        this.world = world;
        this.broker = broker;
        this.name = name;
        this.outage = outage;
        this.began = world.now();
        this.store = new FailingStore(records, world.draws, calls, this::beforeStoreCall, step -> {
            if (!dead) {
                world.ledger.happened(Ledger.Kind.STORE_FAILED, name);
                world.step(name + " " + step);
            }
        });
        ShareCircumstances circumstances = world.circumstances;
        this.dedup = Deduplicators.builder(store.asStore())
                .consumer(GROUP)
                .shutdownTimeout(Duration.ofSeconds(2))
                .topic(
                        TOPIC,
                        policy -> policy.lease(circumstances.lease())
                                .maxProcessingTime(circumstances.processing())
                                .inFlightWait(Duration.ofMillis(500))
                                .maxDeferDelay(Duration.ofSeconds(2)))
                .build();
        this.kafka = KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("id"))
                .adminClient(
                        settings -> ShareAdmin.of(circumstances.limitIsUnknown() ? null : circumstances.deliveries()))
                .build();
        this.listener = new ShareListener(world, this);
    }

    private void beforeStoreCall(String call) {
        if (!dead) {
            outage.before(call);
        }
    }

    String name() {
        return name;
    }

    Deduplicator dedup() {
        return dedup;
    }

    boolean isDead() {
        return dead;
    }

    /** A dead process does nothing more. Its threads end as soon as they notice. */
    void mustLive() {
        if (dead) {
            throw new Died();
        }
    }

    /** Whether it has never reached the store, so that it should fetch nothing. */
    boolean hasNeverReachedTheStore() {
        return outage.isDownSince(began);
    }

    boolean has(String member) {
        return members.contains(member);
    }

    ShareListener listener() {
        return listener;
    }

    /** Starts the container. Returns false if it refuses its settings. */
    boolean start() {
        world.step(name + " starts");
        ShareCircumstances circumstances = world.circumstances;
        ContainerProperties properties = new ContainerProperties(TOPIC);
        properties.setGroupId(GROUP);
        boolean manual = circumstances.acks() != Acks.EXPLICIT;
        properties.setShareAckMode(
                circumstances.implicit()
                        ? ShareAckMode.IMPLICIT
                        : manual ? ShareAckMode.MANUAL : ShareAckMode.EXPLICIT);
        properties.setSyncShareCommits(!circumstances.asyncCommits());
        properties.setListenerTaskExecutor(new Threads());
        if (circumstances.callback() != CommitCallback.NONE) {
            properties.setAcknowledgementCommitCallback((offsets, failure) -> committed(failure));
        }
        properties.setMessageListener(
                manual
                        ? (AcknowledgingShareConsumerAwareMessageListener<String, String>) listener::onRecord
                        : (MessageListener<String, String>) record -> listener.onRecord(record, null, null));
        ShareKafkaMessageListenerContainer<String, String> made =
                kafka.shareGroups().container(new Consumers(), properties);
        made.setBeanName(name);
        made.setConcurrency(circumstances.concurrency());
        made.setShareConsumerRecordRecoverer(this::recover);
        container = made;
        try {
            made.start();
        } catch (IllegalStateException e) {
            if (circumstances.implicit()) {
                return false;
            }
            throw e;
        }
        return true;
    }

    private void committed(@Nullable Exception failure) {
        if (failure != null) {
            world.step(name + ": the callback gets " + failure.getClass().getSimpleName());
            if (world.circumstances.callback() == CommitCallback.THROWS) {
                throw new IllegalStateException("simulated: the callback throws");
            }
        }
    }

    private AcknowledgeType recover(ConsumerRecord<?, ?> record, Exception failure) {
        mustLive();
        String id = String.valueOf(record.value());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DeliveryDeferredException) {
                world.step(name + ": the recoverer gets " + id + ", deferred in delivery " + record.deliveryCount());
                if (record.deliveryCount().orElse((short) 0) < world.circumstances.deliveries()) {
                    return AcknowledgeType.REJECT; // judged as lost: it isn't its last delivery
                }
                world.givesUp(id);
                return AcknowledgeType.REJECT;
            }
        }
        AcknowledgeType type = switch (world.circumstances.recoverer()) {
            case RELEASES -> AcknowledgeType.RELEASE;
            case REJECTS -> AcknowledgeType.REJECT;
            case ACCEPTS -> AcknowledgeType.ACCEPT;
            case REJECTS_LATER -> world.ledger.failures(id) < 2 ? AcknowledgeType.RELEASE : AcknowledgeType.REJECT;
            case RENEWS -> AcknowledgeType.RENEW;
            case THROWS -> null;
        };
        if (type != AcknowledgeType.RELEASE && world.ledger.failures(id) > 0) {
            world.givesUp(id);
        }
        world.step(name + ": the recoverer gets " + id + ": " + type);
        if (type == null) {
            throw new IllegalStateException("simulated: the recoverer throws");
        }
        return type;
    }

    /** A container that has stopped because of an error is started again by its operator. */
    void startAgainIfStopped() {
        ShareKafkaMessageListenerContainer<String, String> current = container;
        if (!dead && current != null && !current.isInExpectedState()) {
            world.step(name + ": the container has stopped, and is started again");
            current.stop();
            boolean unused = start();
        }
    }

    /** One of its consumers is woken up. */
    void wakeUp(int number) {
        if (!consumers.isEmpty()) {
            world.step(name + " is woken up");
            consumers.get(number % consumers.size()).wakeup();
        }
    }

    private final List<SimulatedShareConsumer> consumers = new ArrayList<>();

    void crash() {
        dead = true;
        store.kill();
        world.ledger.happened(Ledger.Kind.CRASHED, name);
        world.step(name + " dies");
        members.forEach(broker::left);
    }

    /** Closes what it has opened. Of a dead process too: its threads must end, although nobody hears of it. */
    void close() {
        if (!dead) {
            world.step(name + " closes");
        }
        if (world.circumstances.deduplicatorClosesFirst()) {
            dedup.close();
            world.ledger.happened(Ledger.Kind.CLOSED, name);
        }
        requireNonNull(container).stop();
        listener.awaitWorkers();
        kafka.close();
        dedup.close();
        world.ledger.happened(Ledger.Kind.CLOSED, name);
        if (!dead) {
            world.step(name + " is closed");
        }
        dead = true;
    }

    /** The process doesn't exist any more. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1;

        Died() {
            super("the process has died", null, false, false);
        }
    }

    /** The container's threads. */
    private final class Threads implements AsyncTaskExecutor {
        @Override
        public void execute(Runnable task) {
            new Thread(task, name + "-consumer").start();
        }
    }

    private final class Consumers implements ShareConsumerFactory<String, String> {
        @Override
        public ShareConsumer<String, String> createShareConsumer(@Nullable String groupId, @Nullable String clientId) {
            return consumer(false);
        }

        @Override
        public ShareConsumer<String, String> createShareConsumer(
                @Nullable String groupId, @Nullable String clientId, Map<String, Object> overrides) {
            return consumer("explicit"
                    .equalsIgnoreCase(String.valueOf(overrides.get(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG))));
        }

        private ShareConsumer<String, String> consumer(boolean explicit) {
            String member = name + "-" + world.count("members of " + name);
            members.add(member);
            SimulatedShareConsumer consumer = new SimulatedShareConsumer(
                    broker, TOPIC, member, explicit, world.circumstances.maxPollRecords(), new Network(member));
            consumers.add(consumer);
            return consumer;
        }

        @Override
        public Map<String, Object> getConfigurationProperties() {
            return new HashMap<>();
        }
    }

    /** What a consumer meets. */
    private final class Network implements SimulatedShareConsumer.Place {
        private final String member;

        Network(String member) {
            this.member = member;
        }

        @Override
        public long nanoTime() {
            return world.now();
        }

        @Override
        public void await(BooleanSupplier condition, long until) {
            world.schedule.await(() -> dead || condition.getAsBoolean(), until, true);
        }

        @Override
        public void mustLive() {
            ShareProcess.this.mustLive();
        }

        private Fault fault(List<Fault> kinds, String call) {
            Fault fault = world.draws.happening(kinds, "at " + call + " " + world.count(call));
            if (fault != null) {
                world.step(member + ": " + fault);
                listener.disturbed();
            }
            return fault == null ? Fault.NONE : fault;
        }

        @Override
        public Fault atPoll() {
            return fault(List.of(Fault.POLL_THROWS, Fault.FETCH_ANSWER_LOST, Fault.SESSION_LOST), "poll");
        }

        @Override
        public Fault atCommit() {
            return fault(
                    List.of(
                            Fault.COMMIT_FAILS,
                            Fault.COMMIT_ANSWER_LOST,
                            Fault.COMMIT_SLOW,
                            Fault.OTHER_BROKER_ANSWERS_LAST,
                            Fault.BROKER_UNKNOWN,
                            Fault.SESSION_LOST),
                    "commit");
        }

        @Override
        public Duration slowness() {
            return Duration.ofMillis(200L << world.draws.below(7, "slow commit " + world.count("slow commit")));
        }

        @Override
        public void step(String step) {
            world.step(step);
        }

        @Override
        public void fetchWasLost() {
            listener.disturbed();
        }
    }
}
