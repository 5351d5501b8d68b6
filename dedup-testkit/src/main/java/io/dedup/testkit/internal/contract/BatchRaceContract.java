package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.RacingThreads;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many threads, two clients, the same many keys in different orders: one winner per key, and no deadlock. */
public abstract class BatchRaceContract extends ContractGroup {
    private static final int KEYS = 600;

    private final RacingThreads crowd = new RacingThreads();

    @AfterAll
    void dismiss() {
        crowd.close();
    }

    /** A member's order of the keys, and what it got. */
    private record Member(DedupStore store, List<Claim> claims) {
        private List<ClaimResult> claimAll() {
            return store.claim(map(claims, claim -> new ClaimRequest(claim.key(), claim.owner(), KeyUnderTest.LEASE)));
        }

        private List<WriteResult> completeAll() {
            return store.complete(map(claims, claim -> new CompleteRequest(claim, KeyUnderTest.WINDOW, null, false)));
        }

        private List<WriteResult> releaseAll() {
            return store.release(map(claims, claim -> new ReleaseRequest(claim, ReleaseMode.STARTED)));
        }

        private List<WriteResult> renewAll() {
            return store.renew(map(claims, claim -> new RenewRequest(claim, KeyUnderTest.LEASE)));
        }

        /** Calls for one message, for every third key; the others in batches of seven. */
        private List<ClaimResult> claimMixed() {
            List<ClaimResult> answers = new ArrayList<>();
            int i = 0;
            while (i < claims.size()) {
                if (i % 3 == 0) {
                    Claim claim = claims.get(i);
                    answers.add(store.claim(List.of(new ClaimRequest(claim.key(), claim.owner(), KeyUnderTest.LEASE)))
                            .get(0));
                    i++;
                } else {
                    Member some = new Member(store, claims.subList(i, Math.min(i + 7, claims.size())));
                    answers.addAll(some.claimAll());
                    i += some.claims.size();
                }
            }
            return answers;
        }
    }

