package io.dedup.testkit.spring;

import io.dedup.testkit.replay.Timeline;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Contexts are shared by test classes; what earlier tests did is none of the next one's. */
final class ClearedTimeline implements BeforeEachCallback {
    @Override
    public void beforeEach(ExtensionContext context) {
        SpringExtension.getApplicationContext(context).getBean(Timeline.class).clear();
    }
}
