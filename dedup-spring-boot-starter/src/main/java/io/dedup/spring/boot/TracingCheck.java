package io.dedup.spring.boot;

import java.util.List;

/** Duplicates are to be linked to traces, and there is nothing that traces. */
final class TracingCheck implements StartCheck {
    private final boolean tracing;

    /** @param tracing whether the application has a tracer */
    TracingCheck(boolean tracing) {
        this.tracing = tracing;
    }

    @Override
    public List<Warning> warnings(List<DedupUnits.Served> served) {
        return tracing
                ? List.of()
                : List.of(new Warning(
                        "dedup.tracing.link-duplicates is true, but there is no Tracer of Micrometer Tracing: no duplicate is"
                                + " linked to anything",
                        "Add spring-boot-starter-opentelemetry or spring-boot-starter-zipkin; or set"
                                + " dedup.tracing.link-duplicates to false."));
    }
}
