package io.dedup.failover.load;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was opened, to be closed in the opposite order. Not thread-safe. */
public final class Closeables implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Closeables.class);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public <T extends AutoCloseable> T add(T closeable) {
        open.push(closeable);
        return closeable;
    }

    /** Closes all of them, also when some fail. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable next = open.pop();
            try {
                next.close();
            } catch (Exception e) {
                log.warn("cannot close {}", next, e);
            }
        }
    }
}
