package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.internal.SafeListeners;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Admits deliveries and closes their runs out. Claiming, running and completing are separate steps, so that an adapter
 * can claim many deliveries ahead and complete many at once.
 *
 * <p>Thread-safe; one for each consumer application. Doesn't own the store.
 */
public final class DedupEngine implements AutoCloseable {
    private static final long CLOSE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final DedupStore store;
    private final Claimer claimer;
    private final Decider decider;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;
    private final CloseOut closeOut;
    private final Duration shutdownTimeout;
    private volatile boolean closed;

    /**
     * An engine with threads of its own.
     *
     * @param shortestLease of all policies that deliveries will come with; sets how often the heartbeat looks
     * @param shutdownTimeout how long {@link #close} waits for running handlers while it renews their leases
     */
    public DedupEngine(
            DedupStore store, List<DedupListener> listeners, Duration shortestLease, Duration shutdownTimeout) {
        this.store = Objects.requireNonNull(store, "store");
        this.shutdownTimeout = shutdownTimeout;
        SafeListeners<DedupListener> notifier = new SafeListeners<>(listeners);
        this.claimer = new Claimer(store, notifier, new Owners());
        this.heartbeat = new Heartbeat(store, notifier, shortestLease);
        this.background = new BackgroundWrites(store, notifier);
        this.closeOut = new CloseOut(store, notifier, heartbeat, background);
        this.decider = new Decider(notifier, heartbeat, background, closeOut);
    }

    /** Decides about one delivery; takes one round trip unless it is in flight elsewhere. */
    public Admission admit(Delivery delivery, WaitBudget budget) {
        if (closed) {
            return closedDefer();
        }
        DedupKey key = delivery.key();
        if (key == null) {
            return decider.missingId(delivery);
        }
        boolean shadow = delivery.topic().policy().shadow();
        ClaimRequest request = claimer.request(delivery, shadow ? shadowKey(key) : key);
        Attempted attempted = claimer.claim(delivery, request);
        if (attempted.isUndecided() && !shadow) {
            List<Attempted> one = new ArrayList<>(List.of(attempted));
            claimer.wait(one, budget);
            attempted = one.get(0);
        }
        return decider.decide(attempted);
    }

    /** Decides about a batch with one round trip for all of it; copies within the batch follow their first. */
    public BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget) {
        if (closed) {
            return new BatchAdmission(
                    deliveries.stream().map(each -> closedDefer()).toList(), false);
        }
        Map<DedupKey, Integer> leaders = new LinkedHashMap<>();
        List<Delivery> toClaim = new ArrayList<>(deliveries.size());
        List<ClaimRequest> requests = new ArrayList<>(deliveries.size());
        Owner owner = claimer.nextOwner();
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            DedupKey key = claimKey(delivery);
            if (key != null && leaders.putIfAbsent(key, i) == null) {
                toClaim.add(delivery);
                requests.add(claimer.request(delivery, key, owner));
            }
        }
        List<Attempted> attempted = requests.isEmpty() ? new ArrayList<>() : claimer.claimAll(toClaim, requests);
        // Registered before any waiting: claims that wait for their neighbours must not run out.
        Map<DedupKey, Execution> executions = register(attempted);
        if (isolationNeeded(deliveries, attempted)) {
            giveBackAll(executions);
            return new BatchAdmission(List.of(), true);
        }
        if (attempted.stream().anyMatch(each -> each.isUndecided() && !isShadow(each.delivery()))) {
            claimer.wait(attempted, budget);
            if (isolationNeeded(deliveries, attempted)) {
                register(attempted).forEach(executions::putIfAbsent);
                giveBackAll(executions);
                return new BatchAdmission(List.of(), true);
            }
        }
        return new BatchAdmission(decideAll(deliveries, leaders, attempted, executions), false);
    }

    private List<Admission> decideAll(
            List<Delivery> deliveries,
            Map<DedupKey, Integer> leaders,
            List<Attempted> attempted,
            Map<DedupKey, Execution> executions) {
        Map<DedupKey, Attempted> byKey = new LinkedHashMap<>();
        attempted.forEach(each -> byKey.put(each.request().key(), each));
        List<Admission> admissions = new ArrayList<>(deliveries.size());
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            DedupKey key = claimKey(delivery);
            if (key == null) {
                admissions.add(decider.missingId(delivery));
                continue;
            }
            int leader = requireNonNull(leaders.get(key));
            admissions.add(
                    leader == i
                            ? decider.decide(requireNonNull(byKey.get(key)), executions.get(key))
                            : decider.follow(delivery, deliveries.get(leader), leader, admissions.get(leader)));
        }
        return admissions;
    }

    private Map<DedupKey, Execution> register(List<Attempted> attempted) {
        Map<DedupKey, Execution> executions = new LinkedHashMap<>();
        for (Attempted each : attempted) {
            if (each.result() instanceof Acquired acquired) {
                executions.put(each.request().key(), decider.register(each, acquired));
            }
        }
        return executions;
    }

    private static boolean isolationNeeded(List<Delivery> deliveries, List<Attempted> attempted) {
        return deliveries.size() > 1
                && attempted.stream()
                        .anyMatch(each -> each.result() instanceof Acquired acquired
                                && acquired.tookOver()
                                && each.delivery().topic().policy().maxDeaths() > 0
                                && !isShadow(each.delivery()));
    }

    private void giveBackAll(Map<DedupKey, Execution> executions) {
        failAll(List.copyOf(executions.values()), null);
    }

    /** Completes many runs with one call; otherwise as {@link Execution#succeed}. */
    public List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        return closeOut.succeedAll(open(executions), budget);
    }

    /**
     * Releases many runs with one call; their attempts are given back where {@link Execution#begin} wasn't called.
     *
     * @param cause the handler's exception; null when no handler ran
     * @return whether any claim was lost before, see {@link Execution#fail}
     */
    public boolean failAll(List<Execution> executions, @Nullable Throwable cause) {
        return closeOut.releaseAll(open(executions), cause);
    }

    private static List<Execution> open(List<Execution> executions) {
        return executions.stream().filter(Execution::closeForBatch).toList();
    }

    /**
     * Returns when the store answers.
     *
     * @throws io.dedup.store.DedupStoreException when it doesn't
     */
    public void ping() {
        store.ping();
    }

    /** How many claims are held now. */
    public int inFlight() {
        return heartbeat.size();
    }

    /** How many successes wait to be recorded, because the store couldn't be told. */
    public int pendingCompletions() {
        return background.pendingCompletions();
    }

    /**
     * Admits nothing any more, waits for running handlers while their leases are renewed, then stops the heartbeat and
     * tries the waiting completions once more.
     */
    @Override
    public void close() {
        closed = true;
        long until = System.nanoTime() + shutdownTimeout.toNanos();
        while (heartbeat.size() > 0
                && until - System.nanoTime() > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(CLOSE_POLL_NANOS);
        }
        heartbeat.close();
        background.close();
    }

    private static @Nullable DedupKey claimKey(Delivery delivery) {
        DedupKey key = delivery.key();
        return key != null && isShadow(delivery) ? shadowKey(key) : key;
    }

    private static boolean isShadow(Delivery delivery) {
        return delivery.topic().policy().shadow();
    }

    private static DedupKey shadowKey(DedupKey key) {
        return new DedupKey(key.scope().shadow(), key.messageId());
    }

    private static Admission closedDefer() {
        return new Admission.Defer(DeferReason.CLOSED, Duration.ofSeconds(1), false, null);
    }
}
