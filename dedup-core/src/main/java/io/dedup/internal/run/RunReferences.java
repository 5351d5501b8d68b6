package io.dedup.internal.run;

import io.dedup.RunReference;
import io.dedup.internal.listener.SafeLog;
import io.dedup.store.StoredResult;
import io.dedup.text.Printable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gets run references so that neither an invalid one nor an exception affects the message. Thread-safe. */
public final class RunReferences {
    private static final Logger log = LoggerFactory.getLogger(RunReferences.class);

    private final @Nullable RunReference source;
    private final AtomicBoolean logged = new AtomicBoolean();

    /**
     * Creates the references of an engine.
     *
     * @param source null for no references
     */
    public RunReferences(@Nullable RunReference source) {
        this.source = source;
    }

    @Nullable
    public String ofThisRun() {
        return source == null ? null : ask(source);
    }

    private @Nullable String ask(RunReference source) {
        try {
            String text = source.ofThisRun();
            if (text != null && !StoredResult.isReference(text)) {
                throw new IllegalArgumentException("a run reference must be 1 to " + RunReference.MAX_CHARS
                        + " printable ASCII characters, but is " + Printable.of(text));
            }
            return text;
        } catch (Throwable e) { // an Error too: the handler has not begun, and nobody would settle its claim
            if (logged.compareAndSet(false, true)) {
                SafeLog.warn(
                        log,
                        "{} returned no usable run reference; the duplicates of such a run have none (logged once)",
                        source.getClass(),
                        e);
            }
            return null;
        }
    }
}
