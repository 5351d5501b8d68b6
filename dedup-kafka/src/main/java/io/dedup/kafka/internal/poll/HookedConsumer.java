package io.dedup.kafka.internal.poll;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;

/**
 * Calls a {@link WatchedPolls} around a Kafka consumer's polls, commits and seeks. It is a proxy, because
 * {@link Consumer} has different methods in different versions. Without a decorated listener on its thread it only
 * delegates.
 *
 * <p>It is the one place that sees every commit of the consumer, whoever calls it. Here each commit waits until the queued
 * successes are recorded: if an offset were committed before the successes below it, a crash in between would leave
 * messages that are neither delivered again nor known as handled, and a copy of one would repeat its effect.
 * {@code groupMetadata} counts as a commit, because a producer fetches it to commit offsets in its transaction.
 */
final class HookedConsumer extends ConsumerWrapper {
    private final Supplier<@Nullable WatchedPolls> ofThread;
    /** Null until a container has subscribed, and if it assigns partitions itself. */
    private @Nullable WatchedRebalances rebalances;

    private HookedConsumer(Consumer<?, ?> target, Supplier<@Nullable WatchedPolls> ofThread) {
        super(target);
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
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        String name = method.getName();
        // A container subscribes before its consumer has a thread.
        Object[] arguments = name.equals("subscribe") ? watchingRebalances(given) : given;
        WatchedPolls polls = ofThread.get();
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

    private Object @Nullable [] watchingRebalances(Object @Nullable [] arguments) {
        if (arguments == null
                || arguments.length != 2
                || !(arguments[1] instanceof ConsumerRebalanceListener listener)) {
            return arguments;
        }
        rebalances = new WatchedRebalances(
                listener,
                () -> {
                    WatchedPolls polls = ofThread.get();
                    return polls != null && polls.isOf(this, false) ? polls.moves() : null;
                },
                target::assignment);
        return new Object[] {arguments[0], rebalances};
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
            try {
                return elsewhere ? polls.polledElsewhere(records, target) : polls.polled(records);
            } catch (Throwable e) { // for example interrupted
                polls.outstanding().notPassed(records);
                throw e;
            }
        });
    }

    private @Nullable Object watched(WatchedPolls polls, Method method, Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "commitSync" -> {
                polls.claims().flush();
                commitSync(polls, arguments);
                return null;
            }
            case "position" -> {
                // With fixTxOffsets the container asks for the position before it polls, and commits it.
                polls.fetchDropped(target);
                Object position = polls.wakeUps().untilDone(() -> call(method, arguments));
                return polls.position((TopicPartition) requireNonNull(arguments)[0], (Long) requireNonNull(position));
            }
            case "commitAsync" -> {
                polls.claims().flush();
                target.commitAsync(polls.committable(asked(polls, arguments)), answered(polls, last(arguments)));
                return null;
            }
            case "groupMetadata" -> polls.claims().flush(); // a producer may commit
            case "unsubscribe", "close" -> {
                return polls.end(() -> call(method, arguments));
            }
            case "seek" -> {
                Object[] limited = limited(polls, requireNonNull(arguments));
                Object sought = call(method, limited);
                sought(polls, limited);
                return sought;
            }
            case "seekToEnd" -> {
                return seekToEnd(polls, method, requireNonNull(arguments));
            }
            case "seekToBeginning" -> {
                Object sought = call(method, arguments);
                sought(polls, requireNonNull(arguments));
                return sought;
            }
            case "pause" -> {
                polls.pausing();
                Object[] assigned = withoutUnnoticed(requireNonNull(arguments));
                Object paused = call(method, assigned);
                polls.paused((Collection<?>) assigned[0]);
                return paused;
            }
            case "resume" -> {
                return call(method, withoutUnnoticed(requireNonNull(arguments)));
            }
            case "paused" -> {
                return polls.pausedByOthers(target.paused());
            }
            default -> {}
        }
        return call(method, arguments);
    }

    /**
     * If the application's rebalance listener has thrown, the container takes partitions for its own that have left. It pauses
     * those among them whose pause was asked for before each poll, for example by a hold, and all if it is paused itself: that would
     * fail, and it never polled again.
     */
    private Object[] withoutUnnoticed(Object[] arguments) {
        return arguments[0] instanceof Collection<?> partitions
                        && partitions.stream().anyMatch(this::isUnnoticed)
                ? new Object[] {
                    partitions.stream().filter(each -> !isUnnoticed(each)).toList()
                }
                : arguments;
    }

    private boolean isUnnoticed(Object partition) {
        return rebalances != null && rebalances.isUnnoticed(partition);
    }

    private void commitSync(WatchedPolls polls, Object @Nullable [] arguments) throws Throwable {
        Map<TopicPartition, OffsetAndMetadata> asked = asked(polls, arguments);
        Map<TopicPartition, OffsetAndMetadata> committable = polls.committable(asked);
        polls.wakeUps().untilDone(() -> {
            if (last(arguments) instanceof Duration timeout) {
                target.commitSync(committable, timeout);
            } else {
                target.commitSync(committable);
            }
            return committable;
        });
        polls.finishedBelow(asked);
        polls.committed(committable);
    }

    /** The offsets that are to be committed: the positions, if none are named. */
    @SuppressWarnings("unchecked")
    private Map<TopicPartition, OffsetAndMetadata> asked(WatchedPolls polls, Object @Nullable [] arguments)
            throws Throwable {
        return arguments != null && arguments.length > 0 && arguments[0] instanceof Map<?, ?> offsets
                ? (Map<TopicPartition, OffsetAndMetadata>) offsets
                : polls.positions(target);
    }

    private static @Nullable Object last(Object @Nullable [] arguments) {
        return arguments == null || arguments.length == 0 ? null : arguments[arguments.length - 1];
    }

    /**
     * An asynchronous commit proves something when it is answered. Whoever gives no callback keeps the client's own, which logs
     * failures.
     */
    private static @Nullable OffsetCommitCallback answered(WatchedPolls polls, @Nullable Object last) {
        OffsetCommitCallback callback = last instanceof OffsetCommitCallback given ? given : null;
        if (callback == null || !polls.explainsDuplicates()) {
            return callback;
        }
        return (offsets, failure) -> {
            if (failure == null) {
                polls.committed(offsets);
            }
            callback.onComplete(offsets, failure);
        };
    }

    private static Object[] limited(WatchedPolls polls, Object[] arguments) {
        TopicPartition partition = (TopicPartition) arguments[0];
        long to = offset(arguments[1]);
        long limited = polls.limited(partition, to);
        if (limited == to) {
            return arguments;
        }
        return new Object[] {
            partition, arguments[1] instanceof OffsetAndMetadata ? new OffsetAndMetadata(limited) : (Object) limited
        };
    }

    private @Nullable Object seekToEnd(WatchedPolls polls, Method method, Object[] arguments) throws Throwable {
        Collection<?> some = (Collection<?>) arguments[0];
        List<Object> partitions =
                new ArrayList<>(some.isEmpty() ? target.assignment() : some); // for Kafka none means all
        partitions.removeIf(each -> polls.isLimited((TopicPartition) each));
        return partitions.isEmpty() ? null : call(method, new Object[] {partitions});
    }

    private static long offset(Object sought) {
        return sought instanceof OffsetAndMetadata metadata ? metadata.offset() : (Long) sought;
    }

    private void sought(WatchedPolls polls, Object[] arguments) {
        if (arguments[0] instanceof TopicPartition partition) {
            polls.sought(partition, offset(arguments[1]));
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
