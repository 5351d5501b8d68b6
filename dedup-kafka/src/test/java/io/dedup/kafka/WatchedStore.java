package io.dedup.kafka;

import io.dedup.store.DedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what a store is asked, and runs something before it is. */
public final class WatchedStore {
    /** The name of the operation, and how many requests it has: {@code claim 3}. */
    final List<String> calls = new CopyOnWriteArrayList<>();

    private final Map<String, Runnable> before = new ConcurrentHashMap<>();
    public final DedupStore store;

    public WatchedStore(DedupStore real) {
        store = (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(), new Class<?>[] {DedupStore.class}, (self, method, arguments) -> {
                    int size = arguments != null && arguments[0] instanceof List<?> list ? list.size() : 1;
                    calls.add(method.getName() + " " + size);
                    before.getOrDefault(method.getName(), () -> {}).run();
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public void before(String operation, Runnable what) {
        before.put(operation, what);
    }

    /** The calls of an operation with one request. */
    public List<String> alone(String operation) {
        return calls.stream().filter((operation + " 1")::equals).toList();
    }

    /** The calls of an operation with several requests. */
    public List<String> together(String operation) {
        return calls.stream()
                .filter(call -> call.startsWith(operation + " ") && !call.equals(operation + " 1"))
                .toList();
    }
}
