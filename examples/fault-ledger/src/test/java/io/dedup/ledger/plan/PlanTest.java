package io.dedup.ledger.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlanTest {
    private static final int PARTITIONS = 6;
    private static final EnumSet<FaultKind> OF_APPLICATIONS =
            EnumSet.of(FaultKind.HANDLER_KILLED, FaultKind.DEPLOY, FaultKind.BROKER_CUT);
    private static final RunSize SIZE = new RunSize(500, 24, RunSize.ALL, 7);

    private final List<FaultPlan.Fault> faults = FaultPlan.of(SIZE);
    private final Traffic traffic = new Traffic(SIZE.messages(), faults, SIZE.seed(), PARTITIONS);

    @Test
    void isAMatterOfTheSeedAlone() {
        assertThat(FaultPlan.of(SIZE)).isEqualTo(faults);
        assertThat(new Traffic(SIZE.messages(), faults, SIZE.seed(), PARTITIONS).chunks())
                .isEqualTo(traffic.chunks());
        assertThat(FaultPlan.of(new RunSize(500, 24, RunSize.ALL, 8))).isNotEqualTo(faults);
    }

    @Test
    void hasEveryKindOfFaultInEveryRound() {
        assertThat(faults.subList(0, 15))
                .extracting(FaultPlan.Fault::kind)
                .containsAll(EnumSet.complementOf(OF_APPLICATIONS))
                .hasSize(15);
    }

    @Test
    void drawsKindsWhereThereAreFewerFaults() {
        assertThat(FaultPlan.of(new RunSize(500, 5, RunSize.DRAWN, 7)))
                .extracting(FaultPlan.Fault::kind)
                .doesNotHaveDuplicates()
                .isNotEqualTo(FaultPlan.of(new RunSize(500, 5, RunSize.DRAWN, 8)).stream()
                        .map(FaultPlan.Fault::kind)
                        .toList());
    }

    @Test
    void hasOnlyTheKindsAskedFor() {
        assertThat(FaultPlan.of(new RunSize(500, 9, "kill+store-cut", 7)))
                .extracting(FaultPlan.Fault::kind)
                .hasSize(9)
                .containsOnly(FaultKind.KILL, FaultKind.STORE_CUT);
    }

    @Test
    void sendsEveryMessageAndManyOfThemAgainButNoneBeforeItsFirst() {
        assertThat(traffic.messages())
                .extracting(Message::id)
                .containsExactlyElementsOf(IntStream.range(0, SIZE.messages())
                        .mapToObj(i -> "m" + i)
                        .toList());
        Map<String, Integer> copies = new HashMap<>();
        traffic.chunks()
                .forEach(chunk ->
                        chunk.forEach(send -> copies.merge(send.message().id(), 1, Integer::sum)));
        assertThat(copies).hasSize(SIZE.messages());
        assertThat(copies.values().stream().filter(count -> count > 1).count())
                .isBetween(SIZE.messages() / 5L, SIZE.messages() / 2L);
        assertThat(traffic.chunks()).hasSize(SIZE.faults() + 1);
    }

    @Test
    void aMessageSurvivesItsRecord() {
        assertThat(traffic.messages())
                .allSatisfy(message ->
                        assertThat(Message.of(message.id(), message.value())).isEqualTo(message));
        assertThat(traffic.messages()).anyMatch(Message::poison).anyMatch(message -> message.failures() > 0);
    }
}
