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
 * A JUnit Jupiter test that takes a {@link FaultRun} as a parameter, says what is to be run, and plays it:
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
 * <p>The test fails as well when it plays nothing. Processes that were started end with the test, whatever becomes of it. A
 * plan may take 15 minutes unless the method has a {@link Timeout} of its own, whatever the time-out of other tests is.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Test
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@ExtendWith(FaultPlanExtension.class)
public @interface FaultPlan {
    /**
     * Decides which faults come in which order, when, for how long, and which messages are sent again. {@code
     * -Ddedup.fault-plan.seed=8} overrides it; {@code -Ddedup.fault-plan.seed=random} draws a new one.
     */
    long seed() default 1;

    /** How many messages are sent, copies not counted. {@code -Ddedup.fault-plan.messages} overrides it. */
    int messages() default 500;

    /** What goes wrong; everything unless said otherwise. */
    Fault[] faults() default {Fault.KILL, Fault.PAUSE, Fault.REBALANCE, Fault.STORE_CUT, Fault.SLOW_STORE, Fault.COPIES
    };

    /** How often each fault comes. {@code -Ddedup.fault-plan.times} overrides it. */
    int times() default 2;
}
