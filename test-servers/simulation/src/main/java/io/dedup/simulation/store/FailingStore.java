package io.dedup.simulation.store;

import io.dedup.DedupStoreException;
import io.dedup.simulation.draw.Draws;
import io.dedup.store.DedupStore;
import io.dedup.store.WriteResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;

/**
 * The store as one process reaches it: some calls fail, before they had an effect or after it, when only the answer is lost. A
 * process that has died reaches nothing. Thread-safe.
 */
public final class FailingStore {
    private static final Set<String> CALLS = Set.of("claim", "complete", "release", "renew", "forget");
    private final DedupStore store;
    private final Draws draws;
    private final Consumer<String> before;
    private final Consumer<String> after;
    private final Consumer<String> steps;
    private final ConcurrentMap<String, Integer> calls;
    private volatile boolean dead;
    private volatile boolean unheard;

    /** @param calls counts the calls of all processes, each kind for itself: some are made by background threads */
    public FailingStore(DedupStore store, Draws draws, ConcurrentMap<String, Integer> calls, Consumer<String> steps) {
        this(store, draws, calls, call -> {}, call -> {}, steps);
    }

    /**
     * @param calls as above
     * @param before called before each call that the store is asked for; may throw what the store would throw
     */
    public FailingStore(
            DedupStore store,
            Draws draws,
            ConcurrentMap<String, Integer> calls,
            Consumer<String> before,
            Consumer<String> steps) {
        this(store, draws, calls, before, call -> {}, steps);
    }

    /** @param after called when the store has executed a call, before it answers */
    public FailingStore(
            DedupStore store,
            Draws draws,
            ConcurrentMap<String, Integer> calls,
            Consumer<String> before,
            Consumer<String> after,
            Consumer<String> steps) {
        this.store = store;
        this.draws = draws;
        this.calls = calls;
        this.before = before;
        this.after = after;
        this.steps = steps;
    }

    public DedupStore asStore() {
        return (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("close")) {
                        return null;
                    }
                    if (unheard && name.equals("complete")) {
                        return Collections.nCopies(((List<?>) arguments[0]).size(), WriteResult.applied());
                    }
                    int call = CALLS.contains(name) ? calls.merge(name, 1, Integer::sum) : 0;
                    if (call > 0 || name.equals("ping")) {
                        before.accept(name);
                    }
                    if (dead || (call > 0 && draws.happens("the store", "fails at " + name + " " + call))) {
                        steps.accept("store: " + name + " fails");
                        throw new DedupStoreException("simulated: the store is down", null);
                    }
                    try {
                        Object answer = method.invoke(store, arguments);
                        if (call > 0) {
                            after.accept(name);
                        }
                        if (dead) {
                            throw new DedupStoreException("simulated: the process is dead", null);
                        }
                        if (call > 0 && draws.happens("the store's answer", "is lost at " + name + " " + call)) {
                            steps.accept("store: the answer to " + name + " is lost");
                            throw new DedupStoreException("simulated: the store's answer is lost", null);
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** The process dies. */
    public void kill() {
        dead = true;
    }

    /** The same for one whose threads wait in real time: they get answers to completions, which they would repeat, and nothing is done. */
    public void killAtOnce() {
        unheard = true;
        kill();
    }
}
