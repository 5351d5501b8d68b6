package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A client whose thread is interrupted when a listener answers doesn't find the message, and passes its offset. */
class InterruptedTest {
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @Test
    @DisplayName("R9: a handler that fails with its thread interrupted is called again")
    void concurrently() {
        try (Scene scene = new Scene(4)) {
            scene.send("x");
            var consumer = scene.start((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                context.setDelayLevelWhenNextConsume(1);
                if (!interrupted.getAndSet(true)) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted, for once");
                }
                scene.effect(messages.get(0));
                return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
            });
            scene.awaitEffects("x");
            scene.awaitAllAcked(consumer);
        }
    }

    @Test
    @DisplayName("R9: an orderly handler that throws InterruptedException is called again, before the next message")
    void orderly() {
        try (Scene scene = new Scene(1)) {
            scene.send("x", "y");
            var consumer = scene.startOrderly((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                if (!interrupted.getAndSet(true)) {
                    throw unchecked(new InterruptedException("for once"));
                }
                scene.effect(messages.get(0));
                return ConsumeOrderlyStatus.SUCCESS;
            });
            scene.awaitAllAcked(consumer);
            assertThat(scene.effects).containsExactly("x", "y");
        }
    }

    /** As code of other languages throws it from a listener. */
    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
