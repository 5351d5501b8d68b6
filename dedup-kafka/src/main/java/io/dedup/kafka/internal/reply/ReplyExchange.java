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
 * One request and its reply: the handler's result, or the stored result of an earlier run, and what spring-kafka sends
 * for it. Replies are held back until the message is done, and are delivered before it is acknowledged.
 */
public final class ReplyExchange {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final @Nullable Object stored;
    private final boolean atOnce;
    private final Function<Object, byte @Nullable []> keeper;
    private final List<Supplier<CompletableFuture<?>>> held = new ArrayList<>(1);
    private boolean unsent;
    private @Nullable Throwable failure;
    private volatile byte @Nullable [] kept;
    private @Nullable ReplyAcknowledgment heldBack;

    /**
     * Creates an exchange.
     *
     * @param stored an earlier run's result, to be sent now; null if the handler runs
     * @param keeper encodes and keeps a result; returns null if it cannot
     */
    ReplyExchange(@Nullable Object stored, boolean atOnce, Function<Object, byte @Nullable []> keeper) {
        this.stored = stored;
        this.atOnce = atOnce;
        this.keeper = keeper;
    }

    /** The result to send without calling the handler; null if the handler must be called. */
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

    /** The encoded result that is stored for duplicates; null if none is. */
    public byte @Nullable [] kept() {
        return kept;
    }

    /** spring-kafka knows where to send the reply. It makes the reply now, and swallows what that throws. */
    void begins() {
        unsent = true;
    }

    /** The reply cannot be sent. Of several failures the first one counts. */
    void failed(@Nullable Throwable cause) {
        failure = failure == null ? cause : failure;
    }

    /** Called when spring-kafka sends a reply, whose future and whose failure it ignores. */
    <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> reply) {
        unsent = false;
        if (atOnce) {
            try {
                return reply.get();
            } catch (RuntimeException e) {
                failed(e);
                throw e;
            }
        }
        held.add(reply::get);
        return new CompletableFuture<>();
    }

    /**
     * Holds the handler's acknowledgment back until the reply is delivered. Returns the acknowledgment for the handler.
     */
    public Acknowledgment holdBack(Acknowledgment acknowledgment) {
        ReplyAcknowledgment held = new ReplyAcknowledgment(acknowledgment);
        heldBack = held;
        return held;
    }

    /**
     * As {@link #deliver(ConsumerRecord)}, then acknowledges if the handler has.
     *
     * @param finish completes the message without acknowledging it, so that it isn't handled again if its reply cannot
     *     be sent
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
     * @throws ReplyFailedException when the record must be redelivered to send the reply
     */
    public void deliver(ConsumerRecord<?, ?> record) {
        if (failure == null && unsent) {
            failed(new IllegalStateException("spring-kafka couldn't make the reply: a ReplyHeadersConfigurer has"
                    + " failed, or a header of the request isn't what replies need"));
        }
        List<CompletableFuture<?>> sent = new ArrayList<>(held.size());
        for (Supplier<CompletableFuture<?>> reply : held) {
            try {
                sent.add(reply.get());
            } catch (RuntimeException e) {
                failed(e);
            }
        }
        for (CompletableFuture<?> each : sent) {
            failed(each.handle((value, thrown) -> thrown).join()); // not interruptible: an interrupt doesn't end a send
        }
        if (failure == null) {
            return;
        }
        if (atOnce || stored != null || kept != null) { // in a transaction, the rollback undoes the run
            throw new ReplyFailedException(record, failure);
        }
        log.error(
                "Cannot send the reply to the request in topic {}, partition {}, offset {}; no reply is stored that"
                        + " could be sent again, so that this request stays unanswered",
                record.topic(),
                record.partition(),
                record.offset(),
                failure);
    }
}
