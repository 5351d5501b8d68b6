package io.dedup.adapter.inplace;

import io.dedup.adapter.Execution;
import io.dedup.adapter.Work;
import io.dedup.text.Printable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Logs the exceptions of a listener before its claim is released, and rethrows them. Failures that the listener reports
 * by its return value are not logged.
 */
public final class LoggedWork implements Work {
    private final Logger log;
    private final Supplier<String> origin;
    private final Work listener;

    /**
     * Wraps a listener.
     *
     * @param origin names the message in the log
     */
    public LoggedWork(Logger log, Supplier<String> origin, Work listener) {
        this.log = log;
        this.origin = origin;
        this.listener = listener;
    }

    @Override
    public byte @Nullable [] run(Execution execution) throws Throwable {
        try {
            return listener.run(execution);
        } catch (ReportedFailureException e) {
            throw e;
        } catch (Throwable e) {
            log(e);
            throw e;
        }
    }

    private void log(Throwable e) {
        try {
            String message = origin.get();
            log.warn("The listener failed for {}: {}", message, Printable.ofException(e)); // may quote the payload
            log.debug("The listener failed for {}", message, e);
        } catch (RuntimeException | Error unprintable) {
            log.warn("The listener failed with a {}", e.getClass().getName());
        }
    }
}
