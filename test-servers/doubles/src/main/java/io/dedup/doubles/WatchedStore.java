package io.dedup.doubles;

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
    public final List<String> calls = new CopyOnWriteArrayList<>();

    private final Map<String, Step> before = new ConcurrentHashMap<>();
    public final DedupStore store;

    /** What runs before an operation, which isn't called if this throws. */
    @FunctionalInterface
    public interface Step {
        /** @param requests of the operation; without any for one that takes none */
        void run(List<?> requests) throws Exception;
    }

    public WatchedStore(DedupStore real) {
        store = (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(), new Class<?>[] {DedupStore.class}, (self, method, arguments) -> {
                    List<?> requests = arguments != null && arguments[0] instanceof List<?> list ? list : null;
                    calls.add(method.getName() + " " + (requests == null ? 1 : requests.size()));
                    before.getOrDefault(method.getName(), none -> {}).run(requests == null ? List.of() : requests);
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public void before(String operation, Runnable what) {
        before(operation, requests -> what.run());
    }

    public void before(String operation, Step what) {
        before.put(operation, what);
    }

    /** The calls of an operation. */
    public List<String> calls(String operation) {
        return calls.stream().filter(call -> call.startsWith(operation + " ")).toList();
    }

    /** The calls of an operation with one request. */
    public List<String> alone(String operation) {
        return calls.stream().filter((operation + " 1")::equals).toList();
    }

    /** The calls of an operation with several requests. */
    public List<String> together(String operation) {
        return calls(operation).stream()
                .filter(call -> !call.equals(operation + " 1"))
                .toList();
    }
}
