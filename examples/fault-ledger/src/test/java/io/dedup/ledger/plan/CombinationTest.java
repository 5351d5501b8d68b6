package io.dedup.ledger.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CombinationTest {
    private static final RunSize SIZE = new RunSize(1, 1, RunSize.ALL, 0);

    private static List<Combination> drawn(Row row) {
        return LongStream.range(0, 300)
                .mapToObj(seed -> Combination.drawn(seed, row, Wanted.NOTHING))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED_REDIS", "TRANSACTIONAL"})
    void seedsDrawAllThatAModeSupportsAndNothingElse(Row row) {
        Set<Shape> shapes = new HashSet<>();
        Set<Membership> memberships = new HashSet<>();
        Set<Boolean> staticMembers = new HashSet<>();
        Set<Circumstance> circumstances = new HashSet<>();
        for (Combination combination : drawn(row)) {
            shapes.add(combination.shape());
            memberships.add(combination.membership());
            staticMembers.add(combination.staticMembers());
            circumstances.addAll(combination.circumstances());
            assertThat(combination.circumstances()).allMatch(each -> each.isPossible(row, combination.shape()));
        }
        Set<Shape> supported = new HashSet<>(Shape.of(row.mode().orElseThrow()));
        if (row == Row.LEASED_REDIS) {
            supported.add(Shape.SHARE_GROUP);
        }
        assertThat(shapes).isEqualTo(supported);
        assertThat(memberships).containsExactlyInAnyOrder(Membership.values());
        assertThat(staticMembers).containsExactlyInAnyOrder(true, false);
        Set<Circumstance> expected = EnumSet.allOf(Circumstance.class);
        if (row == Row.TRANSACTIONAL) {
            expected.removeAll(Set.of(Circumstance.PACKED, Circumstance.MAX_DEATHS, Circumstance.ANSWERS_LOST));
        }
        assertThat(circumstances).isEqualTo(expected);
        assertThat(drawn(row)).anyMatch(each -> each.circumstances().isEmpty());
    }

    @Test
    void workThatEndsLaterAndKafkaTransactionsAreForLeasedAlone() {
        assertThat(Shape.of(Row.LEASED_JDBC.mode().orElseThrow()))
                .containsExactlyElementsOf(EnumSet.complementOf(EnumSet.of(Shape.SHARE_GROUP)));
        assertThat(Shape.of(Row.TIERED.mode().orElseThrow()))
                .containsExactly(
                        Shape.RECORD,
                        Shape.RECORD_ACK,
                        Shape.BATCH,
                        Shape.MANUAL,
                        Shape.MANUAL_IMMEDIATE,
                        Shape.BATCH_MANUAL);
    }

    @Test
    void whatIsWantedIsThereWhereAModeSupportsIt() {
        Wanted wanted = Wanted.of("answers-lost,ids-come-late");
        for (long seed = 0; seed < 50; seed++) {
            assertThat(Combination.drawn(seed, Row.LEASED_JDBC, wanted))
                    .matches(each -> each.shape().isInKafkaTransaction())
                    .matches(each -> each.has(Circumstance.ANSWERS_LOST) && each.has(Circumstance.IDS_COME_LATE));
            assertThat(Combination.drawn(seed, Row.TIERED, wanted).shape())
                    .isEqualTo(
                            Combination.drawn(seed, Row.TIERED, Wanted.NOTHING).shape());
            assertThat(Combination.drawn(seed, Row.LEASED_JDBC, Wanted.of("share-group")))
                    .returns(Shape.SHARE_GROUP, Combination::shape);
        }
    }

    @Test
    void isAMatterOfTheSeedAndTheRow() {
        assertThat(drawn(Row.TIERED)).isEqualTo(drawn(Row.TIERED)).isNotEqualTo(drawn(Row.TRANSACTIONAL));
    }

    @Test
    void rowsOfAPassHaveTheSamePartitionsAndOthersThanOursNothingElse() {
        Pass pass = Pass.drawn(SIZE, Arrays.asList(Row.values()), Wanted.NOTHING);
        assertThat(pass.combinations().values())
                .extracting(Combination::partitions)
                .containsOnly(pass.partitions());
        assertThat(pass.of(Row.NONE).shape()).isEqualTo(Shape.RECORD);
        assertThat(pass.of(Row.NONE).tripMillis()).isZero();
    }

    @Test
    void readsAsAWordForEachDimension() {
        assertThat(combination(Membership.COOPERATIVE, true, Set.of()).text())
                .isEqualTo("cooperative static batch-manual threads=2 partitions=6 trip=30ms poll=5");
        assertThat(combination(Membership.EAGER, false, EnumSet.allOf(Circumstance.class))
                        .text())
                .isEqualTo(
                        "eager dynamic batch-manual threads=2 partitions=6 trip=30ms poll=5 packed"
                                + " polling-error-handler intercepted seeks-back max-deaths recreated ids-come-late answers-lost");
    }

    private static Combination combination(
            Membership membership, boolean staticMembers, Set<Circumstance> circumstances) {
        return new Combination(membership, staticMembers, Shape.BATCH_MANUAL, 2, 6, 30, 5, circumstances);
    }
}
