package io.dedup.simulation;

import io.dedup.DedupStoreException;
import io.dedup.store.DedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The store as one process reaches it: some calls fail, before they had an effect or after it, when only the answer is lost. A
 * process that has died reaches nothing. Thread-safe.
 */
final class FailingStore {
    private static final Set<String> CALLS = Set.of("claim", "complete", "release", "renew");
    private static final int ONE_CALL_IN = 7;

    private final DedupStore store;
    private final AtomicInteger faults;
    private final Consumer<String> steps;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean dead;

    /** @param faults how many calls will still fail, in all processes */
    FailingStore(DedupStore store, AtomicInteger faults, Consumer<String> steps) {
        this.store = store;
        this.faults = faults;
        this.steps = steps;
    }

    DedupStore asStore() {
        return (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("close")) {
                        return null;
                    }
                    boolean fails = CALLS.contains(name) && fails();
                    if (dead || (fails && faults.get() % 2 == 0)) {
                        steps.accept("store: " + name + " fails");
                        throw new DedupStoreException("simulated: the store is down", null);
                    }
                    try {
                        Object answer = method.invoke(store, arguments);
                        if (fails) {
                            steps.accept("store: the answer to " + name + " is lost");
                            throw new DedupStoreException("simulated: the store's answer is lost", null);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A fixed pattern of calls, not a random one: other threads call as well, and a seed has to give the same faults. */
    private boolean fails() {
        return faults.get() > 0
                && calls.incrementAndGet() % ONE_CALL_IN == 0
                && faults.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    /** The process dies. */
    void kill() {
        dead = true;
    }
}
