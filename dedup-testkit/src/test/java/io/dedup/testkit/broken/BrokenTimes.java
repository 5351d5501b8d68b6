package io.dedup.testkit.broken;

import io.dedup.LiveLease;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Leases, windows and the retention. */
final class BrokenTimes {
    private static final Duration MILLI = Duration.ofMillis(1);

    private BrokenTimes() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("claim", "a lease is live at its end", leases(lease -> lease.plus(MILLI))),
                new BrokenStore(
                        "claim",
                        "a lease is over before its end",
                        leases(lease -> lease.compareTo(MILLI) > 0 ? lease.minus(MILLI) : lease)),
                new BrokenStore(
                        "claim",
                        "leases are kept in seconds",
                        leases(lease -> Duration.ofSeconds(Math.max(1, lease.toSeconds())))),
                new BrokenStore(
                        "claim",
                        "leases end after a day at most",
                        leases(lease -> lease.toDays() > 1 ? Duration.ofDays(1) : lease)),
                new BrokenStore("renew", "a renewal adds to what is left", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        Duration left = store.find(request.claim().key())
                                .map(record -> record.leaseRemaining())
                                .orElse(Duration.ZERO);
                        return super.renew(new RenewRequest(
                                request.claim(), request.lease().plus(left)));
                    }
                }),
                new BrokenStore("renew", "a renewal never shortens", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        Duration left = store.find(request.claim().key())
                                .map(record -> record.leaseRemaining())
                                .orElse(Duration.ZERO);
                        return super.renew(new RenewRequest(
                                request.claim(), left.compareTo(request.lease()) > 0 ? left : request.lease()));
                    }
                }),
                new BrokenStore("renew", "a renewal does nothing", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        return store.find(request.claim().key())
                                        .filter(record -> Objects.equals(
                                                record.owner(), request.claim().owner()))
                                        .isPresent()
                                ? WriteResult.applied()
                                : WriteResult.leaseLost();
                    }
                }),
                new BrokenStore("expiry", "a window is open at its end", windows(window -> window.plus(MILLI))),
                new BrokenStore(
                        "expiry",
                        "a window is over before its end",
                        windows(window -> window.compareTo(MILLI) > 0 ? window.minus(MILLI) : window)),
                new BrokenStore(
                        "expiry",
                        "windows are kept in seconds",
                        windows(window -> Duration.ofSeconds(Math.max(1, window.toSeconds())))),
                new BrokenStore(
                        "expiry",
                        "windows end after 32 bits of seconds",
                        windows(window -> window.toSeconds() > Integer.MAX_VALUE
                                ? Duration.ofSeconds(Integer.MAX_VALUE)
                                : window)),
                new BrokenStore("expiry", "for ever is the longest window", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return super.complete(
                                with(request, request.window().isForever() ? Window.of(Window.MAX) : request.window()));
                    }
                }),
                new BrokenStore("complete", "every window is for ever", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return super.complete(with(request, Window.forever()));
                    }
                }),
                new BrokenStore("complete", "a repeated completion sets the window anew", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        WriteResult answer = super.complete(request);
                        if (answer.isApplied() && request.repeated()) {
                            store.forceDone(request.claim().key(), Window.of(Duration.ofDays(2)), LiveLease.RESPECT);
                        }
                        return answer;
                    }
                }),
                new BrokenStore(
                        "expiry",
                        "a record that counts nothing any more is dropped at once",
                        s -> new ForwardingStore(s) {
                            @Override
                            WriteResult release(ReleaseRequest request) {
                                WriteResult answer = super.release(request);
                                store.find(request.claim().key())
                                        .filter(record -> record.state() != State.PROCESSING && record.deaths() == 0)
                                        .filter(record -> answer.isApplied() && request.mode() != ReleaseMode.STARTED)
                                        .ifPresent(record ->
                                                store.forget(request.claim().key(), LiveLease.RESPECT));
                                return answer;
                            }
                        }));
    }

    private static UnaryOperator<DedupStore> leases(UnaryOperator<Duration> change) {
        return Broken.claims(request -> new ClaimRequest(
                request.key(),
                request.owner(),
                change.apply(request.lease()),
                request.fingerprint(),
                request.fenced()));
    }

    private static UnaryOperator<DedupStore> windows(UnaryOperator<Duration> change) {
        return s -> new ForwardingStore(s) {
            @Override
            WriteResult complete(CompleteRequest request) {
                Duration length = request.window().duration();
                if (length == null) {
                    return super.complete(request);
                }
                Duration changed = change.apply(length);
                return super.complete(
                        with(request, Window.of(changed.compareTo(Window.MAX) > 0 ? Window.MAX : changed)));
            }
        };
    }

    private static CompleteRequest with(CompleteRequest request, Window window) {
        return new CompleteRequest(request.claim(), window, request.result(), request.repeated());
    }
}
