package io.dedup.testkit.internal.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The two forms of each call. A batch includes two unrelated keys, which must get their own answers. */
public enum CallForm {
    SINGLE {
        @Override
        public ClaimResult claim(DedupStore store, ClaimRequest request) {
            return store.claim(request);
        }

        @Override
        public WriteResult complete(DedupStore store, CompleteRequest request) {
            return store.complete(request);
        }

        @Override
        public WriteResult release(DedupStore store, ReleaseRequest request) {
            return store.release(request);
        }

        @Override
        public WriteResult renew(DedupStore store, RenewRequest request) {
            return store.renew(request);
        }
    },

    BATCH {
        @Override
        public ClaimResult claim(DedupStore store, ClaimRequest request) {
            List<ClaimResult> answers = store.claimAll(List.of(
                    new ClaimRequest(strangeKey(request.key()), UniqueNames.owner(), request.lease()),
                    request,
                    new ClaimRequest(strangeKey(request.key()), UniqueNames.owner(), request.lease())));
            assertThat(answers).hasSize(3);
            assertThat(List.of(answers.get(0), answers.get(2)))
                    .as("claims of new keys in the same batch")
                    .allSatisfy(answer -> assertThat(answer)
                            .isInstanceOfSatisfying(ClaimResult.Acquired.class, acquired -> {
                                assertThat(acquired.attempt()).isEqualTo(1);
                                assertThat(acquired.deaths()).isZero();
                                assertThat(acquired.tookOver()).isFalse();
                            }));
            return answers.get(1);
        }

        @Override
        public WriteResult complete(DedupStore store, CompleteRequest request) {
            return among(
                    request,
                    claim -> new CompleteRequest(claim, request.window(), null, request.repeated()),
                    request.claim().key(),
                    store::completeAll);
        }

        @Override
        public WriteResult release(DedupStore store, ReleaseRequest request) {
            return among(
                    request,
                    claim -> new ReleaseRequest(claim, ReleaseMode.STARTED),
                    request.claim().key(),
                    store::releaseAll);
        }

        @Override
        public WriteResult renew(DedupStore store, RenewRequest request) {
            return among(
                    request,
                    claim -> new RenewRequest(claim, Duration.ofHours(1)),
                    request.claim().key(),
                    store::renewAll);
        }
    };

    public abstract ClaimResult claim(DedupStore store, ClaimRequest request);

    public abstract WriteResult complete(DedupStore store, CompleteRequest request);

    public abstract WriteResult release(DedupStore store, ReleaseRequest request);

    public abstract WriteResult renew(DedupStore store, RenewRequest request);

    private static <T> WriteResult among(
            T request, Function<Claim, T> stranger, DedupKey key, Function<List<T>, List<WriteResult>> all) {
        T before = stranger.apply(new Claim(strangeKey(key), UniqueNames.owner(), 1));
        T after = stranger.apply(new Claim(strangeKey(key), UniqueNames.owner(), 1));
        List<WriteResult> answers = all.apply(List.of(before, request, after));
        assertThat(answers).hasSize(3);
        assertThat(List.of(answers.get(0), answers.get(2)))
                .as("writes to keys without a record in the same batch")
                .containsOnly(WriteResult.leaseLost());
        return answers.get(1);
    }

    private static DedupKey strangeKey(DedupKey key) {
        return key.scope().key(UniqueNames.next());
    }
}
