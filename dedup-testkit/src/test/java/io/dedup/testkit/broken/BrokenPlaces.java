package io.dedup.testkit.broken;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.CompleteRequest;
import io.dedup.store.StoredResult;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a record keeps of where its message was handled first. */
final class BrokenPlaces {
    private BrokenPlaces() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore("explained", "a place without a result is dropped", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        byte[] bytes = request.result();
                        boolean onlyPlace = StoredResult.decode(bytes).result() == null;
                        return super.complete(onlyPlace ? with(request, null) : request);
                    }
                }),
                new BrokenStore("explained", "the result is kept without the place", s -> new ForwardingStore(s) {
                    @Override
                    WriteResult complete(CompleteRequest request) {
                        byte[] result = StoredResult.decode(request.result()).result();
                        return super.complete(with(request, result));
                    }
                }),
                new BrokenStore("explained", "a claim returns only results", s -> new ForwardingStore(s) {
                    @Override
                    ClaimResult claim(ClaimRequest request) {
                        ClaimResult answer = super.claim(request);
                        return answer instanceof AlreadyDone done
                                ? new AlreadyDone(
                                        done.completedAt(),
                                        done.attempt(),
                                        StoredResult.decode(done.result()).result())
                                : answer;
                    }
                }),
                new BrokenStore("explained", "places of a batch are mixed up", s -> new ForwardingStore(s) {
                    @Override
                    public List<WriteResult> complete(List<CompleteRequest> requests) {
                        List<byte @Nullable []> results = new ArrayList<>();
                        requests.forEach(request -> results.add(request.result()));
                        Collections.reverse(results);
                        List<CompleteRequest> mixed = new ArrayList<>();
                        requests.forEach(request -> mixed.add(with(request, results.get(mixed.size()))));
                        return s.complete(mixed);
                    }
                }));
    }

    private static CompleteRequest with(CompleteRequest request, byte @Nullable [] result) {
        return new CompleteRequest(request.claim(), request.window(), result, request.repeated());
    }
}
