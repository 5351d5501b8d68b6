package io.dedup.internal.run;

import io.dedup.RunReference;
import io.dedup.internal.listener.SafeLog;
import io.dedup.store.StoredResult;
import io.dedup.text.Printable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks for references so that no answer, and nothing that is thrown, changes what becomes of a message. Thread-safe. */
public final class RunReferences {
    private static final Logger log = LoggerFactory.getLogger(RunReferences.class);

    private final @Nullable RunReference source;
    private final AtomicBoolean logged = new AtomicBoolean();

    /** @param source null where runs aren't to be found again */
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
                throw new IllegalArgumentException("must be 1 to " + RunReference.MAX_CHARS
                        + " printable ASCII characters, but is " + Printable.of(text));
            }
            return text;
        } catch (Throwable e) { // an Error, too: the handler hasn't begun, and its claim would be left to nobody
            if (logged.compareAndSet(false, true)) {
                SafeLog.warn(
                        log,
                        "{} can't say what a run is found again by: its duplicates won't be told (logged once)",
                        source.getClass(),
                        e);
            }
            return null;
        }
    }
}
