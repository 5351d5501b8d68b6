package io.dedup.text;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What a failure came from: pools, drivers, futures and frameworks each wrap it once more. Never follows a circle of causes for ever. */
public final class Causes {
    /** More than anybody wraps; a chain may be a circle. */
    private static final int DEEPEST = 50;

    private Causes() {}

    /** The failure and its causes, the failure first; empty for null. */
    public static List<Throwable> of(@Nullable Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = failure; each != null && causes.size() < DEEPEST; each = each.getCause()) {
            causes.add(each);
        }
        return causes;
    }

    /** The first of a kind among the failure and its causes; null when there is none. */
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

    /** The failure of asynchronous work itself, without what futures and stages wrap around it. */
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
