package io.dedup.protocol;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Stores with a mistake. */
final class BuggyStore {
    private final DedupStore real;
    private final Bug bug;
    /** What others do between a check and its set. */
    private final Runnable meanwhile;

    private final Map<DedupKey, byte[]> inherited = new HashMap<>();

    private BuggyStore(DedupStore real, Bug bug, Runnable meanwhile) {
        this.real = real;
        this.bug = bug;
        this.meanwhile = meanwhile;
    }

    static DedupStore of(DedupStore real, Bug bug, Runnable meanwhile) {
        BuggyStore buggy = new BuggyStore(real, bug, meanwhile);
        return (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(),
                new Class<?>[] {DedupStore.class, StepRecords.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "claim" -> each(arguments[0], (ClaimRequest request) -> buggy.claim(request));
                    case "complete" -> each(arguments[0], (CompleteRequest request) -> buggy.complete(request));
                    case "release" -> each(arguments[0], (ReleaseRequest request) -> buggy.release(request));
                    case "keepSteps" -> each(arguments[0], (StepRequest request) -> buggy.keepStep(request));
                    case "renew" -> each(arguments[0], (RenewRequest request) -> buggy.renew(request));
                    default -> {
                        try {
                            yield method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                });
    }

    @SuppressWarnings("unchecked") // each operation has its own types
    private static <Q, A> List<A> each(Object requests, Function<Q, A> operation) {
        return ((List<Q>) requests).stream().map(operation).toList();
    }

    private ClaimResult claim(ClaimRequest request) {
        if (bug == Bug.CHECK_THEN_SET) {
            boolean free = real.find(request.key())
                    .map(found -> found.state() == StoredRecord.State.RELEASED
                            || found.state() == StoredRecord.State.ABANDONED)
                    .orElse(true);
            if (free) {
                meanwhile.run();
                return taken(request);
            }
        }
        ClaimResult answer = real.claim(List.of(request)).get(0);
        if ((bug == Bug.LIVE_LEASE_IGNORED && answer instanceof ClaimResult.InFlight)
                || (bug == Bug.DONE_IGNORED && answer instanceof ClaimResult.AlreadyDone)) {
            return taken(request);
        }
        if (answer instanceof Acquired acquired) {
            return switch (bug) {
                case TOKEN_STANDS_STILL ->
                    new Acquired(acquired.attempt(), acquired.deaths(), acquired.tookOver(), 1, acquired.steps());
                case ATTEMPT_ALWAYS_ONE -> new Acquired(1, 0, false, acquired.fencingToken(), acquired.steps());
                case STEPS_DROPPED_BY_CLAIM ->
                    new Acquired(acquired.attempt(), acquired.deaths(), acquired.tookOver(), acquired.fencingToken());
                case STEPS_OUTLIVE_DONE ->
                    acquired.steps() == null
                            ? new Acquired(
                                    acquired.attempt(),
                                    acquired.deaths(),
                                    acquired.tookOver(),
                                    acquired.fencingToken(),
                                    inherited.get(request.key()))
                            : acquired;
                default -> acquired;
            };
        }
        return answer;
    }

    /** Whoever has it. */
    private ClaimResult taken(ClaimRequest request) {
        var unused = real.forget(request.key(), LiveLease.OVERRIDE);
        return real.claim(List.of(request)).get(0);
    }

    private WriteResult complete(CompleteRequest request) {
        if (bug == Bug.OWNERLESS_COMPLETE) {
            var unused = real.forceDone(request.claim().key(), request.window(), LiveLease.OVERRIDE);
            return WriteResult.applied();
        }
        if (bug == Bug.STEPS_OUTLIVE_DONE) {
            real.find(request.claim().key())
                    .map(StoredRecord::steps)
                    .ifPresent(steps -> inherited.put(request.claim().key(), steps));
        }
        return real.complete(List.of(request)).get(0);
    }

    private Owner ownerOf(io.dedup.store.Claim claim) {
        return real.find(claim.key()).map(StoredRecord::owner).orElse(claim.owner());
    }

    private io.dedup.store.Claim stolen(io.dedup.store.Claim claim) {
        return new io.dedup.store.Claim(claim.key(), ownerOf(claim), claim.attempt());
    }

    private WriteResult release(ReleaseRequest request) {
        return real.release(List.of(
                        bug == Bug.OWNERLESS_RELEASE
                                ? new ReleaseRequest(stolen(request.claim()), request.mode())
                                : request))
                .get(0);
    }

    private WriteResult keepStep(StepRequest request) {
        return StepRecords.of(real)
                .keepSteps(List.of(
                        bug == Bug.OWNERLESS_STEP
                                ? new StepRequest(stolen(request.claim()), request.entry())
                                : request))
                .get(0);
    }

    private WriteResult renew(RenewRequest request) {
        return real.renew(List.of(
                        bug == Bug.OWNERLESS_RENEW
                                ? new RenewRequest(stolen(request.claim()), request.lease())
                                : request))
                .get(0);
    }
}
