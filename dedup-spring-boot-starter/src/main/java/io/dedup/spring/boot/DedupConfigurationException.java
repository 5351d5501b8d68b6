package io.dedup.spring.boot;

/**
 * The application can't start as it is configured.
 *
 * <p>Says what is wrong and what to do about it; Spring Boot reports both without a stack.
 */
public final class DedupConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * A configuration that is refused.
     *
     * @param problem names the property, or what else is wrong
     * @param action what to write instead
     */
    public DedupConfigurationException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    public DedupConfigurationException(String problem, String action, Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
