package io.dedup.protocol;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
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
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps book of what a store has answered, and notes the first answer that breaks a rule of the protocol. It throws
 * nothing: an engine would take that for a failing store.
 */
final class Book implements DedupStore, StepRecords {
    /** What is known of a key. */
    private static final class Entry {
        @Nullable
        Owner owner;

        Instant leaseUntil = Instant.MIN;
        Instant doneUntil = Instant.MIN;
        boolean done;
        int attempts;
        int doneAttempt;
        long token;

        byte[] steps = NO_STEPS;

        boolean isDone(Instant now) {
            return done && now.isBefore(doneUntil);
        }

        boolean isLive(Instant now) {
            return owner != null && now.isBefore(leaseUntil);
        }
    }

    private static final byte[] NO_STEPS = {};

    private final DedupStore real;
    private final DedupStore store;
    private final InstantSource clock;
    private final Map<DedupKey, Entry> entries = new HashMap<>();
    private @Nullable String violation;

    /**
     * A book.
     *
     * @param real where records can be looked at
     * @param store what is asked; the same, or a broken one on top of it
     */
    Book(DedupStore real, DedupStore store, InstantSource clock) {
        this.real = real;
        this.store = store;
        this.clock = clock;
    }

    @Nullable
    String violation() {
        return violation;
    }

    void violated(String what) {
        if (violation == null) {
            violation = what;
        }
    }

    void require(boolean condition, String rule, Copy copy) {
        if (!condition) {
            violated(rule + ": " + copy);
        }
    }

    boolean isDone(DedupKey key) {
        return entry(key).isDone(clock.instant());
    }

    /** Whether this owner has a lease that is live. */
    boolean isHeld(Claim claim) {
        Entry entry = entry(claim.key());
        return entry.isLive(clock.instant()) && claim.owner().equals(entry.owner);
    }

    private Entry entry(DedupKey key) {
        return entries.computeIfAbsent(key, any -> new Entry());
    }

    private void require(boolean condition, DedupKey key, String rule) {
        if (!condition) {
            violated(rule + ": " + key.messageId());
        }
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return requests.stream().map(this::claim).toList();
    }

    private ClaimResult claim(ClaimRequest request) {
        ClaimResult answer = store.claim(List.of(request)).get(0);
        DedupKey key = request.key();
        Instant now = clock.instant();
        Entry entry = entry(key);
        if (answer instanceof ClaimResult.AlreadyDone) {
            require(entry.isDone(now), key, "done without a completion");
        } else if (answer instanceof ClaimResult.InFlight) {
            require(entry.isLive(now) && !request.owner().equals(entry.owner), key, "in flight without a live owner");
        } else if (answer instanceof ClaimResult.Acquired acquired) {
            acquired(request, acquired, entry, now);
        }
        return answer;
    }

    private void acquired(ClaimRequest request, ClaimResult.Acquired acquired, Entry entry, Instant now) {
        DedupKey key = request.key();
        require(!entry.isDone(now), key, "claimed although done inside its window");
        boolean again = entry.isLive(now) && request.owner().equals(entry.owner);
        if (again) {
            require(acquired.fencingToken() == entry.token, key, "a repeated claim got another token");
            require(acquired.attempt() == entry.attempts, key, "a repeated claim got another attempt");
        } else {
            require(!entry.isLive(now), key, "two live owners");
            require(acquired.fencingToken() > entry.token, key, "the token didn't grow");
            int before = entry.done ? 0 : entry.attempts; // a done record whose window is over is gone
            require(acquired.attempt() == before + 1, key, "wrong attempt " + acquired.attempt());
        }
        if (entry.done) {
            entry.steps = NO_STEPS;
        }
        require(Arrays.equals(bytes(acquired.steps()), entry.steps), key, "a claim brought other steps than were kept");
        entry.owner = request.owner();
        entry.leaseUntil = now.plus(request.lease());
        entry.attempts = acquired.attempt();
        entry.token = acquired.fencingToken();
        entry.done = false;
    }

    private static byte[] bytes(byte @Nullable [] steps) {
        return steps == null ? NO_STEPS : steps;
    }

