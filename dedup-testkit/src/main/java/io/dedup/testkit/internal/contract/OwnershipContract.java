package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** A caller that isn't the owner never changes anything. */
public abstract class OwnershipContract extends ContractGroup {
    @EachSituation
    @DisplayName("T1 a stranger changes nothing, whatever state the record is in")
    void stranger(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim owner = situation.arrange(subject, this::advance);

        assertPowerless(subject, new Claim(subject.key(), UniqueNames.owner(), owner.attempt() + 1));
    }

    @EachSituation
    @DisplayName("T1 a caller that has lost its claim changes nothing")
    void formerOwner(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim former = situation.arrange(subject, this::advance);
        if (situation.isOwned()) { // then take it away
            advance(KeyUnderTest.LEASE);
            subject.elsewhere().acquire();
        }

        // Asked with another attempt: a repeated completion by the attempt that did it counts as applied.
        assertPowerless(subject, new Claim(subject.key(), former.owner(), former.attempt() + 7));
    }

    @EachCallForm
    @DisplayName("T1 a zombie cannot complete, release or renew its successor's claim, which isn't affected")
    void zombie(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim zombie = subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim successor = subject.elsewhere().acquire();

        assertPowerless(subject, zombie.claim());

        subject.assertInFlight();
        KeyUnderTest.assertApplied(subject.elsewhere().renew(successor));
        KeyUnderTest.assertApplied(subject.elsewhere().complete(successor));
        assertPowerless(subject, zombie.claim());
    }

    @EachCallForm
    @DisplayName("T1 a zombie cannot touch the claim after a release, nor after its successor's release")
    void zombieAfterRelease(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim zombie = subject.acquire();
        KeyUnderTest.assertApplied(subject.release(zombie, ReleaseMode.STARTED));
        HeldClaim successor = subject.elsewhere().acquire();

        assertPowerless(subject, zombie.claim());
        KeyUnderTest.assertApplied(subject.release(successor, ReleaseMode.NOT_STARTED));
        assertPowerless(subject, zombie.claim());
        assertPowerless(subject, successor.claim());
    }

    @EachCallForm
    @DisplayName("T1 a zombie cannot touch the claim of the same message after its window")
    void zombieAfterTheWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim zombie = subject.done(null, null);
        advance(KeyUnderTest.WINDOW_LENGTH);
        HeldClaim successor = subject.acquire();
        assertThat(successor.attempt()).isEqualTo(zombie.attempt());

        assertPowerless(subject, zombie.claim());

        KeyUnderTest.assertApplied(subject.complete(successor));
    }

    @EachCallForm
    @DisplayName("T8 owners are compared exactly, including case, wildcards and prefixes")
    void ownersAreComparedExactly(CallForm form) {
        List<Owner> owners = List.of(
                new Owner("abc"),
                new Owner("ABC"),
                new Owner("ab"),
                new Owner("abcd"),
                new Owner("ab%"),
                new Owner("ab_"),
                new Owner("ab*"),
                new Owner("0"),
                new Owner("00"),
                new Owner("0.0"),
                new Owner("1e3"),
                new Owner("1000"),
                new Owner("-"),
                new Owner("'"),
                new Owner("\\"),
                new Owner("{}"),
                new Owner("nil"),
                new Owner("null"),
                new Owner("a".repeat(64)),
                new Owner("a".repeat(63)));
        for (Owner owner : owners) {
            KeyUnderTest subject = subject(form);
            HeldClaim held = subject.acquire(owner);
            assertThat(subject.elsewhere().found().owner()).isEqualTo(owner);
            for (Owner other : owners) {
                if (!other.equals(owner)) {
                    KeyUnderTest.assertLeaseLost(subject.renew(new Claim(subject.key(), other, 1), KeyUnderTest.LEASE));
                    KeyUnderTest.assertLeaseLost(
                            subject.release(new Claim(subject.key(), other, 1), ReleaseMode.STARTED));
                    KeyUnderTest.assertLeaseLost(
                            subject.complete(new Claim(subject.key(), other, 1), KeyUnderTest.WINDOW, null, false));
                }
            }
            assertThat(subject.acquire(owner).answer()).isEqualTo(held.answer());
            KeyUnderTest.assertApplied(subject.complete(held));
        }
    }

    private void assertPowerless(KeyUnderTest subject, Claim claim) {
        Optional<StoredRecord> before = subject.find();

        KeyUnderTest.assertLeaseLost(subject.complete(claim, KeyUnderTest.WINDOW, null, false));
        KeyUnderTest.assertLeaseLost(subject.complete(claim, KeyUnderTest.WINDOW, new byte[] {66}, false));
        KeyUnderTest.assertLeaseLost(subject.complete(claim, KeyUnderTest.WINDOW, new byte[] {66}, true));
        for (ReleaseMode mode : ReleaseMode.values()) {
            KeyUnderTest.assertLeaseLost(subject.release(claim, mode));
        }
        KeyUnderTest.assertLeaseLost(subject.renew(claim, KeyUnderTest.LEASE.multipliedBy(2)));

        Optional<StoredRecord> after = subject.find();
        assertThat(after.isPresent()).as("record is there").isEqualTo(before.isPresent());
        before.ifPresent(record -> assertUnchanged(record, after.orElseThrow()));
    }
}
