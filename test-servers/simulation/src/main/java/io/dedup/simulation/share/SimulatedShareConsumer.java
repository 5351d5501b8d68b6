package io.dedup.simulation.share;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A member of a share group, as the client of Kafka 4.2 behaves: what is fetched waits in a buffer while its locks run; what is
 * acknowledged leaves the records in flight when it is sent; a renewed record is returned by the next poll once more; a failed
 * commit drops its renewals. As in that client, renewals without an outcome, and those of a commit whose last answer is for other
 * acknowledgments only, are waited for by all polls from then on.
 */
final class SimulatedShareConsumer implements ShareConsumer<String, String> {
    private static final Duration API_TIMEOUT = Duration.ofMinutes(1);
    private static final Uuid TOPIC_ID = new Uuid(1, 1);

    /** Where a consumer lives. */
    interface Place {
        long nanoTime();

        /** Waits, at most until then. */
        void await(BooleanSupplier condition, long until);

        /** Throws if the process has died. */
        default void mustLive() {}

        /** What goes wrong at this poll or commit. */
        default Fault atPoll() {
            return Fault.NONE;
        }

        default Fault atCommit() {
            return Fault.NONE;
        }

        /** How long a slow commit takes. */
        default Duration slowness() {
            return Duration.ZERO;
        }

        default void step(String step) {}

        /** What was acquired has not arrived. */
        default void fetchWasLost() {}
    }

    /** What goes wrong in a call. */
    enum Fault {
        NONE,
        /** Nothing is executed. */
        COMMIT_FAILS,
        COMMIT_ANSWER_LOST,
        COMMIT_SLOW,
        /** Each partition has a broker of its own, and one whose acknowledgments hold no renewal answers last. */
        OTHER_BROKER_ANSWERS_LAST,
        /** A partition's broker isn't known any more. */
        BROKER_UNKNOWN,
        /** The connection breaks: the broker takes back everything. */
        SESSION_LOST,
        POLL_THROWS,
        /** What the broker acquires next doesn't arrive. */
        FETCH_ANSWER_LOST
    }

    private final ShareBroker broker;
    private final String topic;
    private final String member;
    private final boolean explicit;
    private final int maxPollRecords;
    private final Place place;
    private final Deque<ShareBroker.Delivery> buffer = new ArrayDeque<>();
    private final List<Runnable> answers = new ArrayList<>();
    private Map<Integer, ShareFetched> current = new LinkedHashMap<>();
    private @Nullable AcknowledgementCommitCallback callback;
    private Set<String> topics = Set.of();
    private Optional<Integer> lock = Optional.empty();
    private boolean loseNextFetch;
    private boolean woken;
    private boolean inCallback;
    private boolean closed;

    SimulatedShareConsumer(
            ShareBroker broker, String topic, String member, boolean explicit, int maxPollRecords, Place place) {
        this.broker = broker;
        this.topic = topic;
        this.member = member;
        this.explicit = explicit;
        this.maxPollRecords = maxPollRecords;
        this.place = place;
    }

    private void mustBeOpen() {
        place.mustLive();
        if (closed) {
            throw new IllegalStateException("This consumer has already been closed.");
        }
        if (inCallback) {
            throw new IllegalStateException("simulated: not accessible from an acknowledgment commit callback");
        }
    }

    @Override
    public ConsumerRecords<String, String> poll(Duration timeout) {
        mustBeOpen();
        runAnswers();
        if (!explicit) {
            current.values().forEach(ShareFetched::acceptTheRest);
        } else if (!current.values().stream().allMatch(ShareFetched::isAcknowledged)) {
            throw new IllegalStateException("All records must be acknowledged in explicit acknowledgment mode.");
        }
        if (topics.isEmpty()) {
            throw new IllegalStateException("Consumer is not subscribed to any topics.");
        }
        Fault fault = place.atPoll();
        if (fault == Fault.POLL_THROWS) {
            throw new KafkaException("simulated: a poll fails");
        }
        if (fault == Fault.SESSION_LOST) {
            broker.left(member);
        }
        loseNextFetch |= fault == Fault.FETCH_ANSWER_LOST;
        long until = place.nanoTime() + timeout.toNanos();
        while (true) {
            if (woken) {
                woken = false;
                throw new WakeupException();
            }
            sendLater(take());
            if (collect()) {
                runAnswers();
                return records();
            }
            if (place.nanoTime() >= until) {
                runAnswers();
                return ConsumerRecords.empty();
            }
            place.await(() -> !buffer.isEmpty() || woken, Math.min(until, broker.nextTimeout()));
            place.mustLive();
            broker.serve();
        }
    }

