package io.dedup.kafka.clients;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/** A real consumer whose calls fail as asked for. */
final class FaultyConsumer {
    /** A {@code commitSync} of partitions of which nothing is handled yet; {@code commitSync} is any other. */
    static final String COMMIT_BEGINNINGS = "commitSync of beginnings";

    private record Call(String method, List<Object> arguments) {}

    private final List<Call> calls = new CopyOnWriteArrayList<>();
    final Consumer<String, String> consumer;
    private final Map<String, Queue<Supplier<RuntimeException>>> faults = new ConcurrentHashMap<>();
    private final Map<String, Runnable> before = new ConcurrentHashMap<>();

    @SuppressWarnings("unchecked")
    FaultyConsumer(Consumer<String, String> real) {
        consumer = (Consumer<String, String>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    String name = isOfBeginnings(method, arguments) ? COMMIT_BEGINNINGS : method.getName();
                    calls.add(new Call(name, arguments == null ? List.of() : List.of(arguments)));
                    before.getOrDefault(name, () -> {}).run();
                    Queue<Supplier<RuntimeException>> queue = faults.get(name);
                    Supplier<RuntimeException> fault = queue == null ? null : queue.poll();
                    if (fault != null) {
                        throw fault.get();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static boolean isOfBeginnings(Method method, Object[] arguments) {
        return method.getName().equals("commitSync")
                && arguments[0] instanceof Map<?, ?> offsets
                && offsets.values().stream()
                        .allMatch(each -> each instanceof OffsetAndMetadata offset && offset.offset() == 0);
    }

    /** The next call of this method fails instead. */
    void fail(String method, Supplier<RuntimeException> with) {
        faults.computeIfAbsent(method, unused -> new ConcurrentLinkedQueue<>()).add(with);
    }

    void before(String method, Runnable what) {
        before.put(method, what);
    }

    long count(String method) {
        return arguments(method).size();
    }

    /** Those of each call. */
    List<List<Object>> arguments(String method) {
        return calls.stream()
                .filter(each -> each.method().equals(method))
                .map(Call::arguments)
                .toList();
    }
}
