package io.dedup.spring.boot.internal.store;

import io.dedup.text.Causes;
import io.dedup.text.Printable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the cause of a failure: stores wrap the server's error, and pools wrap it again. */
final class CauseChain {
    private CauseChain() {}

    /** The innermost cause of a kind, which may be the failure itself; null when there is none. */
    static <T extends Throwable> @Nullable T last(Throwable failure, Class<T> kind, Predicate<T> wanted) {
        T last = null;
        for (Throwable each : Causes.of(failure)) {
            if (kind.isInstance(each) && wanted.test(kind.cast(each))) {
                last = kind.cast(each);
            }
        }
        return last;
    }

    /** The message of a cause, on one line. */
    static String words(Throwable cause) {
        String message = cause.getMessage();
        return message == null || message.isBlank() ? cause.getClass().getName() : Printable.sentence(message.strip());
    }
}
