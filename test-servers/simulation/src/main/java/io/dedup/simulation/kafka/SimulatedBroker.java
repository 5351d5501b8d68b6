package io.dedup.simulation.kafka;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The logs of one topic's partitions and of the retry and dead-letter topics that belong to it, and the offsets that the one group of each
 * topic has committed. Thread-safe.
 */
public final class SimulatedBroker {
    private static final class Log {
        private final List<ConsumerRecord<String, String>> records = new ArrayList<>();
        private long begin;
        private long end;
    }

    private final String topic;
    private final int count;
    private final Map<TopicPartition, Log> logs = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private final List<String> outputs = new ArrayList<>();
    private final List<OpenTransaction> open = new ArrayList<>();
    private final Map<TopicPartition, Set<String>> unanswered = new HashMap<>();
    private final Set<String> undecidable = new HashSet<>();
    private final Set<String> replies = new HashSet<>();
    private final Set<String> deadLetters = new HashSet<>();
    private final List<ConsumerRecord<String, String>> passedOn = new ArrayList<>();
    /** What an administrator has deleted, or what Kafka itself skips after that. */
    private final Set<String> deleted = new HashSet<>();
    /** Partitions whose log has been cut above a position, so that Kafka may reset it. */
    private final Set<TopicPartition> cut = new HashSet<>();

    /** Partitions whose committed offset is that of a topic that was deleted. */
    private final Set<TopicPartition> staleCommits = new HashSet<>();

    /** Behind the last record that was read of each partition, since the topic was made. */
    private final Map<TopicPartition, Long> read = new HashMap<>();

    /** Up to where records of the former topic were read and not committed: their commits may still come. */
    private final Map<TopicPartition, Long> ofFormer = new HashMap<>();

    /** Up to where commits of each partition weren't executed. */
    private final Map<TopicPartition, Long> refused = new HashMap<>();

    private Consumer<ConsumerRecord<String, String>> whenCommitted = record -> {};
    private boolean recreated;
    private int generation;
    private int ticks;

    /**
     * A transaction whose commit got no answer.
     *
     * @param superseded of which other offsets were written since: the group coordinator keeps the one that was written last, whichever
     *     transaction commits last
     */
    private record OpenTransaction(
            Map<TopicPartition, OffsetAndMetadata> offsets,
            List<String> outputs,
            boolean late,
            Set<TopicPartition> superseded) {}

    /** A topic whose partitions are empty; the group has committed their beginnings. */
    public SimulatedBroker(String topic, int partitions) {
        this.topic = topic;
        this.count = partitions;
        make(topic);
    }

    /** Makes a topic, if there is none yet, with as many partitions; its group has committed their beginnings. */
    synchronized void make(String name) {
        for (int partition = 0; partition < count; partition++) {
            TopicPartition each = new TopicPartition(name, partition);
            if (logs.putIfAbsent(each, new Log()) == null) {
                committed.put(each, 0L);
            }
        }
    }

    private Log log(TopicPartition partition) {
        return requireNonNull(logs.get(partition), () -> "no partition " + partition);
    }

    public String topic() {
        return topic;
    }

    public List<TopicPartition> partitions() {
        return partitions(topic);
    }

    synchronized List<TopicPartition> partitions(String name) {
        return logs.keySet().stream().filter(each -> each.topic().equals(name)).toList();
    }

    /** Appends a record with this header {@code id}. Returns its offset. */
    public synchronized long append(int partition, @Nullable String id, String value) {
        RecordHeaders headers = new RecordHeaders();
        if (id != null) {
            headers.add("id", id.getBytes(StandardCharsets.UTF_8));
        }
        TopicPartition to = new TopicPartition(topic, partition);
        if (staleCommits.contains(to)) {
            deleted.add(value); // below an offset that is committed already
        }
        return append(to, headers, value).offset();
    }

    /** Appends a record to another topic, with its value as its ID. */
    public synchronized void append(String name, int partition, String value) {
        make(name);
        RecordHeaders headers = new RecordHeaders();
        headers.add("id", value.getBytes(StandardCharsets.UTF_8));
        ConsumerRecord<String, String> unused = append(new TopicPartition(name, partition), headers, value);
    }

    /** A consumer has passed a record on to a retry or dead-letter topic. */
    synchronized void passOn(TopicPartition to, Headers headers, String value) {
        passedOn.add(append(to, headers, value));
    }

    private ConsumerRecord<String, String> append(TopicPartition to, Headers headers, String value) {
        Log log = log(to);
        ConsumerRecord<String, String> appended = new ConsumerRecord<>(
                to.topic(),
                to.partition(),
                log.end,
                1_700_000_000_000L + log.end,
                TimestampType.CREATE_TIME,
                0,
                value.length(),
                null,
                value,
                new RecordHeaders(headers),
                Optional.of(0));
        log.records.add(appended);
        log.end++;
        return appended;
    }

