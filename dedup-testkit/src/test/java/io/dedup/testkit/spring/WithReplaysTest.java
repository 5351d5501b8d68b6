package io.dedup.testkit.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.platform.commons.support.AnnotationSupport;

class WithReplaysTest {
    /** A user's test class. */
    @WithReplays
    static class Replaying {}

    @Test
    @DisplayName("classes that share a timeline take turns where tests run in parallel: each test clears it")
    void takesTurns() {
        assertThat(AnnotationSupport.findRepeatableAnnotations(Replaying.class, ResourceLock.class))
                .hasSize(1);
    }
}
