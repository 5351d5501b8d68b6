package io.dedup.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;

/** Many threads, two clients, one key: exactly one wins, whatever the race is about. */
abstract class RaceContract extends ContractGroup {
    private static final int ROUNDS = 25;

    private final Crowd crowd = new Crowd();

    @AfterAll
    void dismiss() {
        crowd.close();
    }

    @EachForm
    @DisplayName("T3 all claim a new key: one acquires, the others are in flight")
    void newKey(Form form) {
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = subject(form);
            List<ClaimResult> answers = allClaim(subject);
            assertThat(winners(answers)).hasSize(1);
            assertThat(winners(answers).get(0).attempt()).isEqualTo(1);
            assertThat(answers)
                    .filteredOn(ClaimResult.InFlight.class::isInstance)
                    .hasSize(Crowd.SIZE - 1);
        }
    }

    @EachForm
    @DisplayName("T3 all take over a dead lease, or claim what is released, expired or forgotten: one acquires")
    void claimableKey(Form form) {
        for (Situation situation : Situation.values()) {
            if (situation.isLive() || situation.isDone()) {
                continue;
            }
            for (int round = 0; round < 3; round++) {
                Subject subject = subject(form);
                situation.arrange(subject, this::advance);
                List<ClaimResult> answers = allClaim(subject);
                assertThat(winners(answers)).as("winners of %s", situation).hasSize(1);
                assertThat(winners(answers).get(0).attempt())
                        .as("%s", situation)
                        .isEqualTo(situation.attempt() + 1);
                assertThat(answers)
                        .filteredOn(ClaimResult.InFlight.class::isInstance)
                        .hasSize(Crowd.SIZE - 1);
            }
        }
    }

    @EachForm
    @DisplayName("the owner completes while others take over: one of them has it, never both")
    void completeAgainstTakeover(Form form) {
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = subject(form);
            Held owner = subject.acquire();
            advance(Subject.LEASE);

            List<Object> answers = crowd.together(member -> member == 0
                    ? () -> subject.complete(owner)
                    : () -> client(subject, member).claim());

            List<ClaimResult.Acquired> winners = winners(answers);
            if (answers.get(0).equals(WriteResult.applied())) {
                assertThat(winners).isEmpty();
                assertThat(subject.found().state()).isEqualTo(State.DONE);
            } else {
                assertThat(answers.get(0)).isEqualTo(WriteResult.leaseLost());
                assertThat(winners).hasSize(1);
                assertThat(subject.found().state()).isEqualTo(State.PROCESSING);
            }
        }
    }

    @EachForm
    @DisplayName("the owner renews while others take over: one of them has it, never both")
    void renewAgainstTakeover(Form form) {
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = subject(form);
            Held owner = subject.acquire();
            advance(Subject.LEASE);

            List<Object> answers = crowd.together(member -> member == 0
                    ? () -> subject.renew(owner)
                    : () -> client(subject, member).claim());

            List<ClaimResult.Acquired> winners = winners(answers);
            if (answers.get(0).equals(WriteResult.applied())) {
                assertThat(winners).isEmpty();
                assertThat(subject.found().owner()).isEqualTo(owner.owner());
            } else {
                assertThat(winners).hasSize(1);
            }
        }
    }

    @EachForm
    @DisplayName("the owner completes and releases at once, many times: one of them counts")
    void ownerAgainstItself(Form form) {
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = subject(form);
            Held owner = subject.acquire();

            List<Object> answers = crowd.together(member -> member % 2 == 0
                    ? () -> client(subject, member).complete(owner)
                    : () -> client(subject, member).release(owner, ReleaseMode.STARTED));

            assertThat(answers)
                    .filteredOn(WriteResult.applied()::equals)
                    .as("applied")
                    .hasSize(1);
            boolean completed = answers.indexOf(WriteResult.applied()) % 2 == 0;
            assertThat(subject.found().state()).isEqualTo(completed ? State.DONE : State.RELEASED);
        }
    }

    @EachForm
    @DisplayName("D4 one owner's request, repeated while the first is still under way: one claim, one attempt")
    void repeatedMeanwhile(Form form) {
        for (int round = 0; round < ROUNDS; round++) {
            Subject subject = subject(form);
            Owner owner = Owners.next();

            List<ClaimResult> answers =
                    crowd.together(member -> () -> client(subject, member).claim(owner));

            assertThat(winners(answers)).hasSize(Crowd.SIZE);
            assertThat(winners(answers).stream().distinct()).hasSize(1);
            assertThat(subject.found().attempt()).isEqualTo(1);
        }
    }

    @EachForm
    @DisplayName("a key that is claimed and released all the time has one holder at a time, and loses no attempt")
    void mutualExclusion(Form form) {
        Subject subject = subject(form);
        AtomicInteger holders = new AtomicInteger();
        int claimsEach = 20;

        List<List<ClaimResult.Acquired>> acquired = crowd.together(member ->
                claimAndRelease(client(subject, member), holders, member % 2 == 0 ? claimsEach : claimsEach / 2));

        List<ClaimResult.Acquired> all = acquired.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(ClaimResult.Acquired::attempt))
                .toList();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).attempt()).isEqualTo(i + 1);
            assertThat(all.get(i).deaths()).isZero();
            if (i > 0) {
                assertThat(all.get(i).fencingToken())
                        .isGreaterThan(all.get(i - 1).fencingToken());
            }
        }
        assertThat(subject.found().attempt()).isEqualTo(all.size());
    }

    private static Callable<List<ClaimResult.Acquired>> claimAndRelease(
            Subject subject, AtomicInteger holders, int claims) {
        return () -> {
            List<ClaimResult.Acquired> acquired = new ArrayList<>();
            while (acquired.size() < claims) {
                Owner owner = Owners.next();
                if (subject.claim(owner) instanceof ClaimResult.Acquired mine) {
                    assertThat(holders.incrementAndGet()).as("holders").isEqualTo(1);
                    acquired.add(mine);
                    Held held = new Held(new Claim(subject.key(), owner, mine.attempt()), mine);
                    assertThat(holders.decrementAndGet()).as("holders").isZero();
                    Subject.assertApplied(subject.release(held, ReleaseMode.STARTED));
                }
            }
            return acquired;
        };
    }

    private List<ClaimResult> allClaim(Subject subject) {
        return crowd.together(member -> () -> client(subject, member).claim());
    }

    private static Subject client(Subject subject, int member) {
        return member % 2 == 0 ? subject : subject.elsewhere();
    }

    private static List<ClaimResult.Acquired> winners(List<?> answers) {
        return answers.stream()
                .filter(ClaimResult.Acquired.class::isInstance)
                .map(ClaimResult.Acquired.class::cast)
                .toList();
    }
}
