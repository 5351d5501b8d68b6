package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Owners;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.Subject;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** One who is not the owner changes nothing, ever. */
public abstract class OwnershipContract extends ContractGroup {
    @EachSituation
    @DisplayName("T1 a stranger changes nothing, whatever state the record is in")
    void stranger(Situation situation, Form form) {
        Subject subject = subject(form);
        Held owner = situation.arrange(subject, this::advance);

        assertPowerless(subject, new Claim(subject.key(), Owners.next(), owner.attempt() + 1));
    }

    @EachSituation
    @DisplayName("T1 who has lost its claim changes nothing any more")
    void formerOwner(Situation situation, Form form) {
        Subject subject = subject(form);
        Held former = situation.arrange(subject, this::advance);
        if (situation.isOwned()) { // then take it away
            advance(Subject.LEASE);
            subject.elsewhere().acquire();
        }

        // Asked with another attempt: a repeated completion by the attempt that did it counts as applied.
        assertPowerless(subject, new Claim(subject.key(), former.owner(), former.attempt() + 7));
    }

    @EachForm
    @DisplayName("T1 a zombie can't complete, release or renew its successor's claim, which goes on undisturbed")
    void zombie(Form form) {
        Subject subject = subject(form);
        Held zombie = subject.acquire();
        advance(Subject.LEASE);
        Held successor = subject.elsewhere().acquire();

        assertPowerless(subject, zombie.claim());

        subject.assertInFlight();
        Subject.assertApplied(subject.elsewhere().renew(successor));
        Subject.assertApplied(subject.elsewhere().complete(successor));
        assertPowerless(subject, zombie.claim());
    }

    @EachForm
    @DisplayName("T1 a zombie can't touch the claim after a release, nor after its successor's release")
    void zombieAfterRelease(Form form) {
        Subject subject = subject(form);
        Held zombie = subject.acquire();
        Subject.assertApplied(subject.release(zombie, ReleaseMode.STARTED));
        Held successor = subject.elsewhere().acquire();

        assertPowerless(subject, zombie.claim());
        Subject.assertApplied(subject.release(successor, ReleaseMode.NOT_STARTED));
        assertPowerless(subject, zombie.claim());
        assertPowerless(subject, successor.claim());
    }

    @EachForm
    @DisplayName("T1 a zombie can't touch the claim of the same message after its window")
    void zombieAfterTheWindow(Form form) {
        Subject subject = subject(form);
        Held zombie = subject.done(null, null);
        advance(Subject.WINDOW_LENGTH);
        Held successor = subject.acquire();
        assertThat(successor.attempt()).isEqualTo(zombie.attempt());

        assertPowerless(subject, zombie.claim());

        Subject.assertApplied(subject.complete(successor));
    }

    @EachForm
    @DisplayName("T8 owners are compared to the letter: case, wildcards and prefixes count")
    void ownersAreComparedExactly(Form form) {
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
            Subject subject = subject(form);
            Held held = subject.acquire(owner);
            assertThat(subject.elsewhere().found().owner()).isEqualTo(owner);
            for (Owner other : owners) {
                if (!other.equals(owner)) {
                    Subject.assertLeaseLost(subject.renew(new Claim(subject.key(), other, 1), Subject.LEASE));
                    Subject.assertLeaseLost(subject.release(new Claim(subject.key(), other, 1), ReleaseMode.STARTED));
                    Subject.assertLeaseLost(
                            subject.complete(new Claim(subject.key(), other, 1), Subject.WINDOW, null, false));
                }
            }
            assertThat(subject.acquire(owner).answer()).isEqualTo(held.answer());
            Subject.assertApplied(subject.complete(held));
        }
    }

    private void assertPowerless(Subject subject, Claim claim) {
        Optional<StoredRecord> before = subject.find();

        Subject.assertLeaseLost(subject.complete(claim, Subject.WINDOW, new byte[] {66}, false));
        Subject.assertLeaseLost(subject.complete(claim, Subject.WINDOW, new byte[] {66}, true));
        for (ReleaseMode mode : ReleaseMode.values()) {
            Subject.assertLeaseLost(subject.release(claim, mode));
        }
        Subject.assertLeaseLost(subject.renew(claim, Subject.LEASE.multipliedBy(2)));

        Optional<StoredRecord> after = subject.find();
        assertThat(after.isPresent()).as("record is there").isEqualTo(before.isPresent());
        before.ifPresent(record -> assertUnchanged(record, after.orElseThrow()));
    }
}