    /** Whether there are records to return. */
    private boolean collect() {
        if (current.values().stream().anyMatch(ShareFetched::hasRenewals)) {
            current.values().forEach(ShareFetched::takeRenewed);
        } else if (current.values().stream().allMatch(ShareFetched::isEmpty)) {
            if (buffer.isEmpty()) {
                broker.fetch(new ShareBroker.Fetch() {
                    @Override
                    public String member() {
                        return member;
                    }

                    @Override
                    public void answer(List<ShareBroker.Delivery> acquired) {
                        if (loseNextFetch) {
                            loseNextFetch = false;
                            place.fetchWasLost();
                            place.step(member + ": the answer to a fetch is lost: " + acquired);
                        } else {
                            buffer.addAll(acquired);
                        }
                    }
                });
            }
            if (!buffer.isEmpty()) {
                current = new LinkedHashMap<>();
                lock = Optional.of(broker.lockMillis());
                ShareBroker.Stored last = null; // a batch isn't divided
                for (int i = 0;
                        !buffer.isEmpty()
                                && (i < maxPollRecords
                                        || buffer.element().record().isOfTheSameBatch(last));
                        i++) {
                    ShareBroker.Delivery next = buffer.remove();
                    last = next.record();
                    current.computeIfAbsent(next.record().partition, key -> new ShareFetched())
                            .add(record(next));
                }
            }
        }
        return current.values().stream().anyMatch(each -> !each.inFlight().isEmpty());
    }

    private ConsumerRecord<String, String> record(ShareBroker.Delivery delivery) {
        ShareBroker.Stored stored = delivery.record();
        RecordHeaders headers = new RecordHeaders();
        headers.add("id", stored.id.getBytes(StandardCharsets.UTF_8));
        return new ConsumerRecord<>(
                topic,
                stored.partition,
                stored.offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                null,
                stored.id,
                headers,
                Optional.empty(),
                Optional.of(delivery.count()));
    }

    private ConsumerRecords<String, String> records() {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> records = new LinkedHashMap<>();
        current.forEach((partition, fetched) -> {
            if (!fetched.inFlight().isEmpty()) {
                records.put(new TopicPartition(topic, partition), fetched.inFlight());
            }
        });
        return new ConsumerRecords<>(records, Map.of());
    }

    /** Whether a poll would return records at once. */
    boolean hasNext() {
        boolean renewed = current.values().stream().anyMatch(ShareFetched::hasRenewals);
        boolean open = current.values().stream().anyMatch(each -> !each.isAcknowledged());
        return !open && (renewed || !buffer.isEmpty() || broker.hasAvailable());
    }

    /** Whether everything that it has returned is acknowledged. */
    boolean isAcknowledged() {
        return current.values().stream().allMatch(ShareFetched::isAcknowledged);
    }

    private Map<Integer, SortedMap<Long, AcknowledgeType>> take() {
        Map<Integer, SortedMap<Long, AcknowledgeType>> taken = new LinkedHashMap<>();
        current.forEach((partition, fetched) -> {
            SortedMap<Long, AcknowledgeType> types = fetched.take();
            if (!types.isEmpty()) {
                taken.put(partition, types);
            }
        });
        return taken;
    }

    /** Without waiting for the answers: the consumer sees them in a later call. */
    private void sendLater(Map<Integer, SortedMap<Long, AcknowledgeType>> acknowledgments) {
        if (acknowledgments.isEmpty()) {
            return;
        }
        Map<Integer, ShareFetched> of = current;
        Map<Integer, Optional<KafkaException>> failures = execute(acknowledgments, place.atCommit());
        answers.add(() -> answered(of, acknowledgments, failures));
    }

    private Map<Integer, Optional<KafkaException>> execute(
            Map<Integer, SortedMap<Long, AcknowledgeType>> acknowledgments, Fault fault) {
        if (fault != Fault.NONE) {
            place.step(member + ": " + fault + " for " + acknowledgments);
        }
        if (fault == Fault.SESSION_LOST) {
            broker.left(member);
        }
        Map<Integer, Optional<KafkaException>> failures = new LinkedHashMap<>();
        acknowledgments.forEach((partition, types) -> {
            RuntimeException refused = fault == Fault.COMMIT_FAILS || fault == Fault.SESSION_LOST
                    ? new UnknownServerException("simulated")
                    : broker.acknowledge(member, partition, types);
            if (fault == Fault.COMMIT_ANSWER_LOST) {
                refused = new TimeoutException("simulated");
            }
            failures.put(partition, Optional.ofNullable((KafkaException) refused));
        });
        return failures;
    }

    private void answered(
            Map<Integer, ShareFetched> of,
            Map<Integer, SortedMap<Long, AcknowledgeType>> acknowledgments,
            Map<Integer, Optional<KafkaException>> failures) {
        acknowledgments.forEach((partition, types) -> {
            ShareFetched fetched = of.get(partition);
            KafkaException failure =
                    failures.getOrDefault(partition, Optional.empty()).orElse(null);
            if (fetched != null) {
                fetched.answered(types, failure != null);
            }
            if (callback != null) {
                inCallback = true;
                try {
                    callback.onComplete(Map.of(partition(partition), types.keySet()), failure);
                } catch (RuntimeException e) {
                    place.step(member + ": the client logs what the callback throws: " + e.getMessage());
                } finally {
                    inCallback = false;
                }
            }
        });
    }

