package io.dedup.ledger.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.plan.Combination;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Wanted;
import java.util.List;
import org.junit.jupiter.api.Test;

class AssignmentTest {
    @Test
    void aConsumerProcessReadsWhatItsArgumentSays() {
        Assignment assignment = new Assignment(
                "127.0.0.1:9092",
                "run1",
                1,
                1234,
                -2_999,
                true,
                "user",
                "p|a s\"s,",
                List.of(
                        new Assignment.Place(
                                Row.TIERED,
                                Combination.drawn(5, Row.TIERED, Wanted.NOTHING),
                                List.of(1, 2),
                                "jdbc:postgresql://127.0.0.1:5432/x?a=b&c=d"),
                        new Assignment.Place(Row.NONE, Combination.plain(5, Row.NONE), List.of(), null)));
        assertThat(Assignment.of(assignment.argument())).isEqualTo(assignment);
    }
}
