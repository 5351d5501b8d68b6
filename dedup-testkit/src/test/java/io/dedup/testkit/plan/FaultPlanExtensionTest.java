package io.dedup.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class FaultPlanExtensionTest {
    private static final FakeTraffic TRAFFIC = FakeTraffic.good();

    /** Users' tests; the build runs those only whose names end otherwise. */
    static class Plans {
        @FaultPlan(seed = 5, messages = 7, times = 1, faults = Fault.REBALANCE)
        void passes(FaultRun run) {
            FaultReport report = run.inThisProcess()
                    .traffic(TRAFFIC)
                    .effects(() -> TRAFFIC.effects)
                    .faultsLast(Duration.ofMillis(100))
                    .play();
            report.assertThat().handledOncePerId();
            assertThat(report.seed()).isEqualTo(5);
            assertThat(report.ids()).hasSize(7);
            assertThat(TRAFFIC.closed).isFalse();
        }

        @FaultPlan
        void playsNothing(FaultRun run) {
            assertThat(run.wasPlayed()).isFalse();
        }

        @FaultPlan
        void takesNothing() {}

        @FaultPlan
        @Timeout(value = 50, unit = TimeUnit.MILLISECONDS)
        void hasItsOwnLimit(FaultRun run) throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @FaultPlan
        void fails(FaultRun run) {
            throw new IllegalStateException("as it said");
        }
    }

    private static TestExecutionSummary run(String method, Class<?>... parameters) throws NoSuchMethodException {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Plans.class, Plans.class.getDeclaredMethod(method, parameters)))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        return listener.getSummary();
    }

    private static String failure(String method, Class<?>... parameters) throws NoSuchMethodException {
        TestExecutionSummary summary = run(method, parameters);
        assertThat(summary.getFailures()).hasSize(1);
        return summary.getFailures().get(0).getException().getMessage();
    }

    @Test
    @DisplayName("a test is given a run as the annotation says, which is closed after it")
    void passes() throws Exception {
        TestExecutionSummary summary = run("passes", FaultRun.class);

        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(1);
        assertThat(TRAFFIC.closed).isTrue();
    }

    @Test
    @DisplayName("a test that plays nothing proves nothing, and fails; another failure isn't hidden by that")
    void playsNothing() throws Exception {
        assertThat(failure("playsNothing", FaultRun.class)).contains("The test hasn't played its fault plan");
        assertThat(failure("takesNothing")).contains("take a FaultRun as a parameter");
        assertThat(failure("fails", FaultRun.class)).isEqualTo("as it said");
    }

    @Test
    @DisplayName("the limit is as long as the plan is big, is named with its cause, and a method may have another one")
    void limit() throws Exception {
        PlanSettings settings = PlanSettings.of(1, 500, 2, List.of(Fault.KILL));
        assertThat(settings.limit()).isEqualTo(Duration.ofMinutes(15));
        assertThat(PlanSettings.of(1, 10, 1, List.of(Fault.KILL)).limit()).isEqualTo(Duration.ofMinutes(15));
        assertThat(PlanSettings.of(1, 500, 5, List.of(Fault.KILL)).limit()).isEqualTo(Duration.ofMinutes(45));
        assertThat(PlanSettings.of(1, 20_000, 50, List.of(Fault.KILL)).limit()).isEqualTo(Duration.ofHours(10));

        assertThatThrownBy(() -> FaultPlanExtension.proceed(
                        () -> {
                            new CountDownLatch(1).await();
                            return null;
                        },
                        settings,
                        Duration.ofMillis(50)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("PT0.05S, the limit for times=2 and messages=500")
                .hasMessageContaining("@Timeout")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(failure("hasItsOwnLimit", FaultRun.class)).contains("timed out after 50 milliseconds");
    }
}
