package io.dedup.testkit.broken;

import io.dedup.DedupKey;
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
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import java.util.List;
import java.util.Locale;

/** Who may write. */
final class BrokenOwnership {
    private BrokenOwnership() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("ownership", "complete without asking for the owner", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return super.complete(new CompleteRequest(
                                anybody(store, request.claim()),
                                request.window(),
                                request.result(),
                                request.repeated()));
                    }
                }),
                new BrokenStore("ownership", "release without asking for the owner", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult release(ReleaseRequest request) {
                        return super.release(new ReleaseRequest(anybody(store, request.claim()), request.mode()));
                    }
                }),
                new BrokenStore("ownership", "renew without asking for the owner", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        return super.renew(new RenewRequest(anybody(store, request.claim()), request.lease()));
                    }
                }),
                new BrokenStore("ownership", "owners are compared without case", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        Owner owner = store.find(request.claim().key())
                                .map(StoredRecord::owner)
                                .filter(stored -> same(stored, request.claim().owner()))
                                .orElse(request.claim().owner());
                        return super.renew(new RenewRequest(ownedBy(request.claim(), owner), request.lease()));
                    }
                }),
                new BrokenStore("ownership", "a refused renewal says that it worked", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        super.renew(request);
                        return WriteResult.applied();
                    }
                }),
                new BrokenStore("ownership", "a refused completion releases the record", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        WriteResult answer = super.complete(request);
                        if (!answer.isApplied()) {
                            super.release(new ReleaseRequest(anybody(store, request.claim()), ReleaseMode.STARTED));
                        }
                        return answer;
                    }
                }),
                new BrokenStore("ownership", "owner and attempt are mixed up", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        boolean sameAttempt = store.find(request.claim().key())
                                .filter(record ->
                                        record.attempt() == request.claim().attempt())
                                .isPresent();
                        return sameAttempt
                                ? super.complete(new CompleteRequest(
                                        anybody(store, request.claim()),
                                        request.window(),
                                        request.result(),
                                        request.repeated()))
                                : WriteResult.leaseLost();
                    }
                }),
                new BrokenStore("complete", "complete asks for the attempt as well", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return attempt(store, request.claim().key())
                                        == request.claim().attempt()
                                ? super.complete(request)
                                : WriteResult.leaseLost();
                    }
                }),
                new BrokenStore("complete", "nobody may complete after the lease", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return isOver(store, request.claim().key()) ? WriteResult.leaseLost() : super.complete(request);
                    }
                }),
                new BrokenStore("release", "nobody may release after the lease", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult release(ReleaseRequest request) {
                        return isOver(store, request.claim().key()) ? WriteResult.leaseLost() : super.release(request);
                    }
                }),
                new BrokenStore("renew", "nobody may renew after the lease", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult renew(RenewRequest request) {
                        return isOver(store, request.claim().key()) ? WriteResult.leaseLost() : super.renew(request);
                    }
                }),
                new BrokenStore("complete", "a repeated completion is refused", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return super.complete(
                                new CompleteRequest(request.claim(), request.window(), request.result(), false));
                    }
                }),
                new BrokenStore("complete", "every completion counts as a repeated one", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        return super.complete(
                                new CompleteRequest(request.claim(), request.window(), request.result(), true));
                    }
                }),
                new BrokenStore("complete", "a repeated completion asks for no attempt", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        Claim claim = new Claim(
                                request.claim().key(),
                                request.claim().owner(),
                                attempt(store, request.claim().key()));
                        return super.complete(
                                new CompleteRequest(claim, request.window(), request.result(), request.repeated()));
                    }
                }),
                new BrokenStore("claim", "an own repeated request is in flight", s -> new ForwardingStore(s) {
                    @Override
                    ClaimResult claim(ClaimRequest request) {
                        return super.claim(isHeldBy(store, request) ? Broken.withNewOwner(request) : request);
                    }
                }),
                new BrokenStore(
                        "claim", "an own repeated request doesn't renew the lease", s -> new ForwardingStore(s) {
                            @Override
                            ClaimResult claim(ClaimRequest request) {
                                return isHeldBy(store, request)
                                        ? super.claim(new ClaimRequest(
                                                request.key(),
                                                request.owner(),
                                                store.find(request.key())
                                                        .orElseThrow()
                                                        .leaseRemaining(),
                                                request.fingerprint(),
                                                request.fenced()))
                                        : super.claim(request);
                            }
                        }));
    }

    private static boolean isHeldBy(DedupStore store, ClaimRequest request) {
        return store.find(request.key())
                .filter(record -> record.state() == State.PROCESSING)
                .filter(record -> request.owner().equals(record.owner()))
                .isPresent();
    }

    private static boolean isOver(DedupStore store, DedupKey key) {
        return store.find(key)
                .filter(record -> record.state() == State.ABANDONED)
                .isPresent();
    }

    private static int attempt(DedupStore store, DedupKey key) {
        return store.find(key).map(StoredRecord::attempt).orElse(0);
    }

    private static Claim anybody(DedupStore store, Claim claim) {
        return ownedBy(claim, store.find(claim.key()).map(StoredRecord::owner).orElse(claim.owner()));
    }

    private static Claim ownedBy(Claim claim, Owner owner) {
        return new Claim(claim.key(), owner, claim.attempt());
    }

    private static boolean same(Owner one, Owner other) {
        return one.value().toLowerCase(Locale.ROOT).equals(other.value().toLowerCase(Locale.ROOT));
    }
}
