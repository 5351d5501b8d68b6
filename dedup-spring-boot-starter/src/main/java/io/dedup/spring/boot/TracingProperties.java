package io.dedup.spring.boot;

/** {@code dedup.tracing}: traces of skipped duplicates. Not thread-safe. */
public class TracingProperties {
    /**
     * Whether a skipped duplicate gets a span that links to the trace of the run that handled its message. Needs a Micrometer Tracer.
     * It stores 58 more bytes for each message whose trace is sampled; modes transactional and tiered need one more statement.
     */
    private boolean linkDuplicates = false;

    public boolean isLinkDuplicates() {
        return linkDuplicates;
    }

    public void setLinkDuplicates(boolean linkDuplicates) {
        this.linkDuplicates = linkDuplicates;
    }
}
