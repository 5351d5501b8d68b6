package io.dedup.rocketmq;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageIdCodec;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.jspecify.annotations.Nullable;

/**
 * A broker inside the test: each receive returns exactly the messages that the test delivered together, and every order of
 * the consumer is recorded. It delivers nothing by itself, unless it is told to redeliver what is given back. Thread-safe.
 */
public final class PlayedBroker {
    public static final Duration INVISIBLE = Duration.ofMillis(2_900);

    /** {@code "ack NAME"} and {@code "back NAME DURATION"}, in the order of the calls. */
    public final List<String> orders = new CopyOnWriteArrayList<>();

    /** The names of the messages whose invisible time was prolonged, one entry for each time. */
    final List<String> kept = new CopyOnWriteArrayList<>();

    private final BlockingQueue<List<MessageView>> deliveries = new LinkedBlockingQueue<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile boolean redelivering;
    private volatile Duration longestReceive = Duration.ofMillis(20);
    private volatile boolean receiving;

    /** The next receive returns these, in this order. */
    void deliver(MessageView... together) {
        deliveries.add(List.of(together));
    }

    /** From now on what is given back is received again at once, each message alone. */
    void redeliver() {
        redelivering = true;
    }

    /** From now on a receive waits this long for a message. */
    void receivesFor(Duration time) {
        longestReceive = time;
    }

    boolean isReceiving() {
        return receiving;
    }

    /** From now on the invisible time of this message cannot be prolonged: it belongs to another consumer. */
    void refuseToKeep(String name) {
        refused.add(name);
    }

    /** @param group the message group; null for none */
    public static MessageView message(String name, String id, @Nullable String group) {
        return message(name, id, group, false);
    }

    static MessageView corrupted(String name, String id, @Nullable String group) {
        return message(name, id, group, true);
    }

    private static MessageView message(String name, String id, @Nullable String group, boolean corrupted) {
        return new MessageViewImpl(
                MessageIdCodec.getInstance().nextMessageId(),
                "orders",
                new byte[0],
                null,
                group,
                null,
                null,
                null,
                List.of(),
                Map.of("id", id, "name", name),
                "host",
                0,
                1,
                null,
                "handle",
                0,
                corrupted,
                null);
    }

    static String name(MessageView message) {
        return message.getProperties().get("name");
    }

    public SimpleConsumer consumer() {
        return (SimpleConsumer) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SimpleConsumer.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "getConsumerGroup" -> "group";
                        case "getSubscriptionExpressions" -> Map.of();
                        case "receive" -> {
                            receiving = true;
                            List<MessageView> next = deliveries.poll(longestReceive.toMillis(), TimeUnit.MILLISECONDS);
                            receiving = false;
                            yield next == null ? List.of() : next;
                        }
                        case "ackAsync" -> {
                            orders.add("ack " + name((MessageView) arguments[0]));
                            yield CompletableFuture.completedFuture(null);
                        }
                        case "changeInvisibleDurationAsync" ->
                            change((MessageView) arguments[0], (Duration) arguments[1]);
                        default -> throw new AssertionError(method);
                    };
                });
    }

    private CompletableFuture<Void> change(MessageView message, Duration time) {
        if (!time.equals(INVISIBLE)) {
            orders.add("back " + name(message) + " " + time);
            if (redelivering) {
                deliver(message);
            }
            return CompletableFuture.completedFuture(null);
        }
        if (refused.contains(name(message))) {
            return CompletableFuture.failedFuture(new IllegalStateException("not yours any more"));
        }
        kept.add(name(message));
        return CompletableFuture.completedFuture(null);
    }
}
