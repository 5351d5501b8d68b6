package io.dedup.spring.boot.internal.tracing;

import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import java.util.List;

/** Warns if duplicates should be linked to traces, but cannot be. */
public final class TracingCheck implements RiskCheck {
    private final boolean links;
    private final boolean ownReference;

    /**
     * Makes the check.
     *
     * @param links whether duplicates are linked
     * @param ownReference whether the application has a RunReference bean of its own
     */
    public TracingCheck(boolean links, boolean ownReference) {
        this.links = links;
        this.ownReference = ownReference;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        if (links) {
            return List.of();
        }
        return List.of(
                ownReference
                        ? new Warning(
                                "dedup.tracing.link-duplicates is true, but the application's own RunReference bean is used"
                                        + " instead of the trace: duplicates are not linked to traces",
                                "Remove the bean, or set dedup.tracing.link-duplicates: false.")
                        : new Warning(
                                "dedup.tracing.link-duplicates is true, but there is no Tracer bean of Micrometer Tracing:"
                                        + " duplicates are not linked to traces",
                                "Add spring-boot-starter-opentelemetry or spring-boot-starter-zipkin. Or set"
                                        + " dedup.tracing.link-duplicates: false."));
    }
}
