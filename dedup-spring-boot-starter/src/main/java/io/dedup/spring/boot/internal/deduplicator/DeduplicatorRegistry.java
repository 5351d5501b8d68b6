package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.PlannedPath;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The deduplicators of an application: one for each consumer, and one more for each listener that treats a topic in its own
 * way. Thread-safe.
 */
public final class DeduplicatorRegistry implements AutoCloseable {
    private final DeduplicatorFactory factory;
    private final List<ServingDeduplicator> deduplicators = new ArrayList<>();
    private final List<DeduplicatedListener> listeners = new ArrayList<>();
    private final List<DeduplicatedPath> paths = new ArrayList<>();

    public DeduplicatorRegistry(DeduplicatorFactory factory) {
        this.factory = factory;
    }

    /**
     * Finds the deduplicator that serves a listener, and remembers that it does.
     *
     * @param check throws to reject the listener, which is then not remembered
     * @throws DedupConfigurationException when it cannot be served; says what to change
     */
    public synchronized DeduplicatedListener serve(
            String broker, PlannedListener listener, Consumer<ServingDeduplicator> check) {
        for (DeduplicatedListener other : listeners) {
            SharedRecords.requireIntended(other, broker, listener);
        }
        for (DeduplicatedPath path : paths) {
            SharedRecords.requireIntended(path.path(), broker, listener);
        }
        ServingDeduplicator serving = deduplicators.stream()
                .filter(each -> each.serves(broker, listener))
                .findFirst()
                .orElseGet(() -> announced(factory.open(broker, listener)));
        check.accept(serving);
        DeduplicatedListener added = new DeduplicatedListener(listener, serving);
        listeners.add(added);
        return added;
    }

    /**
     * Opens one deduplicator for all of these, which have one consumer name.
     *
     * @throws DedupConfigurationException when one cannot be served; says what to change
     */
    public synchronized Deduplicator servePaths(List<PlannedPath> together) {
        ServingDeduplicator serving = announced(factory.open(together));
        for (PlannedPath each : together) {
            for (DeduplicatedPath other : paths) {
                SharedRecords.requireNone(other.path(), each);
            }
            for (DeduplicatedListener listener : listeners) {
                SharedRecords.requireIntended(each, listener.servedBy().broker(), listener.listener());
            }
            paths.add(new DeduplicatedPath(each, serving));
        }
        return serving.deduplicator();
    }

    /** The listener is no longer there. Its deduplicator stays, for listeners that are made later. */
    public synchronized void forget(DeduplicatedListener gone) {
        listeners.remove(gone);
    }

    private ServingDeduplicator announced(ServingDeduplicator opened) {
        deduplicators.add(opened);
        factory.announce(opened.deduplicator());
        return opened;
    }

    /** The listeners and paths that are deduplicated. */
    public synchronized List<Served> served() {
        List<Served> all = new ArrayList<>(listeners);
        all.addAll(paths);
        return all;
    }

    /** The listeners that are deduplicated. */
    public synchronized List<DeduplicatedListener> listeners() {
        return List.copyOf(listeners);
    }

    /** All deduplicators. */
    public synchronized List<ServingDeduplicator> deduplicators() {
        return List.copyOf(deduplicators);
    }

    /** After the adapters, and before the stores. All of them wait within one {@code dedup.shutdown-timeout}. */
    @Override
    public void close() {
        Deduplicators.closeAll(
                deduplicators().stream().map(ServingDeduplicator::deduplicator).toList());
    }
}
