package io.dedup;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A handler whose work ends when the stage that it returns completes.
 *
 * <p>If the stage is cancelled or fails with a timeout, the work may still be running. The claim is then not released;
 * it expires with its lease.
 *
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface AsyncDedupHandler<R extends @Nullable Object> {
    /**
     * Starts the work.
     *
     * @return completes when the work has finished; never null
     * @throws Exception if the work could not be started; the claim is then released
     */
    CompletionStage<R> handle(DedupContext context) throws Exception;
}