    private void runAnswers() {
        List<Runnable> arrived = List.copyOf(answers);
        answers.clear();
        arrived.forEach(Runnable::run);
    }

    private TopicIdPartition partition(int partition) {
        return new TopicIdPartition(TOPIC_ID, new TopicPartition(topic, partition));
    }

    @Override
    public void acknowledge(ConsumerRecord<String, String> record) {
        acknowledge(record, AcknowledgeType.ACCEPT);
    }

    @Override
    public void acknowledge(ConsumerRecord<String, String> record, AcknowledgeType type) {
        mustBeOpen();
        if (!explicit) {
            throw new IllegalStateException("Implicit acknowledgment of delivery is being used.");
        }
        ShareFetched fetched = current.get(record.partition());
        if (fetched == null) {
            throw new IllegalStateException("The record cannot be acknowledged.");
        }
        fetched.acknowledge(record.offset(), type);
    }

    /** For records that couldn't be deserialized, of which there are none. */
    @Override
    public void acknowledge(String ofTopic, int partition, long offset, AcknowledgeType type) {
        mustBeOpen();
        throw new IllegalStateException(
                explicit ? "The record cannot be acknowledged." : "Implicit acknowledgment of delivery is being used.");
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync() {
        return commitSync(API_TIMEOUT);
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync(Duration timeout) {
        mustBeOpen();
        Map<Integer, SortedMap<Long, AcknowledgeType>> acknowledgments = toCommit();
        if (acknowledgments.isEmpty()) {
            return Map.of();
        }
        if (woken) {
            woken = false;
            sendLater(acknowledgments);
            throw new WakeupException();
        }
        Fault fault = place.atCommit();
        if (fault == Fault.COMMIT_SLOW) {
            Duration slowness = place.slowness();
            place.step(member + ": a commit takes " + slowness.toMillis() + " ms: " + acknowledgments);
            place.await(() -> false, place.nanoTime() + Math.min(slowness.toNanos(), timeout.toNanos()));
            place.mustLive();
            fault = slowness.compareTo(timeout) > 0 ? Fault.COMMIT_ANSWER_LOST : Fault.NONE;
        }
        if (fault == Fault.BROKER_UNKNOWN) {
            place.step(member + ": the broker of a partition isn't known: "
                    + acknowledgments.remove(last(acknowledgments)));
        }
        Map<Integer, Optional<KafkaException>> failures = execute(acknowledgments, fault);
        Map<Integer, ShareFetched> of = current;
        if (fault != Fault.OTHER_BROKER_ANSWERS_LAST
                || acknowledgments.values().stream().allMatch(SimulatedShareConsumer::renews)) {
            answers.add(() -> answered(of, acknowledgments, failures));
        }
        runAnswers();
        Map<TopicIdPartition, Optional<KafkaException>> result = new HashMap<>();
        failures.forEach((partition, failure) -> result.put(partition(partition), failure));
        return result;
    }

    private static Integer last(Map<Integer, SortedMap<Long, AcknowledgeType>> acknowledgments) {
        return Collections.max(acknowledgments.keySet());
    }

    private static boolean renews(SortedMap<Long, AcknowledgeType> types) {
        return types.containsValue(AcknowledgeType.RENEW);
    }

    private Map<Integer, SortedMap<Long, AcknowledgeType>> toCommit() {
        runAnswers();
        if (!explicit) {
            current.values().forEach(ShareFetched::acceptTheRest);
        }
        return take();
    }

    @Override
    public void commitAsync() {
        mustBeOpen();
        sendLater(toCommit());
    }

    @Override
    public void setAcknowledgementCommitCallback(@Nullable AcknowledgementCommitCallback it) {
        mustBeOpen();
        callback = it;
    }

    @Override
    public Set<String> subscription() {
        mustBeOpen();
        return topics;
    }

    @Override
    public void subscribe(Collection<String> some) {
        mustBeOpen();
        topics = Set.copyOf(some);
    }

    @Override
    public void unsubscribe() {
        mustBeOpen();
        topics = Set.of();
        broker.left(member);
    }

    @Override
    public Optional<Integer> acquisitionLockTimeoutMs() {
        mustBeOpen();
        return lock;
    }

    /** Sends what is acknowledged; the broker takes back the rest. */
    @Override
    public void close() {
        place.mustLive();
        if (closed) {
            return;
        }
        closed = true;
        sendLater(take());
        broker.left(member);
        runAnswers();
    }

    @Override
    public void close(Duration timeout) {
        close();
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw new IllegalStateException("simulated: telemetry is not enabled");
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return Map.of();
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}
}
