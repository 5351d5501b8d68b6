package io.dedup.testkit.plan;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Marks a JUnit Jupiter test that plays a fault plan. The method takes a {@link FaultRun} as a parameter, configures it and
 * plays it:
 *
 * <pre>{@code
 * @FaultPlan(seed = 7, messages = 1_000)
 * void ordersAreBilledOnce(FaultRun run) {
 *     run.application(BillingApplication.class, "--spring.kafka.bootstrap-servers=" + bootstrapServers)
 *             .store("localhost", 5432, port -> "--spring.datasource.url=jdbc:postgresql://localhost:" + port + "/billing")
 *             .traffic(KafkaTraffic.of(bootstrapServers).group("billing").ids(KafkaMessageIds.key())
 *                     .records(n -> new ProducerRecord<>("orders", "o-" + n, "an order"))
 *                     .build())
 *             .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
 *             .play()
 *             .assertThat()
 *             .handledOncePerId();
 * }
 * }</pre>
 *
 * <p>The test also fails if it doesn't call {@link FaultRun#play()}. Processes that the plan has started end with the test,
 * whether it passes or fails. A plan may take 15 minutes for each 2 {@link #times} and each 500 {@link #messages}, whatever
 * the default timeout of tests is, unless the method has its own {@link Timeout}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Test
@Timeout(value = 365, unit = TimeUnit.DAYS) // in place of any default; the extension has the limit
@ExtendWith(FaultPlanExtension.class)
public @interface FaultPlan {
    /**
     * Decides which faults happen in which order, when and for how long, and which messages are sent again.
     * {@code -Ddedup.fault-plan.seed=8} overrides it; {@code -Ddedup.fault-plan.seed=random} chooses a new one.
     */
    long seed() default 1;

    /** The number of messages that are sent, not counting copies. {@code -Ddedup.fault-plan.messages} overrides it. */
    int messages() default 500;

    /** The kinds of faults; all by default. */
    Fault[] faults() default {Fault.KILL, Fault.PAUSE, Fault.REBALANCE, Fault.STORE_CUT, Fault.SLOW_STORE, Fault.COPIES
    };

    /** How often each kind of fault happens. {@code -Ddedup.fault-plan.times} overrides it. */
    int times() default 2;
}
