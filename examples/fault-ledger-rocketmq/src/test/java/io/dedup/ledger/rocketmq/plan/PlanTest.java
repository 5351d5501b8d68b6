package io.dedup.ledger.rocketmq.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.RunSize;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final RunSize SIZE = new RunSize(300, 30, RunSize.ALL, 7);

    @Test
    void aSeedDecidesEverything() {
        List<FaultPlan.Fault> faults = FaultPlan.of(SIZE);
        assertThat(FaultPlan.of(SIZE)).isEqualTo(faults);
        assertThat(new Traffic(300, faults, 7).chunks()).isEqualTo(new Traffic(300, faults, 7).chunks());
        assertThat(new Traffic(300, faults, 8).chunks()).isNotEqualTo(new Traffic(300, faults, 7).chunks());
    }

    @Test
    void everyKindComesInARoundAndCopiesFollowTheirFirst() {
        List<FaultPlan.Fault> faults = FaultPlan.of(SIZE);
        assertThat(faults).extracting(FaultPlan.Fault::kind).contains(FaultKind.values());
        Traffic traffic = new Traffic(300, faults, 7);
        assertThat(traffic.messages()).hasSize(300).doesNotHaveDuplicates();
        assertThat(traffic.messages()).filteredOn(Message::poison).hasSize(2);
        List<String> order = traffic.chunks().stream()
                .flatMap(List::stream)
                .map(send -> send.message().id())
                .distinct()
                .toList();
        assertThat(order)
                .containsExactlyElementsOf(
                        traffic.messages().stream().map(Message::id).toList());
    }

    @Test
    void rowsHaveIdsOfTheirOwnAndCircumstancesChangeWithTheSeed() {
        assertThat(RocketRow.all()).extracting(RocketRow::id).doesNotHaveDuplicates();
        assertThat(RocketRow.all())
                .allSatisfy(row -> assertThat(RocketRow.of(row.id())).isEqualTo(row));
        for (RocketRow row : RocketRow.all()) {
            Set<Circumstances> drawn = new HashSet<>();
            for (long seed = 1; seed <= 20; seed++) {
                drawn.add(Circumstances.of(seed, row));
            }
            assertThat(drawn).hasSizeGreaterThan(15);
        }
    }

    @Test
    void whatCannotBeMeasuredIsRefused() {
        assertThat(Settings.of("--rows=push-tiered", "--kinds=kill+broker-cut").rows())
                .containsExactly(new RocketRow(ClientKind.PUSH, Mode.TIERED));
        assertThat(Arrays.stream(FaultKind.values()).map(FaultKind::id)).doesNotHaveDuplicates();
        assertThatThrownBy(() -> Settings.of("--rows=push-none-at-all")).hasMessageContaining("push-tiered");
        assertThatThrownBy(() -> Settings.of("--kinds=earthquake")).hasMessageContaining("broker-cut");
        assertThatThrownBy(() -> Settings.of("--messages=5", "--faults=10")).hasMessageContaining("at least one");
    }
}
