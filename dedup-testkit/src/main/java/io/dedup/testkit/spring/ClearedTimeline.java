package io.dedup.testkit.spring;

import io.dedup.testkit.replay.Timeline;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Clears the timeline before each test: test classes share contexts, and a test must not see the events of earlier
 * ones.
 */
final class ClearedTimeline implements BeforeEachCallback {
    @Override
    public void beforeEach(ExtensionContext context) {
        SpringExtension.getApplicationContext(context).getBean(Timeline.class).clear();
    }
}
