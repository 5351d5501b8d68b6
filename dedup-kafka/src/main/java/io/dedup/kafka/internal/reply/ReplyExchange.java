package io.dedup.kafka.internal.reply;

import io.dedup.kafka.exception.ReplyFailedException;
import io.dedup.kafka.internal.KafkaLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One request and its reply: what the handler returned, or what is kept of an earlier run, and what spring-kafka makes of it.
 * The replies are held back until the message is done, and are waited for before it is acked.
 */
public final class ReplyExchange {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final @Nullable Object stored;
    private final boolean atOnce;
    private final Function<Object, byte @Nullable []> keeper;
    private final List<Supplier<CompletableFuture<?>>> held = new ArrayList<>(1);
    private volatile byte @Nullable [] kept;
    private @Nullable ReplyAcknowledgment heldBack;

    /**
     * One.
     *
     * @param stored an earlier run's result, which is the answer now; null when the handler runs
     * @param keeper keeps what the handler returned; null when it can't
     */
    ReplyExchange(@Nullable Object stored, boolean atOnce, Function<Object, byte @Nullable []> keeper) {
        this.stored = stored;
        this.atOnce = atOnce;
        this.keeper = keeper;
    }

    /** What is answered without calling the handler; null when it is to be called. */
    @Nullable
    public Object stored() {
        return stored;
    }

    /** The handler has returned this. */
    public void returned(@Nullable Object result) {
        if (result != null && stored == null) {
            kept = keeper.apply(result);
        }
    }

    /** What is kept for duplicates; null when nothing is. */
    public byte @Nullable [] kept() {
        return kept;
    }

    /** spring-kafka sends a reply, and doesn't look at what becomes of it. */
    <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> reply) {
        if (atOnce) {
            return reply.get();
        }
        held.add(reply::get);
        return new CompletableFuture<>();
    }

    /** Holds the handler's acknowledgment back until this is delivered; returns what the handler gets instead. */
    public Acknowledgment holdBack(Acknowledgment acknowledgment) {
        ReplyAcknowledgment held = new ReplyAcknowledgment(acknowledgment);
        heldBack = held;
        return held;
    }

    /**
     * As {@link #deliver(ConsumerRecord)}, then acknowledges if the handler has.
     *
     * @param finish marks the message as done, without an ack: it isn't to run again when its reply can't be sent
     */
    public void deliver(ConsumerRecord<?, ?> record, Runnable finish) {
        if (heldBack == null) {
            deliver(record);
        } else {
            heldBack.deliver(this, record, finish);
        }
    }

    /**
     * The message is done: sends the replies, and waits until the broker has them, at most for the producer's
     * {@code delivery.timeout.ms}.
     *
     * @throws ReplyFailedException when the record must come again to be answered
     */
    public void deliver(ConsumerRecord<?, ?> record) {
        Throwable failure = null;
        List<CompletableFuture<?>> sent = new ArrayList<>(held.size());
        for (Supplier<CompletableFuture<?>> reply : held) {
            try {
                sent.add(reply.get());
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        for (CompletableFuture<?> each : sent) {
            Throwable ofThis = each.handle((value, thrown) -> thrown).join(); // an interrupt doesn't end a send
            failure = failure == null ? ofThis : failure;
        }
        if (failure == null) {
            return;
        }
        if (stored != null || kept != null) {
            throw new ReplyFailedException(record, failure);
        }
        log.error(
                "topic {}, partition {}, offset {}: the reply couldn't be sent, and there is none kept to send again",
                record.topic(),
                record.partition(),
                record.offset(),
                failure);
    }
}
