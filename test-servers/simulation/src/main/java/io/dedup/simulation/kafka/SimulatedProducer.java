package io.dedup.simulation.kafka;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.kafka.Trouble.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * A producer. With transactions, what it sends is in the broker once its transaction has committed, with the offsets; without, it sends
 * replies, and passes records on to retry and dead-letter topics.
 */
final class SimulatedProducer implements Producer<String, String> {
    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final SimulatedConsumer.Observer observer;
    private final List<String> sent = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    private final boolean transactions;
    private boolean open;

    SimulatedProducer(
            SimulatedBroker broker, Trouble trouble, SimulatedConsumer.Observer observer, boolean transactions) {
        this.broker = broker;
        this.trouble = trouble;
        this.observer = observer;
        this.transactions = transactions;
    }

    @Override
    public void initTransactions() {
        requireAlive();
        broker.endTransactions();
    }

    private void requireAlive() {
        if (observer.isDead()) {
            throw new TimeoutException("simulated: the process is dead");
        }
    }

    @Override
    public void beginTransaction() {
        requireAlive();
        if (trouble.atBegin() == Kind.TRANSACTION_FENCED) {
            observer.step("begin: fenced");
            throw new ProducerFencedException("simulated: fenced");
        }
        sent.clear();
        offsets.clear();
        open = true;
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> more, ConsumerGroupMetadata metadata) {
        if (!broker.isCurrent(metadata.generationId())) {
            observer.step("offsets to the transaction: not a member");
            throw new CommitFailedException("simulated: the member isn't in the group any more");
        }
        offsets.putAll(more);
    }

    @Override
    public void commitTransaction() {
        if (!open) {
            throw new IllegalStateException("no transaction is open");
        }
        requireAlive();
        Kind fault = trouble.atTransaction();
        if (fault == Kind.CRASH) {
            dyingCommit();
        }
        if (fault == Kind.TRANSACTION_FENCED) {
            observer.step("commit transaction: fenced");
            open = false;
            throw new ProducerFencedException("simulated: fenced");
        }
        open = false;
        if (fault == Kind.TRANSACTION_TIMES_OUT || fault == Kind.TRANSACTION_LATE) {
            observer.step("commit transaction: times out, " + fault + " " + sent + " " + offsets);
            broker.leaveOpen(offsets, sent, fault == Kind.TRANSACTION_LATE);
            throw new TimeoutException("simulated: no answer to the commit");
        }
        broker.commitTransaction(offsets, sent);
        if (fault == Kind.TRANSACTION_ANSWER_LOST) {
            broker.unanswered(offsets, sent);
            observer.step("commit transaction: " + sent + " " + offsets + ": the answer is lost");
            throw new TimeoutException("simulated: the answer to the commit is lost");
        }
        observer.step("commit transaction: " + sent + " " + offsets);
    }

    private void dyingCommit() {
        open = false;
        boolean executed = !trouble.isTransactionUnsent();
        observer.step("commit transaction: the process dies" + (executed ? " after it was sent: " : ": ") + sent + " "
                + offsets);
        if (executed) {
            broker.commitTransaction(offsets, sent);
            broker.unanswered(offsets, sent);
        } else {
            broker.leaveOpen(offsets, sent, false);
        }
        observer.restart(true);
        requireAlive();
    }

    @Override
    public void abortTransaction() {
        observer.step("abort transaction: " + sent);
        open = false;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, String> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<String, String> record, @Nullable Callback callback) {
        if (!transactions) {
            Kind fault = observer.isDead() ? Kind.SEND_FAILS : trouble.atSend();
            observer.step("send " + record.value() + " to " + record.topic() + (fault == null ? "" : ": " + fault));
            if (fault != Kind.SEND_FAILS) {
                deliver(record);
            }
            if (fault != null) {
                TimeoutException failure = new TimeoutException("simulated: no answer to a send");
                if (callback != null) {
                    callback.onCompletion(null, failure);
                }
                return CompletableFuture.failedFuture(failure);
            }
        }
        sent.add(
                record.topic().equals(SimulatedProducers.REPLIES)
                        ? SimulatedProducers.REPLY + record.value()
                        : record.value());
        RecordMetadata metadata = new RecordMetadata(new TopicPartition(record.topic(), 0), 0, 0, 0, 0, 0);
        if (callback != null) {
            callback.onCompletion(metadata, null);
        }
        return CompletableFuture.completedFuture(metadata);
    }

    private void deliver(ProducerRecord<String, String> record) {
        if (record.topic().equals(SimulatedProducers.DEAD_LETTERS)) {
            broker.deadLetter(record.value());
        } else if (!broker.partitions(record.topic()).isEmpty()) {
            broker.passOn(
                    new TopicPartition(record.topic(), requireNonNull(record.partition())),
                    record.headers(),
                    record.value());
        } else {
            broker.reply(record.value());
        }
    }

    @Override
    public void flush() {}

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return broker.partitions(topic).stream()
                .map(each -> new PartitionInfo(topic, each.partition(), null, null, null))
                .toList();
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return Map.of();
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return Uuid.ZERO_UUID;
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}

    @Override
    public void close() {}

    @Override
    public void close(Duration timeout) {}
}
