package io.dedup.kafka.clients;

import io.dedup.store.DedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what a store is asked: the operation, and how many requests it has, as in {@code claim 3}. */
final class WatchedStore {
    final List<String> calls = new CopyOnWriteArrayList<>();
    final DedupStore store;

    WatchedStore(DedupStore real) {
        store = (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(), new Class<?>[] {DedupStore.class}, (self, method, arguments) -> {
                    int size = arguments != null && arguments[0] instanceof List<?> list ? list.size() : 1;
                    calls.add(method.getName() + " " + size);
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    List<String> calls(String operation) {
        return calls.stream().filter(call -> call.startsWith(operation + " ")).toList();
    }
}
