package io.dedup.soak.run;

import io.dedup.soak.plan.EffectFile;
import io.dedup.soak.plan.Lane;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Sends as fast as the consumer handles messages: a lane waits while too many of its messages have had no effect yet. */
final class Sender implements AutoCloseable {
    private static final int WAITING = 10_000;
    private static final int PORTION = 100;

    /** One in so many is a message that was sent a moment ago. */
    private static final int COPIES = 5;

    private static final int RECENT = 1_000;

    private final Map<Lane, EffectFile> effects;
    private final Map<Lane, AtomicInteger> sent = new EnumMap<>(Lane.class);
    private final AtomicInteger copies = new AtomicInteger();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Random random;
    private final KafkaProducer<String, String> producer;
    private final Thread thread = new Thread(this::run, "sender");
    private volatile boolean end;

    Sender(String bootstrap, Map<Lane, EffectFile> effects, long seed) {
        this.effects = effects;
        this.random = new Random(seed);
        for (Lane lane : Lane.values()) {
            sent.put(lane, new AtomicInteger());
        }
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "linger.ms",
                        10,
                        "batch.size",
                        65536,
                        // On a machine that is too busy the broker may be away for long, and comes back.
                        "delivery.timeout.ms",
                        Integer.MAX_VALUE,
                        "max.block.ms",
                        Integer.MAX_VALUE),
                new StringSerializer(),
                new StringSerializer());
    }

    void start() {
        thread.start();
    }

    /** How many messages it has sent on a lane; their IDs are 0 and up. */
    int sent(Lane lane) {
        return Objects.requireNonNull(sent.get(lane)).get();
    }

    int sent() {
        return sent.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    int copies() {
        return copies.get();
    }

    private void run() {
        while (!end) {
            boolean idle = true;
            for (Lane lane : Lane.values()) {
                long waiting =
                        sent(lane) - Objects.requireNonNull(effects.get(lane)).distinct();
                if (waiting < WAITING * (long) lane.share() / 5 && sent(lane) < EffectFile.MOST_IDS - PORTION * 10) {
                    idle = false;
                    sendPortion(lane, PORTION * lane.share());
                }
            }
            if (idle) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
            }
        }
    }

    private void sendPortion(Lane lane, int messages) {
        AtomicInteger next = Objects.requireNonNull(sent.get(lane));
        for (int i = 0; i < messages; i++) {
            send(lane, next.getAndIncrement());
            if (random.nextInt(COPIES - 1) == 0) { // one copy for four new ones
                send(lane, Math.max(0, next.get() - 1 - random.nextInt(RECENT)));
                copies.incrementAndGet();
            }
        }
    }

    private void send(Lane lane, int id) {
        var record = new ProducerRecord<String, String>(
                lane.id(), random.nextInt(Servers.PARTITIONS), null, "message " + id);
        record.headers().add("id", Integer.toString(id).getBytes(StandardCharsets.UTF_8));
        var unused = producer.send(record, (metadata, e) -> {
            if (e != null) {
                failure.compareAndSet(null, e);
            }
        });
    }

    /** Returns when everything that was sent is with the broker. */
    void end() throws InterruptedException {
        end = true;
        thread.join();
        producer.flush();
        Exception e = failure.get();
        if (e != null) {
            throw new IllegalStateException("what the broker didn't take cannot be counted", e);
        }
    }

    @Override
    public void close() {
        end = true;
        producer.close();
    }
}