    /** A step's function begins in the run of this claim. */
    void stepRuns(Claim claim) {
        Entry entry = entry(claim.key());
        require(
                !claim.owner().equals(entry.owner) || entry.steps.length == 0,
                claim.key(),
                "the owner ran a step that is kept");
    }

    /** Whether the message's step is kept, or was until the message was done. */
    boolean hasSteps(DedupKey key) {
        return entry(key).steps.length > 0;
    }

    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return requests.stream().map(this::keepStep).toList();
    }

    private WriteResult keepStep(StepRequest request) {
        Claim claim = request.claim();
        Optional<StoredRecord> before = real.find(claim.key());
        WriteResult answer = StepRecords.of(store).keepSteps(List.of(request)).get(0);
        Entry entry = entry(claim.key());
        if (written(claim, answer, before)) {
            byte[] all = Arrays.copyOf(entry.steps, entry.steps.length + request.entry().length);
            System.arraycopy(request.entry(), 0, all, entry.steps.length, request.entry().length);
            entry.steps = all;
        } else {
            require(!answer.isApplied(), claim.key(), "a step kept by one who isn't the owner");
        }
        return answer;
    }

    /** Checks what holds for all writes; whether it was applied, in the name of the owner. */
    private boolean written(Claim claim, WriteResult answer, Optional<StoredRecord> before) {
        boolean owns = claim.owner().equals(entry(claim.key()).owner);
        if (answer.isApplied()) {
            return owns;
        }
        require(!owns, claim.key(), "its owner was refused");
        require(same(before, real.find(claim.key())), claim.key(), "changed although refused");
        return false;
    }

    private static boolean same(Optional<StoredRecord> before, Optional<StoredRecord> after) {
        return view(before).equals(view(after));
    }

    private static List<?> view(Optional<StoredRecord> record) {
        return record.<List<?>>map(found -> List.of(
                        found.state(),
                        found.attempt(),
                        found.deaths(),
                        found.fencingToken(),
                        found.leaseRemaining(),
                        ByteBuffer.wrap(bytes(found.steps())),
                        Objects.requireNonNullElse(found.completedAt(), Instant.MIN)))
                .orElse(List.of());
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return requests.stream().map(this::complete).toList();
    }

    private WriteResult complete(CompleteRequest request) {
        Claim claim = request.claim();
        Optional<StoredRecord> before = real.find(claim.key());
        WriteResult answer = store.complete(List.of(request)).get(0);
        Entry entry = entry(claim.key());
        if (written(claim, answer, before)) {
            entry.owner = null;
            entry.done = true;
            entry.doneAttempt = claim.attempt();
            entry.doneUntil =
                    clock.instant().plus(Objects.requireNonNull(request.window().duration()));
        } else if (answer.isApplied()) {
            require(
                    request.repeated() && entry.done && entry.doneAttempt == claim.attempt(),
                    claim.key(),
                    "completed by one who isn't the owner");
        }
        return answer;
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return requests.stream().map(this::release).toList();
    }

    WriteResult release(ReleaseRequest request) {
        Claim claim = request.claim();
        Optional<StoredRecord> before = real.find(claim.key());
        WriteResult answer = store.release(List.of(request)).get(0);
        Entry entry = entry(claim.key());
        if (written(claim, answer, before)) {
            entry.owner = null;
            entry.attempts -= request.mode() == ReleaseMode.STARTED ? 0 : 1;
        } else {
            require(!answer.isApplied(), claim.key(), "released by one who isn't the owner");
        }
        return answer;
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return requests.stream().map(this::renew).toList();
    }

    private WriteResult renew(RenewRequest request) {
        Claim claim = request.claim();
        Optional<StoredRecord> before = real.find(claim.key());
        WriteResult answer = store.renew(List.of(request)).get(0);
        if (written(claim, answer, before)) {
            entry(claim.key()).leaseUntil = clock.instant().plus(request.lease());
        } else {
            require(!answer.isApplied(), claim.key(), "renewed by one who isn't the owner");
        }
        return answer;
    }

    @Override
    public String name() {
        return "book";
    }

    @Override
    public Duration attemptRetention() {
        return real.attemptRetention();
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return real.find(key);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        throw new AssertionError("no operator takes part");
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        throw new AssertionError("no operator takes part");
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}
}
