package io.dedup.kafka.internal.poll;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;

/**
 * Calls a {@link WatchedPolls} around a Kafka consumer's polls, commits and seeks. It is a proxy, because
 * {@link Consumer} has different methods in different versions. Without a decorated listener on its thread it only
 * delegates.
 */
final class HookedConsumer extends ConsumerWrapper {
    private final Supplier<@Nullable WatchedPolls> ofThread;

    private HookedConsumer(Consumer<?, ?> target, Supplier<@Nullable WatchedPolls> ofThread) {
        super(target, ofThread);
        this.ofThread = ofThread;
    }

    /** @param ofThread the hooks of the consumer on the calling thread; null if it has no decorated listener */
    @SuppressWarnings("unchecked")
    static <K, V> Consumer<K, V> around(Consumer<K, V> target, Supplier<@Nullable WatchedPolls> ofThread) {
        return (Consumer<K, V>) Proxy.newProxyInstance(
                HookedConsumer.class.getClassLoader(),
                new Class<?>[] {Consumer.class},
                new HookedConsumer(target, ofThread));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        WatchedPolls polls = ofThread.get();
        String name = method.getName();
        if (polls == null || !polls.isOf(this, name.equals("poll"))) {
            return call(method, arguments);
        }
        if (name.equals("poll")) {
            return poll(polls, method, arguments);
        }
        try {
            return watched(polls, method, arguments);
        } catch (RebalanceInProgressException e) {
            throw e; // the container keeps these offsets and continues with the poll
        } catch (Throwable e) {
            polls.outstanding().suspectDrop();
            polls.claims().giveBack(); // the container drops the rest of the poll, and may wait before the next one
            throw e;
        }
    }

    private @Nullable Object poll(WatchedPolls polls, Method method, Object @Nullable [] arguments) throws Throwable {
        boolean elsewhere = polls.isPolledElsewhere();
        if (arguments != null && arguments.length == 1) {
            arguments[0] = polls.beforePoll(target, arguments[0], elsewhere);
        }
        return polls.poll(target, elsewhere, () -> {
            Object polled = call(method, arguments);
            boolean bound = ofThread.get() == polls; // otherwise the listener has ended during the poll
            if (!bound || !(polled instanceof ConsumerRecords<?, ?> records)) {
                return polled;
            }
            return elsewhere ? polls.polledElsewhere(records, target) : polls.polled(records);
        });
    }

    private @Nullable Object watched(WatchedPolls polls, Method method, Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "commitSync" -> {
                polls.claims().flush();
                Object committed = polls.wakeUps().untilDone(() -> call(method, arguments));
                committed(polls.outstanding(), arguments);
                return committed;
            }
            case "position" -> {
                // With fixTxOffsets the container asks for the position before it polls, and commits it.
                polls.fetchDropped(target);
                Object position = polls.wakeUps().untilDone(() -> call(method, arguments));
                return polls.position((TopicPartition) requireNonNull(arguments)[0], (Long) requireNonNull(position));
            }
            case "commitAsync", "groupMetadata" -> polls.claims().flush(); // groupMetadata: a producer may commit
            case "unsubscribe", "close" -> {
                return polls.end(() -> call(method, arguments));
            }
            case "seek", "seekToBeginning" -> {
                Object sought = call(method, arguments);
                sought(polls, requireNonNull(arguments));
                return sought;
            }
            default -> {}
        }
        return call(method, arguments);
    }

    /** Without offsets it commits the positions, which are past records that nobody has finished. */
    private static void committed(OutstandingRecords outstanding, Object @Nullable [] arguments) {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof Map<?, ?> offsets) {
            offsets.forEach((partition, offset) ->
                    outstanding.finishedBelow((TopicPartition) partition, ((OffsetAndMetadata) offset).offset()));
        }
    }

    private void sought(WatchedPolls polls, Object[] arguments) {
        if (arguments[0] instanceof TopicPartition partition) {
            long offset = arguments[1] instanceof OffsetAndMetadata metadata ? metadata.offset() : (Long) arguments[1];
            polls.sought(partition, offset);
        } else if (arguments[0] instanceof Collection<?> some) {
            Collection<?> partitions = some.isEmpty() ? target.assignment() : some; // for Kafka none means all
            partitions.forEach(partition -> polls.sought((TopicPartition) partition, 0));
        }
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
