package io.dedup.benchmarks.idle;

import io.dedup.testservers.ParentWatch;
import java.lang.management.ManagementFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.Environment;

/**
 * A Spring Boot application with many listeners, whose class path may or may not have dedup: this class doesn't need it. It
 * reports how long its start took, and then what it holds.
 */
@EnableAutoConfiguration
public class IdleApplication {
    /** The value of a last message. */
    static final String LAST = "last";

    /** Topics are this and a number from 0. */
    static final String TOPIC = "idle-";

    private static final String LISTENERS = "idle.listeners";

    /**
     * Starts it.
     *
     * @param arguments settings of Spring Boot's, and {@code --idle.listeners}, {@code --idle.seconds}, {@code --idle.copies}
     */
    public static void main(String... arguments) throws Exception {
        ParentWatch.start();
        SpringApplication application = new SpringApplication(IdleApplication.class);
        application.setBannerMode(Banner.Mode.OFF);
        application.addInitializers(context -> listeners((GenericApplicationContext) context));
        ConfigurableApplicationContext context = application.run(arguments);
        long started = System.currentTimeMillis()
                - ManagementFactory.getRuntimeMXBean().getStartTime();
        Environment settings = context.getEnvironment();
        new IdleLife(context)
                .run(
                        started,
                        settings.getProperty("idle.seconds", Integer.class, 0),
                        settings.getProperty("idle.copies", Integer.class, 0));
        Runtime.getRuntime().halt(0); // leaving the groups takes time that nobody measures
    }

    private static void listeners(GenericApplicationContext context) {
        int count = context.getEnvironment().getRequiredProperty(LISTENERS, Integer.class);
        for (int i = 0; i < count; i++) {
            String topic = TOPIC + i;
            context.registerBean(topic, IdleListener.class, () -> new IdleListener(topic));
        }
    }
}
