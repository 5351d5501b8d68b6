package io.dedup.spring.boot;

/**
 * The application cannot start with its current configuration.
 *
 * <p>The message says what is wrong, and {@link #action()} what to change. Spring Boot prints both without a stack trace.
 */
public final class DedupConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * Rejects a configuration.
     *
     * @param problem what is wrong, with the property's name
     * @param action what to change
     */
    public DedupConfigurationException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    public DedupConfigurationException(String problem, String action, Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** Returns what to change. */
    public String action() {
        return action;
    }
}
