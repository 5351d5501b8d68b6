package io.dedup.kafka.crash;

import io.dedup.DedupContext;
import java.lang.reflect.Method;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A handler method with a context. Public, for spring-kafka. */
public final class SteppedHandler {
    static final Method METHOD = method();

    private final BiConsumer<ConsumerRecord<String, String>, DedupContext> work;

    SteppedHandler(BiConsumer<ConsumerRecord<String, String>, DedupContext> work) {
        this.work = work;
    }

    private static Method method() {
        try {
            return SteppedHandler.class.getMethod("on", ConsumerRecord.class, DedupContext.class);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    public void on(ConsumerRecord<String, String> record, DedupContext context) {
        work.accept(record, context);
    }
}
