package io.dedup.internal.listener;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls listeners so that no exception of theirs can change an outcome. Thread-safe.
 *
 * @param <L> the type of listener
 */
public final class SafeListeners<L> {
    private static final Logger log = LoggerFactory.getLogger(SafeListeners.class);

    private final List<L> listeners;

    public SafeListeners(List<L> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    public void report(Consumer<? super L> event) {
        for (int i = 0; i < listeners.size(); i++) {
            L listener = listeners.get(i);
            try {
                event.accept(listener);
            } catch (Throwable e) { // whatever it is, the reported outcome stands
                SafeLog.warn(
                        log, "A listener threw an exception, which changes no outcome: {}", listener.getClass(), e);
            }
        }
    }
}
