package io.dedup.failover.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.Promise;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterTest {
    /** From 9 s on the replica lacks what was written; the primary dies at 10 s. */
    private static final Outage FORGETFUL = new Outage("killed", 9_000, 10_000, 15_000);

    private static Count count(boolean consumed, Effect... effects) {
        return counter(List.of("a", "b"), FORGETFUL).count(List.of(effects), missing -> Set.of(), consumed);
    }

    private static Counter counter(List<String> sent, Outage outage) {
        return new Counter(sent, 0, List.of(outage));
    }

    @Test
    void aMessageWithoutEffectIsLostWhenAllIsAcknowledged() {
        Count lost = count(true, new Effect("a", 1, 1_000));
        assertThat(lost.lost()).isEqualTo(1);
        assertThat(lost.broken(Promise.FORGETS, false)).containsExactly("1 lost");
    }

    @Test
    void aMessageWithoutEffectIsStuckAsLongAsSomethingIsNotAcknowledged() {
        Count stuck = count(false, new Effect("a", 1, 1_000));
        assertThat(stuck.stuck()).isEqualTo(1);
        assertThat(stuck.broken(Promise.FORGETS, false)).containsExactly("1 stuck");
    }

    @Test
    void whatTheStoreMayHaveForgottenIsAllowedWhereItForgets() {
        Count again = count(true, new Effect("a", 1, 9_500), new Effect("a", 1, 16_000), new Effect("b", 1, 1_000));
        assertThat(again.doubled()).isEqualTo(1);
        assertThat(again.forgotten()).isEqualTo(1);
        assertThat(again.broken(Promise.FORGETS, false)).isEmpty();
        assertThat(again.broken(Promise.TOLD, false)).hasSize(1);
        assertThat(again.broken(Promise.ONCE, false)).containsExactly("1 doubled");
    }

    @Test
    void anAttemptAboveOneIsAllowedUnlessOnceIsPromised() {
        Count again = count(true, new Effect("a", 1, 1_000), new Effect("a", 2, 3_000), new Effect("b", 1, 1_000));
        assertThat(again.told()).isEqualTo(1);
        assertThat(again.broken(Promise.TOLD, false)).isEmpty();
        assertThat(again.broken(Promise.ONCE, false)).hasSize(1);
    }

    @Test
    void aRepetitionLongBeforeTheFailoverIsUnexplained() {
        Counter counter = counter(List.of("a"), FORGETFUL);
        Effect first = new Effect("a", 1, 1_000);
        Effect again = new Effect("a", 1, 16_000);
        Count count = counter.count(List.of(first, again), missing -> Set.of(), true);
        assertThat(counter.unexplained()).containsExactly(first, again);
        assertThat(count.broken(Promise.FORGETS, false)).hasSize(1);
    }

    @Test
    void aFailoverThatKeepsAllExplainsNothing() {
        Counter counter = counter(List.of("a"), Outage.keepsAll("moved", 10_000, 15_000));
        Count count = counter.count(
                List.of(new Effect("a", 1, 9_900), new Effect("a", 1, 16_000)), missing -> Set.of(), true);
        assertThat(count.forgotten()).isZero();
    }

    @Test
    void theLongestPauseIsBetweenTwoEffects() {
        assertThat(count(true, new Effect("a", 1, 1_000), new Effect("b", 1, 6_400))
                        .longestPauseMillis())
                .isEqualTo(5_400);
    }
}
