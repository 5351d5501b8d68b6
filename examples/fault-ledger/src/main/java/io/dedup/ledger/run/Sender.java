package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Circumstance;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Traffic;
import io.dedup.ledger.tally.SentCopy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;

/** The producer: sends the same to every row. Thread-safe. */
final class Sender implements AutoCloseable {
    private static final int DELIVERY_TIMEOUT_MILLIS = 600_000;

    private final String run;
    private final Pass pass;
    private final String bootstrap;
    private KafkaProducer<String, String> producer;
    private final Map<String, Long> firstSent = new ConcurrentHashMap<>();
    private final Map<Row, Queue<SentCopy>> copies = new ConcurrentHashMap<>();

    Sender(String bootstrap, String run, Pass pass) {
        this.run = run;
        this.pass = pass;
        List<Row> rows = pass.rows();
        this.bootstrap = bootstrap;
        this.producer = producer(bootstrap);
        rows.forEach(row -> copies.put(row, new ConcurrentLinkedQueue<>()));
    }

    private static KafkaProducer<String, String> producer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 0, "delivery.timeout.ms", DELIVERY_TIMEOUT_MILLIS),
                new StringSerializer(),
                new StringSerializer());
    }

    /** In this order, with these gaps; returns when the broker has everything. */
    void send(List<Traffic.Send> chunk) throws InterruptedException, ExecutionException {
        List<Future<RecordMetadata>> sending = new ArrayList<>();
        for (Traffic.Send send : chunk) {
            TimeUnit.MILLISECONDS.sleep(send.gapMillis());
            boolean copy = firstSent.putIfAbsent(send.message().id(), System.currentTimeMillis()) != null;
            for (Row row : pass.rows()) {
                if (copy && pass.of(row).has(Circumstance.RECREATED)) {
                    continue; // to coordinates, it would be another message
                }
                ProducerRecord<String, String> record = new ProducerRecord<>(
                        Assignment.topic(run, row),
                        send.partition(),
                        null,
                        send.message().value());
                record.headers().add("id", send.message().id().getBytes(StandardCharsets.UTF_8));
                if (copy) {
                    record.headers().add(Assignment.COPY_HEADER, new byte[0]);
                }
                sending.add(producer.send(record, (where, failure) -> {
                    if (failure == null) {
                        copies(row).add(new SentCopy(send.message().id(), where.partition(), where.offset()));
                    }
                }));
            }
        }
        for (Future<RecordMetadata> each : sending) {
            each.get();
        }
    }

    /** By this host's clock. */
    long firstSent(String id) {
        return firstSent.getOrDefault(id, 0L);
    }

    /** Its topic was made again, which doesn't know the producer's sequence numbers. Not while anything is sent. */
    void forget(Row row) {
        copies(row).clear();
        producer.close();
        producer = producer(bootstrap);
    }

    Queue<SentCopy> copies(Row row) {
        return Objects.requireNonNull(copies.get(row));
    }

    @Override
    public void close() {
        producer.close();
    }
}
