package io.dedup;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Work that ends later: done when the stage is.
 *
 * <p>A stage that ends with a cancellation or a time-out may still be working: its claim isn't released, its lease
 * runs out.
 */
@FunctionalInterface
public interface AsyncDedupHandler<R extends @Nullable Object> {
    CompletionStage<R> handle(DedupContext context) throws Exception;
}
