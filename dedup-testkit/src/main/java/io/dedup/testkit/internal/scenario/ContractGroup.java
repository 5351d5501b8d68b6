package io.dedup.testkit.internal.scenario;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupScope;
import io.dedup.Fingerprint;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.fixture.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the groups of the contract share: one fixture per group, new keys, and comparisons with a stated tolerance. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD) // advance() moves the time of every test's records
public abstract class ContractGroup {
    /** Stores keep times to the millisecond or better, cut off or rounded. */
    public static final Duration PRECISION = Duration.ofMillis(2);

    public static final Fingerprint RED = new Fingerprint("red");
    public static final Fingerprint BLUE = new Fingerprint("blue");

    private @Nullable StoreFixture fixture;

    protected abstract StoreFixture newFixture() throws Exception;

    @BeforeAll
    void openFixture() throws Exception {
        fixture = newFixture();
        assertThat(fixture.store().attemptRetention())
                .as("attemptRetention: the contract runs a day's hours within it")
                .isBetween(Duration.ofDays(1), Duration.ofDays(60));
        assertThat(fixture.drift()).as("drift").isBetween(Duration.ZERO, Duration.ofMinutes(5));
    }

    @AfterAll
    void closeFixture() throws Exception {
        if (fixture != null) { // null where it could not be opened
            fixture.close();
        }
    }

    /**
     * Starts with an empty store again. If moving the time changes every record, the records of earlier tests would be most
     * of the work.
     */
    protected final void reopenFixture() throws Exception {
        closeFixture();
        openFixture();
    }

    protected final StoreFixture fixture() {
        return requireNonNull(fixture, "fixture");
    }

    protected final DedupStore store() {
        return fixture().store();
    }

    protected final void advance(Duration by) {
        fixture().advance(by);
    }

    /** How long before a time expires a test can still read the record. */
    protected final Duration step() {
        Duration drift = fixture().drift();
        return drift.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : drift;
    }

    /** A new key, used through this form. */
    protected final KeyUnderTest subject(CallForm form) {
        return subject(form, newScope(), "order-1");
    }

    protected final KeyUnderTest subject(CallForm form, DedupScope scope, String messageId) {
        return new KeyUnderTest(store(), fixture().secondInstance(), form, scope.key(messageId));
    }

    public static DedupScope newScope() {
        return DedupScope.of("contract", UniqueNames.next());
    }

    /** Compares a remaining time, from which the store's own clock may have taken a little. */
    protected final void assertRemaining(Duration actual, Duration expected) {
        assertThat(actual)
                .as("remaining")
                .isBetween(expected.minus(fixture().drift()).minus(PRECISION), expected.plus(PRECISION));
    }

    /** Compares a time that adds up, to which the store's own clock may have added a little. */
    protected final void assertElapsed(Duration actual, Duration expected) {
        assertThat(actual)
                .as("elapsed")
                .isBetween(
                        expected.minus(PRECISION),
                        expected.plus(fixture().drift()).plus(PRECISION));
    }

    /** Compares two times of one record, between which the store may have read its own clock again. */
    protected final void assertDistance(Instant from, Instant to, Duration expected) {
        Duration tolerance = PRECISION.plus(fixture().drift());
        assertThat(Duration.between(from, to)).isBetween(expected.minus(tolerance), expected.plus(tolerance));
    }

    /** Asserts that nothing except time has changed between two reads of a record. */
    protected final void assertUnchanged(StoredRecord before, StoredRecord after) {
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("leaseRemaining")
                .isEqualTo(before);
        assertRemaining(after.leaseRemaining(), before.leaseRemaining());
    }
}
