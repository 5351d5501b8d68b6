package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.RacingThreads;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many threads, two clients, the same key at the same time: exactly one wins.
 *
 * <p>The threads process the same keys in the same order: a thread that loses is faster and catches up, so that they
 * meet again and again.
 */
public abstract class RaceContract extends ContractGroup {
    private static final int RACES = 100;
    private static final int RACES_PER_SITUATION = 8;

    /** A store without a server is so fast that two threads rarely meet, so it needs many more attempts. */
    private static final int RACES_IN_PROCESS = 20_000;

    private final RacingThreads crowd = new RacingThreads();

    @BeforeEach
    void forgetEarlierRaces() throws Exception {
        reopenFixture();
    }

    @AfterAll
    void dismiss() {
        crowd.close();
    }

    @EachCallForm
    @DisplayName("T3 all claim a new key: one acquires, the others are in flight")
    void newKey(CallForm form) {
        List<KeyUnderTest> subjects = subjects(form, races(form), subject -> {});

        for (List<Object> answers : crowd.race(subjects, (subject, member, race) -> subject.claim())) {
            assertOneWinner(answers, 1);
        }
    }

    static Stream<Arguments> claimable() {
        return Situation.inEachForm().filter(arguments -> {
            Situation situation = (Situation) arguments.get()[0];
            return !situation.isLive() && !situation.isDone();
        });
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("claimable")
    @DisplayName("T3 all claim a key whose lease is dead, or that is released, expired or forgotten: one acquires")
    void claimableKey(Situation situation, CallForm form) {
        List<KeyUnderTest> subjects =
                subjects(form, RACES_PER_SITUATION, subject -> situation.arrange(subject, this::advance));

        for (List<Object> answers : crowd.race(subjects, (subject, member, race) -> subject.claim())) {
            assertOneWinner(answers, situation.attempt() + 1);
        }
    }

    @EachCallForm
    @DisplayName("the owner completes while others take over: only one succeeds")
    void completeAgainstTakeover(CallForm form) {
        againstTakeover(form, KeyUnderTest::complete, State.DONE);
    }

    @EachCallForm
    @DisplayName("the owner renews while others take over: only one succeeds")
    void renewAgainstTakeover(CallForm form) {
        againstTakeover(form, KeyUnderTest::renew, State.PROCESSING);
    }

    private void againstTakeover(CallForm form, Write write, State afterwards) {
        List<HeldClaim> owners = new ArrayList<>();
        List<KeyUnderTest> subjects = subjects(form, races(form), subject -> owners.add(subject.acquire()));
        advance(KeyUnderTest.LEASE);

        List<List<Object>> races = crowd.race(
                subjects,
                (subject, member, race) -> member == 0 ? write.of(subject, owners.get(race)) : subject.claim());

        for (int i = 0; i < races.size(); i++) {
            if (races.get(i).get(0).equals(WriteResult.applied())) {
                assertThat(winners(races.get(i))).isEmpty();
                assertThat(subjects.get(i).found().state()).isEqualTo(afterwards);
            } else {
                assertThat(races.get(i).get(0)).isEqualTo(WriteResult.leaseLost());
                assertThat(winners(races.get(i))).hasSize(1);
                assertThat(subjects.get(i).found().attempt()).isEqualTo(2);
            }
        }
    }

    private interface Write {
        WriteResult of(KeyUnderTest subject, HeldClaim held);
    }

    @EachCallForm
    @DisplayName("the owner releases while others claim: no claim is lost, and no two hold the key")
    void releaseAgainstClaim(CallForm form) {
        List<HeldClaim> owners = new ArrayList<>();
        List<KeyUnderTest> subjects = subjects(form, races(form), subject -> owners.add(subject.acquire()));

        List<List<Object>> races = crowd.race(
                subjects,
                (subject, member, race) ->
                        member == 0 ? subject.release(owners.get(race), ReleaseMode.STARTED) : subject.claim());

        for (int i = 0; i < races.size(); i++) {
            assertThat(races.get(i).get(0)).isEqualTo(WriteResult.applied());
            List<Acquired> winners = winners(races.get(i));
            assertThat(winners).hasSizeLessThanOrEqualTo(1);
            assertThat(subjects.get(i).found().state())
                    .isEqualTo(winners.isEmpty() ? State.RELEASED : State.PROCESSING);
            assertThat(subjects.get(i).found().attempt()).isEqualTo(winners.isEmpty() ? 1 : 2);
        }
    }

    @EachCallForm
    @DisplayName("the owner completes and releases at the same time, many times: one of them counts")
    void ownerAgainstItself(CallForm form) {
        List<HeldClaim> owners = new ArrayList<>();
        List<KeyUnderTest> subjects = subjects(form, races(form), subject -> owners.add(subject.acquire()));

        List<List<Object>> races = crowd.race(
                subjects,
                (subject, member, race) -> member / 2 % 2 == 0
                        ? subject.complete(owners.get(race))
                        : subject.release(owners.get(race), ReleaseMode.STARTED));

        for (int i = 0; i < races.size(); i++) {
            assertThat(races.get(i))
                    .filteredOn(WriteResult.applied()::equals)
                    .as("applied")
                    .hasSize(1);
            boolean completed = races.get(i).indexOf(WriteResult.applied()) / 2 % 2 == 0;
            assertThat(subjects.get(i).found().state()).isEqualTo(completed ? State.DONE : State.RELEASED);
        }
    }

    @EachCallForm
    @DisplayName("D4 one owner's request, repeated while the first is still in progress: one claim, one attempt")
    void repeatedMeanwhile(CallForm form) {
        List<Owner> owners = new ArrayList<>();
        List<KeyUnderTest> subjects = subjects(form, races(form), subject -> owners.add(UniqueNames.owner()));

        List<List<Object>> races = crowd.race(subjects, (subject, member, race) -> subject.claim(owners.get(race)));

        for (int i = 0; i < races.size(); i++) {
            assertThat(winners(races.get(i))).hasSize(RacingThreads.SIZE);
            assertThat(winners(races.get(i)).stream().distinct()).hasSize(1);
            assertThat(subjects.get(i).found().attempt()).isEqualTo(1);
        }
    }

    @EachCallForm
    @DisplayName("an operator forgets while others claim: forgotten before the claim, or refused after it")
    void forgetAgainstClaim(CallForm form) {
        List<KeyUnderTest> subjects = subjects(form, races(form), RaceContract::release);

        List<List<Object>> races = crowd.race(
                subjects,
                (subject, member, race) ->
                        member == 0 ? subject.store().forget(subject.key(), LiveLease.RESPECT) : subject.claim());

        for (List<Object> answers : races) {
            boolean forgotten = answers.get(0) == OperatorResult.APPLIED;
            assertThat(winners(answers)).hasSize(1);
            assertThat(winners(answers).get(0).attempt()).isEqualTo(forgotten ? 1 : 2);
        }
    }

    @EachCallForm
    @DisplayName("an operator declares done while others claim: done before the claim, or refused after it")
    void forceDoneAgainstClaim(CallForm form) {
        List<KeyUnderTest> subjects = subjects(form, races(form), RaceContract::release);

        List<List<Object>> races = crowd.race(
                subjects,
                (subject, member, race) -> member == 0
                        ? subject.store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT)
                        : subject.claim());

        for (List<Object> answers : races) {
            boolean done = answers.get(0) == OperatorResult.APPLIED;
            assertThat(winners(answers)).hasSize(done ? 0 : 1);
        }
    }

