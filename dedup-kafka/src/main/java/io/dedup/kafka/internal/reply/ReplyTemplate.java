package io.dedup.kafka.internal.reply;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.spring.HandlerMethods;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.kafka.support.SendResult;
import org.springframework.messaging.Message;

/**
 * Replaces a listener's reply template, so that replies can be held back and waited for. It sends with the user's
 * template and all of its settings, through the two methods that spring-kafka's adapter calls.
 */
public final class ReplyTemplate<K, V> extends KafkaTemplate<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final KafkaTemplate<K, V> template;
    private final Supplier<@Nullable ReplyExchange> replying;

    private ReplyTemplate(KafkaTemplate<K, V> template, Supplier<@Nullable ReplyExchange> replying) {
        super(template.getProducerFactory());
        this.template = template;
        this.replying = replying;
    }

    /**
     * Replaces the template behind a listener.
     *
     * @param replying supplies the exchange of the listener call on the current thread; null if its reply isn't stored
     * @return whether there is a template, and results are stored
     */
    public static boolean take(Object listener, Replies replies, Supplier<@Nullable ReplyExchange> replying) {
        if (!replies.any()
                || !(HandlerMethods.innermost(listener) instanceof MessagingMessageListenerAdapter<?, ?> adapter)) {
            return false;
        }
        try {
            Object template = HandlerMethods.read(MessagingMessageListenerAdapter.class, "replyTemplate", adapter);
            if (template instanceof KafkaTemplate<?, ?> known && !(template instanceof ReplyTemplate<?, ?>)) {
                adapter.setReplyTemplate(new ReplyTemplate<>(known, replying));
                return true;
            }
        } catch (ReflectiveOperationException | RuntimeException e) { // spring-kafka has no getter for it
            log.warn(
                    "Cannot store replies for duplicates: this version of spring-kafka has no field for the reply"
                            + " template that KafkaDedup knows. Duplicate requests get no reply",
                    e);
        }
        return false;
    }

    @Override
    public CompletableFuture<SendResult<K, V>> send(Message<?> message) {
        ReplyExchange exchange = replying.get();
        return exchange == null ? template.send(message) : exchange.send(() -> template.send(message));
    }

    @Override
    public CompletableFuture<SendResult<K, V>> send(String topic, @Nullable V data) {
        ReplyExchange exchange = replying.get();
        return exchange == null ? template.send(topic, data) : exchange.send(() -> template.send(topic, data));
    }
}
