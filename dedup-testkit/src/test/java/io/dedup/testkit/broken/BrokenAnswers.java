package io.dedup.testkit.broken;

import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.ClaimResult.InFlight;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Results and what else a claim is told. */
final class BrokenAnswers {
    private BrokenAnswers() {}

    static List<BrokenStore> all() {
        return List.of(
                new BrokenStore(
                        "results", "an empty result is none", results(r -> r != null && r.length == 0 ? null : r)),
                new BrokenStore("results", "no result is an empty one", results(r -> r == null ? new byte[0] : r)),
                new BrokenStore(
                        "results",
                        "results are text",
                        results(r -> r == null
                                ? null
                                : new String(r, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8))),
                new BrokenStore(
                        "results",
                        "results end at 64 kB",
                        results(r -> r == null ? null : Arrays.copyOf(r, Math.min(r.length, 65_535)))),
                new BrokenStore("results", "results end at a zero byte", results(BrokenAnswers::upToZero)),
                new BrokenStore("results", "trailing zeros are lost", results(BrokenAnswers::withoutTrailingZeros)),
                new BrokenStore(
                        "claim",
                        "in flight doesn't tell for how long",
                        Broken.answers(answer -> answer instanceof InFlight ? new InFlight(Duration.ZERO) : answer)),
                new BrokenStore(
                        "claim",
                        "in flight tells seconds for milliseconds",
                        Broken.answers(answer -> answer instanceof InFlight in
                                ? new InFlight(in.remaining().dividedBy(1_000))
                                : answer)),
                new BrokenStore(
                        "claim",
                        "already done forgets its attempt",
                        Broken.answers(answer -> answer instanceof AlreadyDone done
                                ? new AlreadyDone(done.completedAt(), 1, done.result())
                                : answer)),
                new BrokenStore(
                        "claim",
                        "already done forgets its result",
                        Broken.answers(answer -> answer instanceof AlreadyDone done
                                ? new AlreadyDone(done.completedAt(), done.attempt(), null)
                                : answer)),
                new BrokenStore(
                        "claim",
                        "already done tells another time",
                        Broken.answers(answer -> answer instanceof AlreadyDone done
                                ? new AlreadyDone(done.completedAt().plusSeconds(1), done.attempt(), done.result())
                                : answer)),
                new BrokenStore(
                        "fingerprints",
                        "a conflict is answered as already done or in flight",
                        Broken.answers(answer ->
                                answer instanceof ClaimResult.Conflict ? new InFlight(Duration.ofHours(1)) : answer)),
                new BrokenStore("lifecycle", "closing twice fails", s -> new ForwardingStore(s) {
                    private final AtomicBoolean closed = new AtomicBoolean();

                    @Override
                    public void close() {
                        if (!closed.compareAndSet(false, true)) {
                            throw new IllegalStateException("closed already");
                        }
                        super.close();
                    }
                }));
    }

    private static byte @Nullable [] upToZero(byte @Nullable [] result) {
        if (result == null) {
            return null;
        }
        int end = 0;
        while (end < result.length && result[end] != 0) {
            end++;
        }
        return Arrays.copyOf(result, end);
    }

    private static byte @Nullable [] withoutTrailingZeros(byte @Nullable [] result) {
        if (result == null) {
            return null;
        }
        int end = result.length;
        while (end > 0 && result[end - 1] == 0) {
            end--;
        }
        return Arrays.copyOf(result, end);
    }

    private static UnaryOperator<DedupStore> results(UnaryOperator<byte @Nullable []> change) {
        return s -> new ForwardingStore(s) {
            @Override
            WriteResult complete(CompleteRequest request) {
                return super.complete(new CompleteRequest(
                        request.claim(), request.window(), change.apply(request.result()), request.repeated()));
            }
        };
    }
}