    /** Leaves an offset without a record, as a transaction's marker or compaction does. */
    public synchronized void gap(int partition) {
        log(new TopicPartition(topic, partition)).end++;
    }

    /** Retention deletes the records below this offset. */
    public synchronized void deleteBelow(TopicPartition partition, long offset) {
        Log log = log(partition);
        log.begin = Math.max(log.begin, Math.min(offset, log.end));
        log.records.removeIf(record -> record.offset() < log.begin);
    }

    public synchronized long begin(TopicPartition partition) {
        return log(partition).begin;
    }

    public synchronized long end(TopicPartition partition) {
        return log(partition).end;
    }

    synchronized @Nullable Long committed(TopicPartition partition) {
        return committed.get(partition);
    }

    /** Where a consumer begins: it waits for transactions that may still move it. */
    synchronized @Nullable Long beginning(TopicPartition partition) {
        if (isUnstable(List.of(partition))) {
            endTransactions();
        }
        return committed.get(partition);
    }

    /** The committed offset of each partition. */
    public synchronized Map<TopicPartition, Long> committed() {
        return new LinkedHashMap<>(committed);
    }

    /** A consumer has asked for a commit that isn't executed. */
    synchronized void refused(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> refused.merge(partition, offset.offset(), Math::max));
    }

    /**
     * Whether the groups would read something again.
     *
     * @param counting whether commits that weren't executed count: nobody has to ask once more
     * @param unless messages that don't count
     */
    public synchronized boolean isAnythingUncommitted(boolean counting, Predicate<String> unless) {
        return logs.entrySet().stream()
                .anyMatch(each -> each.getValue().records.stream()
                        .filter(record -> record.offset() >= committed.getOrDefault(each.getKey(), 0L))
                        .filter(record -> !counting || record.offset() >= refused.getOrDefault(each.getKey(), 0L))
                        .anyMatch(record -> !deleted.contains(record.value()) && !unless.test(record.value())));
    }

    /** Whether the group still reads another record of this message. */
    public synchronized boolean hasUncommittedCopy(ConsumerRecord<String, String> record) {
        return logs.entrySet().stream()
                .filter(each -> each.getKey().topic().equals(record.topic()))
                .anyMatch(each -> each.getValue().records.stream()
                        .filter(other -> other != record && Objects.equals(other.value(), record.value()))
                        .anyMatch(other -> other.offset() >= committed.getOrDefault(each.getKey(), 0L)));
    }

    /** @param committed is called with each record as soon as the group would not read it again */
    public synchronized void watchCommits(Consumer<ConsumerRecord<String, String>> committed) {
        whenCommitted = committed;
    }

    synchronized void commitBeginnings() {
        logs.keySet().forEach(each -> committed.put(each, 0L));
    }

    synchronized void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        open.forEach(each -> each.superseded.addAll(offsets.keySet()));
        offsets.forEach((partition, offset) -> {
            long before = committed.getOrDefault(partition, 0L);
            committed.put(partition, offset.offset());
            log(partition).records.stream()
                    .filter(record -> record.offset() >= before && record.offset() < offset.offset())
                    .forEach(whenCommitted);
            if (recreated
                    && (offset.offset() > read.getOrDefault(partition, 0L)
                            || offset.offset() <= ofFormer.getOrDefault(partition, 0L))) { // of the former topic
                log(partition).records.stream()
                        .filter(record -> record.offset() < offset.offset())
                        .forEach(record -> deleted.add(record.value()));
            }
            if (offset.offset() > end(partition)) { // of a topic that doesn't exist any more
                staleCommits.add(partition);
            }
        });
    }

    /** A transaction commits. */
    synchronized void commitTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, List<String> values) {
        for (String each : values) {
            if (each.startsWith(SimulatedProducers.REPLY)) {
                replies.add(each.substring(SimulatedProducers.REPLY.length()));
            } else {
                outputs.add(each);
            }
        }
        commit(offsets);
    }

    /**
     * A transaction's commit gets no answer.
     *
     * @param late whether it is executed later
     */
    synchronized void leaveOpen(Map<TopicPartition, OffsetAndMetadata> offsets, List<String> values, boolean late) {
        open.add(new OpenTransaction(Map.copyOf(offsets), List.copyOf(values), late, new HashSet<>()));
        unanswered(offsets, values);
    }

    /** The transactions that got no answer end: a producer with their ID has begun its work. */
    public synchronized void endTransactions() {
        List<OpenTransaction> ended = List.copyOf(open);
        open.clear();
        for (OpenTransaction each : ended) {
            if (each.late) {
                Map<TopicPartition, OffsetAndMetadata> last = new HashMap<>(each.offsets);
                last.keySet().removeAll(each.superseded);
                commitTransaction(last, each.outputs);
            }
        }
    }

    /**
     * What is committed of these, if no open transaction may still move it. Whoever asks knows then how the commits of transactions
     * ended that got no answer.
     */
    synchronized Map<TopicPartition, OffsetAndMetadata> stable(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>();
        for (TopicPartition each : partitions) {
            Long offset = committed.get(each);
            found.put(each, offset == null ? null : new OffsetAndMetadata(offset));
            unanswered.remove(each);
        }
        return found;
    }

    /** A transaction has committed, or may commit, but its answer is lost. */
    synchronized void unanswered(Map<TopicPartition, OffsetAndMetadata> offsets, List<String> values) {
        offsets.keySet()
                .forEach(each ->
                        unanswered.computeIfAbsent(each, key -> new HashSet<>()).addAll(values));
    }

    /**
     * The outputs of transactions whose commit got no answer before the topic was made again. The group's offsets, which would have
     * shown how it ended, were deleted with the topic.
     */
    public synchronized Set<String> undecidable() {
        return Set.copyOf(undecidable);
    }

    /** Whether an open transaction may still move the committed offsets of these. */
    synchronized boolean isUnstable(Collection<TopicPartition> partitions) {
        return open.stream().anyMatch(each -> partitions.stream().anyMatch(each.offsets::containsKey));
    }

    /** An administrator deletes the records below this offset. */
    synchronized void deleteRecords(TopicPartition partition, long offset) {
        cut.add(partition);
        log(partition).records.stream()
                .filter(record -> record.offset() < offset)
                .forEach(record -> deleted.add(record.value()));
        deleteBelow(partition, offset);
    }

    /** The topic is deleted and made again, with empty partitions; what the group had committed is deleted. */
    synchronized void recreate() {
        for (TopicPartition each : partitions()) {
            long polled = read.getOrDefault(each, 0L);
            if (polled > committed.getOrDefault(each, 0L)) {
                ofFormer.merge(each, polled, Math::max);
            }
            deleteRecords(each, end(each));
            Log log = log(each);
            log.begin = 0;
            log.end = 0;
        }
        committed.clear();
        unanswered.values().forEach(undecidable::addAll);
        unanswered.clear();
        read.clear();
        recreated = true;
        open.replaceAll(each -> new OpenTransaction(Map.of(), each.outputs, each.late, each.superseded));
    }

    /** Kafka resets a position to the log's end. */
    synchronized void reset(TopicPartition partition) {
        if (cut.contains(partition)) {
            log(partition).records.forEach(record -> deleted.add(record.value()));
            Long offset = committed.get(partition);
            if (offset != null && offset >= begin(partition) && offset <= end(partition)) {
                cut.remove(partition); // nobody begins out of the log's range any more
            }
        }
    }

    /** What an administrator has deleted, or Kafka has skipped because of that: nobody promises to handle it. */
    public synchronized Set<String> deleted() {
        return Set.copyOf(deleted);
    }

    /** What transactions have committed. */
    public synchronized List<String> outputs() {
        return List.copyOf(outputs);
    }

    synchronized void reply(String value) {
        replies.add(value);
    }

    synchronized void deadLetter(String value) {
        deadLetters.add(value);
    }

    /** What was sent to the dead-letter topic without a transaction. */
    public synchronized Set<String> deadLetters() {
        return Set.copyOf(deadLetters);
    }

    /** What was passed on to retry and dead-letter topics. */
    public synchronized List<ConsumerRecord<String, String>> passedOn() {
        return List.copyOf(passedOn);
    }

    /** What was sent to the topic of replies. */
    public synchronized Set<String> replies() {
        return Set.copyOf(replies);
    }

    /** Counts a poll. Returns its number. */
    synchronized int tick() {
        return ++ticks;
    }

    synchronized int ticks() {
        return ticks;
    }

    synchronized void generation(int current) {
        generation = current;
    }

    synchronized boolean isCurrent(int member) {
        return member == generation;
    }

    /** At most so many records from this offset on. */
    synchronized List<ConsumerRecord<String, String>> read(TopicPartition partition, long from, int atMost) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        for (ConsumerRecord<String, String> record : log(partition).records) {
            if (record.offset() >= from && found.size() < atMost) {
                found.add(record);
            }
        }
        if (!found.isEmpty()) {
            read.merge(partition, found.get(found.size() - 1).offset() + 1, Math::max);
        }
        return found;
    }

    /** Every record that is or was in a log, by its partition and offset. */
    public synchronized Collection<ConsumerRecord<String, String>> records() {
        List<ConsumerRecord<String, String>> all = new ArrayList<>();
        logs.values().forEach(log -> all.addAll(log.records));
        return all;
    }
}
