package io.dedup.testkit.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One key under test, driven through one form of the calls.
 *
 * <p>Writes go through the store under test, takeovers and reads through the client that the test chooses; see
 * {@link #elsewhere()}.
 */
public record KeyUnderTest(DedupStore store, DedupStore otherInstance, CallForm form, DedupKey key) {
    /** Long compared with the time that passes during a test. */
    public static final Duration LEASE = Duration.ofHours(1);

    public static final Duration WINDOW_LENGTH = Duration.ofDays(1);
    public static final Window WINDOW = Window.of(WINDOW_LENGTH);

    /** The same key as another client of the store sees it. */
    public KeyUnderTest elsewhere() {
        return new KeyUnderTest(/* store= */ otherInstance, /* otherInstance= */ store, form, key);
    }

    public ClaimResult claim() {
        return claim(UniqueNames.owner(), null);
    }

    public ClaimResult claim(Owner owner) {
        return claim(owner, null);
    }

    public ClaimResult claim(Owner owner, @Nullable Fingerprint fingerprint) {
        return claim(new ClaimRequest(key, owner, LEASE, fingerprint, true));
    }

    public ClaimResult claim(ClaimRequest request) {
        return form.claim(store, request);
    }

    /** Claims for a new owner, and fails the test unless that works. */
    public HeldClaim acquire() {
        return acquire(UniqueNames.owner(), null);
    }

    public HeldClaim acquire(Owner owner) {
        return acquire(owner, null);
    }

    public HeldClaim acquire(@Nullable Fingerprint fingerprint) {
        return acquire(UniqueNames.owner(), fingerprint);
    }

    public HeldClaim acquire(Owner owner, @Nullable Fingerprint fingerprint) {
        return acquire(new ClaimRequest(key, owner, LEASE, fingerprint, true));
    }

    public HeldClaim acquire(ClaimRequest request) {
        ClaimResult answer = claim(request);
        assertThat(answer).as("answer to a claim of %s", key).isInstanceOf(ClaimResult.Acquired.class);
        ClaimResult.Acquired acquired = (ClaimResult.Acquired) answer;
        return new HeldClaim(new Claim(key, request.owner(), acquired.attempt()), acquired);
    }

    public WriteResult complete(HeldClaim held) {
        return complete(held.claim(), WINDOW, null, false);
    }

    public WriteResult complete(Claim claim, Window window, byte @Nullable [] result, boolean repeated) {
        return form.complete(store, new CompleteRequest(claim, window, result, repeated));
    }

    public WriteResult release(HeldClaim held, ReleaseMode mode) {
        return release(held.claim(), mode);
    }

    public WriteResult release(Claim claim, ReleaseMode mode) {
        return form.release(store, new ReleaseRequest(claim, mode));
    }

    public WriteResult renew(HeldClaim held) {
        return renew(held.claim(), LEASE);
    }

    public WriteResult renew(Claim claim, Duration lease) {
        return form.renew(store, new RenewRequest(claim, lease));
    }

    public WriteResult keepStep(Claim claim, byte[] entry) {
        return form.keepStep(store, new StepRequest(claim, entry));
    }

    /** Claims and completes, for the fixed window. */
    public HeldClaim done(byte @Nullable [] result, @Nullable Fingerprint fingerprint) {
        HeldClaim held = acquire(fingerprint);
        assertApplied(complete(held.claim(), WINDOW, result, false));
        return held;
    }

    public Optional<StoredRecord> find() {
        return store.find(key);
    }

    /** The record, which must be there. */
    public StoredRecord found() {
        Optional<StoredRecord> found = find();
        assertThat(found).as("record of %s", key).isPresent();
        return found.orElseThrow();
    }

    public void assertInFlight() {
        assertThat(claim()).as("claim of a held key").isInstanceOf(ClaimResult.InFlight.class);
    }

    public void assertDone() {
        assertThat(claim()).as("claim of a done key").isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    public static void assertApplied(WriteResult result) {
        assertThat(result).isEqualTo(WriteResult.applied());
    }

    public static void assertLeaseLost(WriteResult result) {
        assertThat(result).isEqualTo(WriteResult.leaseLost());
    }
}
