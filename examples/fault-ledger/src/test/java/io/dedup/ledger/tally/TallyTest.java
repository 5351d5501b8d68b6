package io.dedup.ledger.tally;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static final RunSize SIZE = new RunSize(3, 1, RunSize.ALL, 1);

    @Test
    void aMessageWithNeitherEffectNorDeadLetterIsLostUnlessItWaits() {
        RowResult result = tally(
                Row.NONE,
                List.of(),
                List.of(message("a"), message("b"), message("c"), message("d")),
                Set.of("b"),
                Set.of("c"),
                new Effect("d", 0, 30));
        assertThat(result.lost()).isEqualTo(1);
        assertThat(result.stuck()).isEqualTo(1);
        assertThat(result.deadLettered()).isEqualTo(1);
        assertThat(result.effects()).isEqualTo(1);
        assertThat(result.expected()).isEqualTo(4);
    }

    @Test
    void poisonBelongsToTheDeadLetters() {
        Message poison = new Message("p", Duration.ZERO, Duration.ZERO, 0, true);
        RowResult dead = tally(Row.NONE, List.of(), List.of(poison), Set.of(), Set.of("p"));
        assertThat(dead.lost()).isZero();
        assertThat(dead.deadLettered()).isZero();
        assertThat(dead.expected()).isZero();
        assertThat(tally(Row.NONE, List.of(), List.of(poison), Set.of(), Set.of())
                        .lost())
                .isEqualTo(1);
    }

    @Test
    void whoWasToldMayHaveComeFirst() {
        RowResult result = tally(
                Row.LEASED_REDIS,
                List.of(),
                List.of(message("a"), message("b")),
                Set.of(),
                Set.of(),
                new Effect("a", 2, 20),
                new Effect("a", 1, 30),
                new Effect("b", 1, 20),
                new Effect("b", 1, 40));
        assertThat(result.doubled()).isEqualTo(2);
        assertThat(result.recognizable()).isEqualTo(1);
        assertThat(result.firstWarned()).isEqualTo(1);
        assertThat(result.brokenPromises()).containsExactly("1 doubled with attempt 1");
    }

    @Test
    void whatComesAgainAfterALossOfDataIsCountedApart() {
        Effect[] twice = {new Effect("a", 1, 20), new Effect("a", 1, 40)};
        List<Message> messages = List.of(message("a"));
        assertThat(tally(Row.LEASED_REDIS, List.of(new DataLoss(30, 31)), messages, Set.of(), Set.of(), twice))
                .returns(0, RowResult::doubled)
                .returns(1, RowResult::afterLoss);
        // before it was sent, and after it was over
        assertThat(tally(
                        Row.LEASED_REDIS,
                        List.of(new DataLoss(5, 6), new DataLoss(50, 51)),
                        messages,
                        Set.of(),
                        Set.of(),
                        twice))
                .returns(1, RowResult::doubled)
                .returns(0, RowResult::afterLoss);
        // whose effect came while it was going on
        assertThat(tally(Row.LEASED_REDIS, List.of(new DataLoss(39, 50)), messages, Set.of(), Set.of(), twice))
                .returns(1, RowResult::afterLoss);
        // a loss that cannot touch it
        assertThat(tally(Row.TIERED, List.of(new DataLoss(30, 31)), messages, Set.of(), Set.of(), twice))
                .returns(1, RowResult::doubled)
                .returns(0, RowResult::afterLoss);
    }

    @Test
    void aFewMessagesAreRejectedBeforeThereAreIds() {
        List<Message> messages = List.of(message("a"), message("b"), message("c"), message("d"));
        List<Effect> handledLater = List.of(new Effect("b", 1, 20));
        Set<String> dead = Set.of("a", "b", "c");
        assertThat(Tally.withoutRejected(messages, handledLater, dead, id -> !id.equals("c"), 1))
                .extracting(Message::id)
                .containsExactly("b", "c", "d");
        assertThat(Tally.withoutRejected(messages, handledLater, dead, id -> true, 1))
                .isEqualTo(messages);
    }

    @Test
    void withoutAFaultThatExplainsItNothingIsDoubled() {
        RowResult result = tally(
                Row.LEASED_REDIS,
                List.of(),
                List.of(message("a")),
                Set.of(),
                Set.of(),
                new Effect("a", 1, 20),
                new Effect("a", 2, 30));
        assertThat(result.brokenPromises()).isEmpty();
        RunSize harmless = new RunSize(3, 1, "commit-fails+rebalance", 1);
        assertThat(new Tally(Row.LEASED_REDIS, "plain", List.of(), id -> 10L)
                        .of(
                                harmless,
                                List.of(message("a")),
                                List.of(new Effect("a", 1, 20), new Effect("a", 2, 30)),
                                Set.of(),
                                Set.of(),
                                0)
                        .brokenPromises())
                .containsExactly("1 doubled, and no fault that explains it");
    }

    @Test
    void anyCopyThatWasNotAcknowledgedMakesAMessageWait() {
        assertThat(Tally.unacknowledged(
                        List.of(new SentCopy("a", 0, 3), new SentCopy("b", 0, 4), new SentCopy("a", 1, 9)),
                        new long[] {4, 9}))
                .containsExactlyInAnyOrder("b", "a");
    }

    @Test
    void timesAreFromTheFirstSending() {
        RowResult result = tally(
                Row.NONE,
                List.of(),
                Stream.of("a", "b", "c").map(TallyTest::message).toList(),
                Set.of(),
                Set.of(),
                new Effect("b", 0, 30),
                new Effect("a", 0, 20),
                new Effect("c", 0, 500),
                new Effect("b", 0, 900));
        assertThat(result.p50()).isEqualTo(20);
        assertThat(result.p99()).isEqualTo(20);
    }

    private static Message message(String id) {
        return new Message(id, Duration.ZERO, Duration.ZERO, 0, false);
    }

    /** All were sent at 10. */
    private static RowResult tally(
            Row row,
            List<DataLoss> losses,
            List<Message> messages,
            Set<String> waiting,
            Set<String> dead,
            Effect... effects) {
        return new Tally(row, "plain", losses, id -> 10L).of(SIZE, messages, List.of(effects), waiting, dead, 0);
    }
}
