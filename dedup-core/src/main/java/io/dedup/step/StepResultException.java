package io.dedup.step;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A step has run in an earlier attempt, and its result cannot be returned: it was too large to be kept, or cannot be read any
 * more. The step does not run again, because its effect has happened.
 */
public final class StepResultException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String step;

    /** Creates an exception for a step. */
    public StepResultException(String step, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.step = step;
    }

    /** Returns the name of the step. */
    public String step() {
        return step;
    }
}
