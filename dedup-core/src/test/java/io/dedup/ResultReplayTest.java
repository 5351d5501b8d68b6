package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ResultReplayTest extends DeduplicatorTestBase {
    private final DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());

    @Test
    void aDuplicateGetsTheResultOfTheFirst() {
        Deduplicator dedup = deduplicator();
        dedup.execute(call, context -> "grüße");

        assertThat(dedup.execute(call, context -> "must not run")).isEqualTo(new Duplicate<>(clock.instant(), "grüße"));
        assertThat(dedup.execute(DedupCall.of(key("a")), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), null));
    }

    @Test
    void inTheAsynchronousFormToo() {
        Deduplicator dedup = deduplicator();
        assertThat(dedup.executeAsync(call, context -> CompletableFuture.completedFuture("kept")))
                .succeedsWithin(Duration.ofSeconds(5));

        assertThat(dedup.execute(call, context -> "must not run")).isEqualTo(new Duplicate<>(clock.instant(), "kept"));
    }

    @Test
    void noResultAndNoCodecKeepNothing() {
        Deduplicator dedup = deduplicator();
        dedup.execute(call, context -> null);
        assertThat(record("a").result()).isNull();
        dedup.execute(DedupCall.of(key("b")), context -> "not kept");
        assertThat(record("b").result()).isNull();
        assertThat(events.all()).noneMatch(event -> event.startsWith("result"));
    }

    @Test
    void whatIsTooLargeIsDoneWithoutItsResult() {
        Deduplicator dedup = deduplicator(policy -> policy.maxResultBytes(4));

        assertThat(dedup.execute(call, context -> "12345")).isEqualTo(new Handled<>("12345", Completion.DONE));
        assertThat(record("a").result()).isNull();
        assertThat(events.count("result not kept a 5")).isEqualTo(1);

        DedupCall<String> fits = DedupCall.<String>of(key("b")).withResult(ResultCodec.utf8());
        dedup.execute(fits, context -> "1234");
        assertThat(record("b").result()).hasSize(4);
    }

    static Stream<Supplier<Throwable>> whatCodecsThrow() {
        return Stream.of(
                () -> new IllegalStateException("a bug"),
                StackOverflowError::new,
                () -> new NoClassDefFoundError("a wrong class path"),
                ThrowingText::new);
    }

    @ParameterizedTest
    @MethodSource("whatCodecsThrow")
    @DisplayName("T5 a result that cannot be encoded isn't a failed handler")
    void encodingFails(Supplier<Throwable> thrown) {
        DedupCall<String> failing = DedupCall.<String>of(key("a")).withResult(codec(thrown));

        assertThat(deduplicator().execute(failing, context -> "effect"))
                .isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(record("a").result()).isNull();
        assertThat(events.count("result not kept a -1")).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("whatCodecsThrow")
    void aResultThatCannotBeDecodedIsADuplicateWithoutOne(Supplier<Throwable> thrown) {
        Deduplicator dedup = deduplicator();
        dedup.execute(call, context -> "stored");

        assertThat(dedup.execute(DedupCall.<String>of(key("a")).withResult(codec(thrown)), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), null));
    }

    @Test
    void anEncodingOfNothingIsNoFailureEither() {
        DedupCall<String> odd = DedupCall.<String>of(key("a")).withResult(codec(() -> null));

        assertThat(deduplicator().execute(odd, context -> "effect"))
                .isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    void aResultIsKeptByALateCompletion() {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.pingFails(true); // a store that answers them and no completion may have a result that it cannot keep
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(call, context -> "guarded");
        DedupCall<String> unguarded = DedupCall.<String>of(key("b")).withResult(ResultCodec.utf8());
        store.down();
        dedup.execute(unguarded, context -> "unguarded");
        store.heal();
        store.pingFails(false);

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("a").result()).asString().isEqualTo("guarded");
        assertThat(record("b").result()).asString().isEqualTo("unguarded");
    }

    @Test
    @DisplayName("results of late completions don't fill the memory")
    void lateResultsAreBounded() {
        Deduplicator dedup = deduplicator(policy -> policy.maxResultBytes(16 * 1024 * 1024));
        store.pingFails(true); // a store that answers them and no completion may have a result that it cannot keep
        store.on(Op.COMPLETE, Faults.down());
        String large = "x".repeat(12 * 1024 * 1024);
        for (int i = 0; i < 4; i++) {
            dedup.execute(DedupCall.<String>of(key("m" + i)).withResult(ResultCodec.utf8()), context -> large);
        }
        assertThat(events.all())
                .filteredOn(event -> event.startsWith("result not kept"))
                .containsExactly("result not kept m2 12582912", "result not kept m3 12582912");
        store.heal();
        store.pingFails(false);
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("m1").result()).hasSize(large.length());
        assertThat(record("m2").result()).isNull();

        // And what was told makes room again.
        store.pingFails(true);
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(DedupCall.<String>of(key("m4")).withResult(ResultCodec.utf8()), context -> large);
        store.heal();
        store.pingFails(false);
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("m4").result()).hasSize(large.length());
    }

    private static ResultCodec<String> codec(Supplier<Throwable> thrown) {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(String result) {
                return fail();
            }

            @Override
            public String decode(byte[] bytes) {
                fail();
                return "";
            }

            private byte[] fail() {
                Throwable failure = thrown.get();
                if (failure instanceof Error error) {
                    throw error;
                }
                if (failure instanceof RuntimeException exception) {
                    throw exception;
                }
                return null;
            }
        };
    }

    /** Fails once more when it is logged. */
    private static final class ThrowingText extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text");
        }
    }
}
