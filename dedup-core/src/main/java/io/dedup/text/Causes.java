package io.dedup.text;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of a failure, which pools, drivers, futures and frameworks wrap. Stops after a fixed depth, because
 * a chain of causes can be circular.
 */
public final class Causes {
    /** Deeper than real chains of causes; needed because a chain can be circular. */
    private static final int DEEPEST = 50;

    private Causes() {}

    /** Returns the failure followed by its causes; empty for null. */
    public static List<Throwable> of(@Nullable Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = failure; each != null && causes.size() < DEEPEST; each = each.getCause()) {
            causes.add(each);
        }
        return causes;
    }

    /** Returns the first instance of a type among the failure and its causes; null if there is none. */
    public static <T> @Nullable T first(@Nullable Throwable failure, Class<T> kind) {
        Throwable each = failure;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            if (kind.isInstance(each)) {
                return kind.cast(each);
            }
            each = each.getCause();
        }
        return null;
    }

    /** Returns the failure of asynchronous work without the exceptions that futures and stages wrap around it. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; depth < DEEPEST && isWrapper(cause) && cause.getCause() != null; depth++) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }
}
