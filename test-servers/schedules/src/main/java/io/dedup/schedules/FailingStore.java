package io.dedup.schedules;

import io.dedup.DedupStoreException;
import io.dedup.store.DedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that doesn't answer the first calls of one kind. */
final class FailingStore {
    private FailingStore() {}

    /**
     * @param call the name of the method
     * @param times how many calls aren't answered
     * @param arrives whether such a call has its effect nevertheless
     * @param then what happens before the caller knows
     */
    static DedupStore of(DedupStore store, String call, int times, boolean arrives, Runnable then) {
        AtomicInteger left = new AtomicInteger(times);
        return (DedupStore) Proxy.newProxyInstance(
                FailingStore.class.getClassLoader(), new Class<?>[] {DedupStore.class}, (proxy, method, arguments) -> {
                    boolean fails = method.getName().equals(call) && left.getAndDecrement() > 0;
                    try {
                        Object answer = fails && !arrives ? null : method.invoke(store, arguments);
                        if (fails) {
                            then.run();
                            throw new DedupStoreException("planned: no answer", null);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
