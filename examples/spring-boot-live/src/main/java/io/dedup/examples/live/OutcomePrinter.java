package io.dedup.examples.live;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.duplicate.DuplicateDetails;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.RecordInterceptor;
import tools.jackson.databind.json.JsonMapper;

/** Reports each step of a message to the shop, on standard output. Thread-safe. */
final class OutcomePrinter implements DedupListener, RecordInterceptor<Object, Object> {
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final JsonMapper json = JsonMapper.shared();

    /** Prints one whole line, even while other threads print. */
    synchronized void print(Outcome outcome) {
        out.println(json.writeValueAsString(outcome));
    }

    @Override
    public @Nullable ConsumerRecord<Object, Object> intercept(
            ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
        print(message, consumer, Outcome.DELIVERED);
        return message;
    }

    /** Without dedup, nobody else reports what the listener did. */
    @Override
    public void success(ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
        printWithoutDedup(message, consumer, Outcome.HANDLED);
    }

    @Override
    public void failure(ConsumerRecord<Object, Object> message, Exception cause, Consumer<Object, Object> consumer) {
        printWithoutDedup(message, consumer, Outcome.FAILED);
    }

    private void printWithoutDedup(
            ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer, String what) {
        if (consumer.groupMetadata().groupId().equals(Topics.PLAIN_GROUP)) {
            print(message, consumer, what);
        }
    }

    private void print(ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer, String what) {
        Header id = message.headers().lastHeader(Topics.ID_HEADER);
        print(new Outcome(
                message.topic(),
                consumer.groupMetadata().groupId(),
                what,
                id == null ? "" : new String(id.value(), StandardCharsets.UTF_8)));
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        print(key, Outcome.CLAIMED);
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        print(key, Outcome.HANDLED);
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        print(new Outcome(
                key.scope().topic(),
                key.scope().consumer(),
                Outcome.DUPLICATE,
                key.messageId(),
                details.cause().tag()));
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        if (key != null) {
            print(key, Outcome.DEFERRED);
        }
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        if (cause != null) {
            print(key, Outcome.FAILED);
        }
    }

    private void print(DedupKey key, String what) {
        print(new Outcome(key.scope().topic(), key.scope().consumer(), what, key.messageId()));
    }
}
