package io.dedup.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dedup.testkit.plan.DrawnPlan.Send;
import io.dedup.testkit.plan.DrawnPlan.Step;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrawnPlanTest {
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private static PlanSettings settings(long seed, int messages, Set<Fault> faults) {
        return new PlanSettings(seed, messages, faults, 3, LONGEST);
    }

    private static List<Send> sends(DrawnPlan plan) {
        return Stream.concat(plan.steps().stream().flatMap(step -> step.sends().stream()), plan.last().stream())
                .toList();
    }

    @Test
    @DisplayName("a seed makes the same plan again, another one another")
    void seeds() {
        Set<Fault> all = EnumSet.allOf(Fault.class);

        assertThat(DrawnPlan.of(settings(7, 100, all))).isEqualTo(DrawnPlan.of(settings(7, 100, all)));
        assertThat(DrawnPlan.of(settings(7, 100, all))).isNotEqualTo(DrawnPlan.of(settings(8, 100, all)));
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17, 1_000})
    @DisplayName("every message is sent, its first time before its copies, and each step in the order of time")
    void everyMessage(int messages) {
        DrawnPlan plan = DrawnPlan.of(settings(3, messages, EnumSet.allOf(Fault.class)));

        Set<Integer> seen = new HashSet<>();
        sends(plan).forEach(send -> seen.add(send.number()));
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, messages).boxed().toList());
        assertThat(sends(plan)).hasSizeGreaterThan(messages).allMatch(send -> send.place() >= 0);
        Stream.concat(plan.steps().stream().map(Step::sends), Stream.of(plan.last()))
                .forEach(
                        each -> assertThat(each).extracting(Send::at).isSorted().allMatch(at -> at >= 0));
    }

    @Test
    @DisplayName("without copies each message is sent once")
    void withoutCopies() {
        assertThat(sends(DrawnPlan.of(settings(3, 200, EnumSet.of(Fault.KILL, Fault.REBALANCE)))))
                .extracting(Send::number)
                .doesNotHaveDuplicates()
                .hasSize(200);
    }

    @Test
    @DisplayName("with copies alone there is nothing but sends")
    void copiesAlone() {
        DrawnPlan plan = DrawnPlan.of(settings(3, 20, EnumSet.of(Fault.COPIES)));

        assertThat(plan.steps()).isEmpty();
        assertThat(plan.last()).hasSizeGreaterThan(20);
    }

    @Test
    @DisplayName("each fault comes as often as asked for, pauses are long, and processes are hit in turn")
    void steps() {
        List<Step> steps =
                DrawnPlan.of(settings(11, 100, EnumSet.allOf(Fault.class))).steps();

        for (Fault fault : EnumSet.complementOf(EnumSet.of(Fault.COPIES))) {
            assertThat(steps).filteredOn(step -> step.fault() == fault).hasSize(3);
        }
        assertThat(steps).allMatch(step -> step.length().compareTo(LONGEST) <= 0);
        assertThat(steps)
                .filteredOn(step -> step.fault() == Fault.PAUSE)
                .allMatch(
                        step -> step.length().compareTo(LONGEST.multipliedBy(3).dividedBy(4)) >= 0);
        List<Integer> victims = steps.stream()
                .filter(step -> step.fault().hitsProcess())
                .map(Step::victim)
                .toList();
        for (int i = 1; i < victims.size(); i++) {
            assertThat(victims.get(i)).isNotEqualTo(victims.get(i - 1));
        }
    }

    @Test
    @DisplayName("a fault finds work in progress: half of its messages come shortly before it")
    void bursts() {
        for (Step step : DrawnPlan.of(settings(5, 2_000, EnumSet.of(Fault.KILL, Fault.PAUSE)))
                .steps()) {
            long moment = step.moment().toMillis();
            assertThat(step.sends())
                    .filteredOn(send -> send.at() <= moment && send.at() > moment - 100)
                    .hasSizeGreaterThan(step.sends().size() / 3);
        }
    }

    @Test
    @DisplayName("settings that make no plan are refused by name")
    void refused() {
        Set<Fault> some = EnumSet.of(Fault.KILL);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(1, 0, some))
                .withMessageContaining("messages");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(1, 2, some))
                .withMessageContaining("messages must be at least 3, but is 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(1, 1, Set.of()))
                .withMessageContaining("faults");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PlanSettings(1, 1, some, 0, LONGEST))
                .withMessageContaining("times");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings(1, 3, some).lasting(Duration.ZERO))
                .withMessageContaining("faultsLast");
    }

    @Test
    @DisplayName("system properties take precedence")
    void properties() {
        System.setProperty(PlanSettings.SEED, "99");
        System.setProperty(PlanSettings.MESSAGES, "10");
        try {
            PlanSettings settings = PlanSettings.of(1, 500, 2, EnumSet.of(Fault.KILL));
            assertThat(settings.seed()).isEqualTo(99);
            assertThat(settings.messages()).isEqualTo(10);
            assertThat(settings.times()).isEqualTo(2);
            System.setProperty(PlanSettings.SEED, "seven");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PlanSettings.of(1, 500, 2, EnumSet.of(Fault.KILL)))
                    .withMessageContaining("-Ddedup.fault-plan.seed must be a number, but is seven");
        } finally {
            System.clearProperty(PlanSettings.SEED);
            System.clearProperty(PlanSettings.MESSAGES);
        }
    }
}
