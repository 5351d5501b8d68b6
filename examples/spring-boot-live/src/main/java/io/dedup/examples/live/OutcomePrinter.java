package io.dedup.examples.live;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.RecordInterceptor;
import tools.jackson.databind.json.JsonMapper;

/** Reports to the shop what happens to messages. Thread-safe. */
final class OutcomePrinter implements DedupListener, RecordInterceptor<Object, Object> {
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final JsonMapper json = JsonMapper.shared();

    /** Prints a whole line, even if other threads print as well. */
    synchronized void print(Outcome outcome) {
        out.println(json.writeValueAsString(outcome));
    }

    @Override
    public @Nullable ConsumerRecord<Object, Object> intercept(
            ConsumerRecord<Object, Object> message, Consumer<Object, Object> consumer) {
        Header id = message.headers().lastHeader(Topics.ID_HEADER);
        print(new Outcome(
                message.topic(), Outcome.DELIVERED, id == null ? "" : new String(id.value(), StandardCharsets.UTF_8)));
        return message;
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        print(key, "handled");
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        print(key, Outcome.DUPLICATE);
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
        print(new Outcome(key.scope().topic(), what, key.messageId()));
    }
}
