package io.dedup.spring.boot;

/** {@code dedup.tracing}: what traces tell of duplicates. Not thread-safe. */
public class TracingProperties {
    /**
     * Whether a skipped duplicate gets a span with a link to the trace of the run that has handled its message. Needs a
     * Micrometer Tracer. Keeps 58 bytes more with each message whose trace is sampled, and takes one more statement in the modes
     * transactional and tiered.
     */
    private boolean linkDuplicates = false;

    public boolean isLinkDuplicates() {
        return linkDuplicates;
    }

    public void setLinkDuplicates(boolean linkDuplicates) {
        this.linkDuplicates = linkDuplicates;
    }
}
