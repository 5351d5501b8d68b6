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
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * A request alone, and among others: two unrelated keys, which must get their own answers. A store may have another way for a
 * list of one, so both have to keep the contract.
 */
public enum CallForm {
    ALONE {
        @Override
        public ClaimResult claim(DedupStore store, ClaimRequest request) {
            return only(store.claim(List.of(request)));
        }

        @Override
        public WriteResult complete(DedupStore store, CompleteRequest request) {
            return only(store.complete(List.of(request)));
        }

        @Override
        public WriteResult release(DedupStore store, ReleaseRequest request) {
            return only(store.release(List.of(request)));
        }

        @Override
        public WriteResult renew(DedupStore store, RenewRequest request) {
            return only(store.renew(List.of(request)));
        }

        @Override
        public WriteResult keepStep(DedupStore store, StepRequest request) {
            return only(StepRecords.of(store).keepSteps(List.of(request)));
        }
    },

    AMONG_OTHERS {
        @Override
        public ClaimResult claim(DedupStore store, ClaimRequest request) {
            List<ClaimResult> answers = store.claim(List.of(
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
                    store::complete);
        }

        @Override
        public WriteResult release(DedupStore store, ReleaseRequest request) {
            return among(
                    request,
                    claim -> new ReleaseRequest(claim, ReleaseMode.STARTED),
                    request.claim().key(),
                    store::release);
        }

        @Override
        public WriteResult renew(DedupStore store, RenewRequest request) {
            return among(
                    request,
                    claim -> new RenewRequest(claim, Duration.ofHours(1)),
                    request.claim().key(),
                    store::renew);
        }

        @Override
        public WriteResult keepStep(DedupStore store, StepRequest request) {
            return among(
                    request,
                    claim -> new StepRequest(claim, new byte[] {7}),
                    request.claim().key(),
                    requests -> StepRecords.of(store).keepSteps(requests));
        }
    };

    public abstract ClaimResult claim(DedupStore store, ClaimRequest request);

    public abstract WriteResult complete(DedupStore store, CompleteRequest request);

    public abstract WriteResult release(DedupStore store, ReleaseRequest request);

    public abstract WriteResult renew(DedupStore store, RenewRequest request);

    public abstract WriteResult keepStep(DedupStore store, StepRequest request);

    private static <A> A only(List<A> answers) {
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

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
