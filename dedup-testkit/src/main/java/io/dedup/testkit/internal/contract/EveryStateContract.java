package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** For each situation of a record, what {@code find} returns and what the next claim does: the transition table. */
public abstract class EveryStateContract extends ContractGroup {
    @EachSituation
    @DisplayName("find returns the record according to the store's clock, and nothing that has expired")
    void finds(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);
        if (!situation.isLive()) {
            advance(Duration.ofMinutes(1)); // an expired lease stays expired, and its remaining time isn't negative
        }

        Optional<StoredRecord> found = subject.elsewhere().find();

        State state = situation.state();
        assertThat(found.map(StoredRecord::state)).isEqualTo(Optional.ofNullable(state));
        found.ifPresent(record -> assertShows(record, situation, last));
    }

    private void assertShows(StoredRecord record, Situation situation, HeldClaim last) {
        assertThat(record.attempt()).isEqualTo(situation.attempt());
        assertThat(record.deaths()).isEqualTo(situation.deaths());
        assertThat(record.fingerprint()).as("of the last claim").isEqualTo(RED);
        if (situation.isLive()) {
            assertThat(record.owner()).isEqualTo(last.owner());
            assertRemaining(record.leaseRemaining(), KeyUnderTest.LEASE);
        } else {
            assertThat(record.leaseRemaining()).isEqualTo(Duration.ZERO);
            if (record.owner() != null) { // a store need not keep it, but must not show another's
                assertThat(situation.isOwned()).isTrue();
                assertThat(record.owner()).isEqualTo(last.owner());
            }
        }
        if (situation.isDone()) {
            assertThat(record.fencingToken()).isZero();
            assertThat(record.completedAt()).isNotNull();
            assertThat(record.result()).containsExactly(42);
            if (situation == Situation.DONE_FOREVER) {
                assertThat(record.expiresAt()).isNull();
            } else {
                assertDistance(
                        requireNonNull(record.completedAt()),
                        requireNonNull(record.expiresAt()),
                        KeyUnderTest.WINDOW_LENGTH);
            }
        } else {
            assertThat(record.fencingToken()).isEqualTo(last.token());
            assertThat(record.completedAt()).isNull();
            assertThat(record.expiresAt()).isNull();
            assertThat(record.result()).isNull();
        }
    }

    @EachSituation
    @DisplayName("the next claim continues from the record's state")
    void nextClaim(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        situation.arrange(subject, this::advance);

        ClaimResult answer = subject.elsewhere().claim(UniqueNames.owner(), RED);

        if (situation.isDone()) {
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.attempt()).isEqualTo(situation.attempt()));
        } else if (situation.isLive()) {
            assertThat(answer).isInstanceOf(ClaimResult.InFlight.class);
        } else {
            boolean dead = situation.state() == State.ABANDONED;
            assertThat(answer).isInstanceOfSatisfying(ClaimResult.Acquired.class, acquired -> {
                assertThat(acquired.attempt()).isEqualTo(situation.attempt() + 1);
                assertThat(acquired.deaths()).isEqualTo(situation.deathsAtNextClaim());
                assertThat(acquired.tookOver()).isEqualTo(dead);
                assertThat(acquired.fencingToken()).isEqualTo(subject.found().fencingToken());
            });
        }
    }

    @EachSituation
    @DisplayName("find changes nothing")
    void lookingChangesNothing(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        situation.arrange(subject, this::advance);
        Optional<StoredRecord> first = subject.find();

        Optional<StoredRecord> second = subject.elsewhere().find();

        assertThat(second.isPresent()).isEqualTo(first.isPresent());
        first.ifPresent(record -> assertUnchanged(record, second.orElseThrow()));
    }
}