    @Test
    @DisplayName("S4 batches over the same keys in different orders: one winner per key, for claims and completions")
    void batches() {
        List<Member> members = members(keys());

        List<List<ClaimResult>> answers =
                crowd.together(i -> () -> members.get(i).claimAll());
        Map<DedupKey, Owner> winners = winners(members, answers, 1);

        List<List<WriteResult>> completions =
                crowd.together(i -> () -> members.get(i).completeAll());
        assertAppliedForOwners(members, completions, winners);
        List<List<ClaimResult>> again = crowd.together(i -> () -> members.get(i).claimAll());
        assertThat(again)
                .allSatisfy(
                        list -> assertThat(list).hasSize(KEYS).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class));
    }

    @Test
    @DisplayName("S4 single calls and batches mixed over the same keys: one winner per key")
    void mixed() {
        List<Member> members = members(keys());

        List<List<ClaimResult>> answers =
                crowd.together(i -> () -> members.get(i).claimMixed());

        winners(members, answers, 1);
    }

    @Test
    @DisplayName("S4 batches take over dead leases in different orders: one winner per key, one death each")
    void takeovers() {
        List<DedupKey> keys = keys();
        member(keys, 99).claimAll();
        advance(KeyUnderTest.LEASE);
        List<Member> members = members(keys);

        List<List<ClaimResult>> answers = crowd.together(
                i -> () -> i < 4 ? members.get(i).claimAll() : members.get(i).claimMixed());

        Map<DedupKey, Owner> winners = winners(members, answers, 2);
        winners.forEach((key, owner) -> {
            StoredRecord record = store().find(key).orElseThrow();
            assertThat(record.owner()).isEqualTo(owner);
            assertThat(record.deaths()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("S4 releases of all against claims of all: each acquired claim is owned by its owner")
    void releasesAgainstClaims() {
        List<DedupKey> keys = keys();
        Member first = member(keys, 98);
        assertThat(first.claimAll()).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        List<Member> members = members(keys);

        List<List<?>> answers = crowd.together(
                i -> () -> i == 0 ? first.releaseAll() : members.get(i).claimAll());

        assertThat(answers.get(0)).isEqualTo(Collections.nCopies(KEYS, WriteResult.applied()));
        Map<DedupKey, Owner> owners = new HashMap<>();
        for (int i = 1; i < members.size(); i++) {
            for (int k = 0; k < KEYS; k++) {
                Object answer = answers.get(i).get(k);
                if (answer instanceof ClaimResult.Acquired acquired) {
                    assertThat(acquired.attempt()).isEqualTo(2);
                    Claim claim = members.get(i).claims.get(k);
                    assertThat(owners.put(claim.key(), claim.owner()))
                            .as("second winner")
                            .isNull();
                } else {
                    assertThat(answer).isInstanceOf(ClaimResult.InFlight.class);
                }
            }
        }
        for (DedupKey key : keys) {
            assertThat(store().find(key).orElseThrow().owner()).isEqualTo(owners.get(key));
        }
    }

    @Test
    @DisplayName("S10 the heartbeat's renewals against completions in another order: no deadlock, nothing lost")
    void heartbeatAgainstCompletions() {
        List<DedupKey> keys = keys();
        Member held = member(keys, 97);
        assertThat(held.claimAll()).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        List<Claim> completed = held.claims.subList(0, KEYS / 2);
        List<Claim> kept = held.claims.subList(KEYS / 2, KEYS);

        List<List<WriteResult>> answers = crowd.together(i -> () -> switch (i) {
            case 0 -> new Member(store(), completed).completeAll();
            case 1, 2 -> new Member(fixture().secondInstance(), shuffled(held.claims, i)).renewAll();
            default -> new Member(i % 2 == 0 ? store() : fixture().secondInstance(), shuffled(kept, i)).renewAll();
        });

        assertThat(answers.get(0)).as("completions").containsOnly(WriteResult.applied());
        for (int i = 3; i < answers.size(); i++) {
            assertThat(answers.get(i)).as("renewals of what is held").doesNotContain(WriteResult.leaseLost());
        }
        for (Claim claim : completed) {
            assertThat(store().find(claim.key()).orElseThrow().state()).isEqualTo(StoredRecord.State.DONE);
        }
        for (Claim claim : kept) {
            assertThat(store().find(claim.key()).orElseThrow().owner()).isEqualTo(claim.owner());
        }
    }

    private static Map<DedupKey, Owner> winners(List<Member> members, List<List<ClaimResult>> answers, int attempt) {
        Map<DedupKey, Owner> winners = new HashMap<>();
        for (int i = 0; i < members.size(); i++) {
            assertThat(answers.get(i)).hasSize(KEYS);
            for (int k = 0; k < KEYS; k++) {
                Claim claim = members.get(i).claims.get(k);
                if (answers.get(i).get(k) instanceof ClaimResult.Acquired acquired) {
                    assertThat(acquired.attempt()).isEqualTo(attempt);
                    assertThat(winners.put(claim.key(), claim.owner()))
                            .as("second winner of %s", claim.key())
                            .isNull();
                } else {
                    assertThat(answers.get(i).get(k)).isInstanceOf(ClaimResult.InFlight.class);
                }
            }
        }
        assertThat(winners).hasSize(KEYS);
        return winners;
    }

    private static void assertAppliedForOwners(
            List<Member> members, List<List<WriteResult>> answers, Map<DedupKey, Owner> owners) {
        for (int i = 0; i < members.size(); i++) {
            List<WriteResult> expected = map(
                    members.get(i).claims,
                    claim -> claim.owner().equals(owners.get(claim.key()))
                            ? WriteResult.applied()
                            : WriteResult.leaseLost());
            assertThat(answers.get(i)).isEqualTo(expected);
        }
    }

    private List<Member> members(List<DedupKey> keys) {
        return IntStream.range(0, RacingThreads.SIZE)
                .mapToObj(i -> member(keys, i))
                .toList();
    }

    private Member member(List<DedupKey> keys, int seed) {
        List<Claim> claims = map(keys, key -> new Claim(key, UniqueNames.owner(), 1));
        return new Member(seed % 2 == 0 ? store() : fixture().secondInstance(), shuffled(claims, seed));
    }

    private static List<Claim> shuffled(List<Claim> claims, int seed) {
        List<Claim> shuffled = new ArrayList<>(claims);
        Collections.shuffle(shuffled, new Random(seed));
        return shuffled;
    }

    private static List<DedupKey> keys() {
        DedupScope scope = newScope();
        return IntStream.range(0, KEYS).mapToObj(i -> scope.key("id-" + i)).toList();
    }

    private static <T, R> List<R> map(List<T> values, Function<T, R> function) {
        return values.stream().map(function).toList();
    }
}
