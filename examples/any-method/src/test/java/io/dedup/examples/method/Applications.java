package io.dedup.examples.method;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Applications that are only started, or refused. */
final class Applications {
    private Applications() {}

    /** One with deduplicated methods, a store in memory and no broker. */
    static ApplicationContextRunner withMethods() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        ofDedup("DedupAutoConfiguration"),
                        ofDedup("DedupMethodAutoConfiguration")))
                .withPropertyValues("dedup.store=memory");
    }

    /** They aren't public. */
    private static Class<?> ofDedup(String name) {
        return ClassUtils.resolveClassName("io.dedup.spring.boot.autoconfigure." + name, null);
    }
}