    @EachCallForm
    @DisplayName("a key that is claimed and released all the time has one holder at a time, and loses no attempt")
    void mutualExclusion(CallForm form) {
        KeyUnderTest subject = subject(form);
        AtomicInteger holders = new AtomicInteger();

        List<List<Acquired>> acquired = crowd.together(
                member -> claimAndRelease(RacingThreads.client(subject, member), holders, member % 2 == 0 ? 20 : 10));

        List<Acquired> all = acquired.stream()
                .flatMap(List::stream)
                .sorted(Comparator.comparingInt(Acquired::attempt))
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

    private static Callable<List<Acquired>> claimAndRelease(KeyUnderTest subject, AtomicInteger holders, int claims) {
        return () -> {
            List<Acquired> acquired = new ArrayList<>();
            while (acquired.size() < claims) {
                Owner owner = UniqueNames.owner();
                if (subject.claim(owner) instanceof Acquired mine) {
                    assertThat(holders.incrementAndGet()).as("holders").isEqualTo(1);
                    acquired.add(mine);
                    assertThat(holders.decrementAndGet()).as("holders").isZero();
                    KeyUnderTest.assertApplied(
                            subject.release(new Claim(subject.key(), owner, mine.attempt()), ReleaseMode.STARTED));
                }
            }
            return acquired;
        };
    }

    private int races(CallForm form) {
        if (fixture().secondInstance() != fixture().store()) {
            return RACES;
        }
        return form == CallForm.ALONE ? RACES_IN_PROCESS : RACES_IN_PROCESS / 10; // a batch leaves strangers behind
    }

    private static void release(KeyUnderTest subject) {
        KeyUnderTest.assertApplied(subject.release(subject.acquire(), ReleaseMode.STARTED));
    }

    private List<KeyUnderTest> subjects(CallForm form, int count, Consumer<KeyUnderTest> arrange) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    KeyUnderTest subject = subject(form);
                    arrange.accept(subject);
                    return subject;
                })
                .toList();
    }

    private static void assertOneWinner(List<Object> answers, int attempt) {
        assertThat(winners(answers)).as("winners").hasSize(1);
        assertThat(winners(answers).get(0).attempt()).isEqualTo(attempt);
        assertThat(answers).filteredOn(ClaimResult.InFlight.class::isInstance).hasSize(RacingThreads.SIZE - 1);
    }

    private static List<Acquired> winners(List<Object> answers) {
        return answers.stream()
                .filter(Acquired.class::isInstance)
                .map(Acquired.class::cast)
                .toList();
    }
}
