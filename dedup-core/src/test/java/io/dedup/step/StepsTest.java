package io.dedup.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupCall;
import io.dedup.DedupContext;
import io.dedup.DedupHandler;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupScope;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.ResultCodec;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.privacy.ResultEncryption;
import io.dedup.step.KeptStep.Kind;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class StepsTest extends DeduplicatorTestBase {
    private static final Duration LONGER_THAN_THE_LEASE = Duration.ofMinutes(1);

    /** What happened outside of the process. */
    private final List<String> effects = new CopyOnWriteArrayList<>();

    private String effect(String name) {
        effects.add(name);
        return name + "d";
    }

    /** An exception that a broker would retry. */
    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private void fails(Deduplicator dedup, DedupHandler<@Nullable Void, RuntimeException> handler) {
        assertThatExceptionOfType(Broken.class).isThrownBy(() -> dedup.execute(key("a"), handler));
    }

    private @Nullable Void chargeReserve(DedupContext context) {
        String charge = context.step("charge", String.class, () -> effect("charge"));
        context.step("reserve", () -> effect("reserve " + charge));
        return null;
    }

    private @Nullable Void chargeReserveAndBreak(DedupContext context) {
        chargeReserve(context);
        throw new Broken();
    }

    private @Nullable Void all(DedupContext context) {
        chargeReserve(context);
        context.step("mail", () -> effect("mail"));
        return null;
    }

    @Test
    @DisplayName("a second attempt goes on where the first one stopped, with its results")
    void goesOn() {
        Deduplicator dedup = deduplicator();
        fails(dedup, this::chargeReserveAndBreak);

        dedup.execute(key("a"), context -> {
            assertThat(context.attempt()).isEqualTo(2);
            return all(context);
        });

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
        assertThat(events.all())
                .containsSubsequence(
                        "step a charge run",
                        "step a reserve run",
                        "released a",
                        "step a charge kept",
                        "step a reserve kept",
                        "step a mail run",
                        "completed a");
    }

    @Test
    @DisplayName("a step that throws keeps nothing, and may be tried again in the same run")
    void throwing() {
        deduplicator().execute(key("a"), context -> {
            assertThatExceptionOfType(Broken.class)
                    .isThrownBy(() -> context.step("mail", () -> {
                        effect("mail");
                        throw new Broken();
                    }));
            context.step("mail", () -> effect("mail"));
            return null;
        });

        assertThat(effects).containsExactly("mail", "mail");
        assertThat(events.all()).containsSubsequence("step a mail failed", "step a mail run");
    }

    @Test
    @DisplayName("a crash between the function and its write runs this step again, and no other")
    void crash() {
        Deduplicator dies = deduplicator();
        fails(dies, context -> {
            context.step("charge", () -> effect("charge"));
            store.down(); // nothing more arrives from this process
            context.step("reserve", () -> effect("reserve"));
            throw new Broken();
        });
        store.heal();
        clock.advance(LONGER_THAN_THE_LEASE);

        deduplicator().execute(key("a"), context -> {
            context.step("charge", () -> effect("charge"));
            context.step("reserve", () -> effect("reserve"));
            context.step("mail", () -> effect("mail"));
            return null;
        });

        assertThat(effects).containsExactly("charge", "reserve", "reserve", "mail");
    }

    @Test
    @DisplayName("what the store hasn't kept is sent again with the next step")
    void sentAgain() {
        Deduplicator dedup = deduplicator();
        store.on(Op.STEP, Faults.times(2, Faults.down()));

        fails(dedup, this::chargeReserveAndBreak);
        dedup.execute(key("a"), this::all);

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
        assertThat(events.all()).containsSubsequence("step a charge unrecorded", "step a reserve run", "released a");
    }

    @Test
    @DisplayName("what the store hasn't kept is sent again before the claim is released")
    void sentBeforeTheRelease() {
        Deduplicator dedup = deduplicator();
        store.on(Op.STEP, Faults.times(4, Faults.down()));

        fails(dedup, this::chargeReserveAndBreak);
        dedup.execute(key("a"), this::all);

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
        assertThat(store.calls(Op.STEP)).hasSize(6);
    }

    @Test
    @DisplayName("a lost answer is asked for once more, and counts once")
    void lostAnswer() {
        Deduplicator dedup = deduplicator();
        store.on(Op.STEP, Faults.times(1, Faults.lostAnswer()));

        fails(dedup, this::chargeReserveAndBreak);
        dedup.execute(key("a"), this::all);

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
        assertThat(events.all()).doesNotContain("step a charge unrecorded");
    }

    @Test
    @DisplayName(
            "a paused process stops at its step: the new owner's steps aren't touched, and the message is deferred")
    void leaseLost() {
        Deduplicator paused = deduplicator();
        Deduplicator other = deduplicator();

        DedupOutcome<@Nullable Void> outcome = paused.execute(key("a"), context -> {
            context.step("charge", () -> effect("charge"));
            context.step("reserve", () -> {
                clock.advance(LONGER_THAN_THE_LEASE);
                fails(other, this::chargeReserveAndBreakAfterAll);
                effect("late");
            });
            throw new AssertionError("must not run");
        });

        assertThat(outcome).isInstanceOf(Deferred.class);
        assertThat(effects).containsExactly("charge", "reserve null", "mail", "late");
        assertThat(StepLog.decode(record("a").steps())).containsOnlyKeys("charge", "reserve", "mail");
        assertThat(events.count("lost a")).isEqualTo(1);
        assertThat(events.all()).contains("step a reserve lease_lost");
    }

    private @Nullable Void chargeReserveAndBreakAfterAll(DedupContext context) {
        context.step("charge", () -> effect("charge"));
        context.step("reserve", () -> effect("reserve null"));
        context.step("mail", () -> effect("mail"));
        throw new Broken();
    }

    @Test
    @DisplayName("a run that knows of its loss runs no further step, also if the handler catches the exception")
    void knownLoss() {
        Deduplicator paused = deduplicator();

        paused.execute(key("a"), context -> {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> context.step("charge", () -> {
                        clock.advance(LONGER_THAN_THE_LEASE);
                        deduplicator().execute(key("a"), next -> null);
                    }));
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> context.step("mail", () -> effect("mail")))
                    .withMessageContaining("mail")
                    .withMessageContaining("did not run");
            return null;
        });

        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName(
            "a handler that catches the loss and returns has not handled the message: it is deferred, not acknowledged")
    void swallowedLoss() {
        Deduplicator paused = deduplicator();

        assertThat(paused.execute(key("a"), this::catchesItsLoss)).isInstanceOf(Deferred.class);
        assertThat(paused.executeAsync(
                                DedupCall.<@Nullable Void>of(key("b")),
                                context -> CompletableFuture.supplyAsync(() -> catchesItsLoss(context)))
                        .toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(10))
                .isInstanceOf(Deferred.class);
        assertThat(paused.executeAll(
                        List.of("c"),
                        DedupScopeKeys::of,
                        items -> items.forEach(item ->
                                assertThat(catchesItsLoss(item.context())).isNull())))
                .singleElement()
                .isInstanceOf(Deferred.class);
    }

    private @Nullable Void catchesItsLoss(DedupContext context) {
        try {
            context.step("charge", () -> {
                clock.advance(LONGER_THAN_THE_LEASE);
                assertThatExceptionOfType(Broken.class)
                        .isThrownBy(() -> deduplicator().execute(context.key(), next -> {
                            throw new Broken();
                        }));
            });
            throw new AssertionError("its lease is lost");
        } catch (LeaseLostException e) {
            return null;
        }
    }

    @Test
    @DisplayName("answers that are lost again and again don't use up the room of later steps")
    void lostAnswersTakeNoRoom() {
        Deduplicator dedup = deduplicator();
        store.on(Op.STEP, Faults.lostAnswer());
        fails(dedup, context -> {
            IntStream.range(0, 4)
                    .forEach(i -> context.step("s" + i, byte[].class, () -> {
                        effect("s" + i);
                        return new byte[40_000];
                    }));
            throw new Broken();
        });
        store.heal();

        dedup.execute(key("a"), context -> {
            IntStream.range(0, 4)
                    .forEach(i -> context.step("s" + i, byte[].class, () -> {
                        effect("s" + i + " again");
                        return new byte[0];
                    }));
            context.step("mail", () -> effect("mail"));
            return null;
        });

        assertThat(effects).containsExactly("s0", "s1", "s2", "s3", "mail");
    }

    @Test
    @DisplayName(
            "a step that is still running when its run ends isn't kept, and says so instead of naming another consumer")
    void outlivesItsRun() throws Exception {
        Deduplicator dedup = deduplicator();
        CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
        List<CompletableFuture<Void>> late = new ArrayList<>();
        fails(dedup, context -> {
            CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
            late.add(CompletableFuture.runAsync(() -> context.step("mail", () -> {
                begun.complete(null);
                released.join();
                effect("mail");
            })));
            begun.join();
            throw new Broken();
        });
        released.complete(null);

        assertThat(late.get(0))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("its run had ended");
        assertThat(events.count("lost a")).isZero();
        assertThat(events.all()).contains("step a mail unrecorded");
    }

    @Test
    @DisplayName("a step within a step is kept by itself, and skipped with the outer one")
    void nested() {
        Deduplicator dedup = deduplicator();
        AtomicInteger attempts = new AtomicInteger();
        DedupHandler<@Nullable Void, RuntimeException> handler = context -> {
            int attempt = attempts.incrementAndGet();
            context.step("order", () -> {
                context.step("charge", () -> effect("charge"));
                if (attempt == 1) {
                    throw new Broken();
                }
                effect("order");
            });
            if (attempt == 2) {
                throw new Broken();
            }
            return null;
        };
        fails(dedup, handler);
        fails(dedup, handler);
        dedup.execute(key("a"), handler);

        assertThat(effects).containsExactly("charge", "order");
    }

    @Test
    @DisplayName("an operator who forgets a message while its step runs ends its run: the step writes no new record")
    void forgottenMeanwhile() {
        Deduplicator dedup = deduplicator();

        assertThat(dedup.execute(key("a"), context -> {
                    context.step("charge", () -> {
                        effect("charge");
                        dedup.forget(key("a"), LiveLease.OVERRIDE);
                    });
                    throw new AssertionError("its claim is gone");
                }))
                .isInstanceOf(Deferred.class);
        assertThat(store.find(key("a"))).isEmpty();
    }

    @Test
    @DisplayName("renamed, removed and reordered steps: the name decides")
    void changedCode() {
        Deduplicator dedup = deduplicator();
        fails(dedup, this::chargeReserveAndBreak);

        dedup.execute(key("a"), context -> {
            context.step("reserve", () -> effect("reserve"));
            context.step("bill", () -> effect("bill"));
            return null;
        });

        assertThat(effects).containsExactly("charge", "reserve charged", "bill");
    }

    @Test
    @DisplayName("a kept result that cannot be read is an error that names the step, and the step doesn't run again")
    void unreadable() {
        Deduplicator dedup = deduplicator();
        fails(dedup, this::chargeReserveAndBreak);

        assertThatExceptionOfType(StepResultException.class)
                .isThrownBy(() -> dedup.execute(
                        key("a"),
                        context -> context.step(
                                "charge", Integer.class, () -> effect("again").length())))
                .satisfies(e -> assertThat(e.step()).isEqualTo("charge"))
                .withMessageContaining("Step charge");
        assertThatExceptionOfType(StepResultException.class)
                .isThrownBy(() -> dedup.execute(
                        key("a"), context -> context.step("reserve", String.class, () -> effect("again"))))
                .withMessageContaining("it returned none then");
        dedup.execute(key("a"), this::all);

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
    }

    @Test
    @DisplayName("a result that is too large counts as run: the run goes on with it, the next attempt fails at it")
    void tooLarge() {
        Deduplicator dedup = deduplicator(policy -> policy.maxResultBytes(4));
        List<String> results = new ArrayList<>();
        fails(dedup, context -> {
            results.add(context.step("charge", String.class, () -> effect("12345")));
            throw new Broken();
        });

        assertThat(results).containsExactly("12345d");
        assertThatExceptionOfType(StepResultException.class)
                .isThrownBy(() ->
                        dedup.execute(key("a"), context -> context.step("charge", String.class, () -> effect("again"))))
                .withMessageContaining("6 bytes were too large");
        dedup.execute(key("a"), context -> {
            context.step("charge", () -> effect("again")); // needs no result
            return null;
        });
        assertThat(effects).containsExactly("12345");
    }

    @Test
    @DisplayName("results of simple classes, of null, and with a codec of their own are returned as they were")
    void results() {
        Deduplicator dedup = deduplicator();
        UUID id = UUID.randomUUID();
        List<List<@Nullable Object>> seen = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            fails(dedup, context -> {
                List<@Nullable Object> results = new ArrayList<>();
                results.add(context.step("int", int.class, () -> 7));
                results.add(context.step("long", Long.class, () -> Long.MIN_VALUE));
                results.add(context.step("boolean", Boolean.class, () -> true));
                results.add(context.step("uuid", UUID.class, () -> id));
                results.add(context.step("instant", Instant.class, () -> Instant.MAX));
                results.add(context.step("enum", State.class, () -> State.DONE));
                results.add(new String(
                        context.step("bytes", byte[].class, () -> new byte[] {1, -1}), StandardCharsets.ISO_8859_1));
                results.add(context.step("codec", ResultCodec.utf8(), () -> "grüße"));
                results.add(context.step("null", String.class, () -> null));
                seen.add(results);
                throw new Broken();
            });
        }

        assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains(7, Long.MIN_VALUE, true, id, Instant.MAX, State.DONE);
        assertThat(events.count("step a null kept")).isEqualTo(1);
    }

    record Charge(String id, int cents) {}

    @Test
    @DisplayName("other classes need the application's codec, which is known before the function runs")
    void codec() {
        StepCodec codec = new StepCodec() {
            @Override
            public byte[] encode(Object result) {
                Charge charge = (Charge) result;
                return (charge.id() + ":" + charge.cents()).getBytes(StandardCharsets.UTF_8);
            }

            @Override
            public <T> T decode(byte[] bytes, Class<T> type) {
                String[] parts = new String(bytes, StandardCharsets.UTF_8).split(":");
                return type.cast(new Charge(parts[0], Integer.parseInt(parts[1])));
            }
        };
        Deduplicator dedup = deduplicator(store, policy -> policy, builder -> builder.stepCodec(codec));
        List<Charge> charges = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            fails(dedup, context -> {
                charges.add(context.step("charge", Charge.class, () -> new Charge(effect("ch_1"), 100)));
                throw new Broken();
            });
        }

        assertThat(charges).containsExactly(new Charge("ch_1d", 100), new Charge("ch_1d", 100));
        assertThat(effects).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> deduplicator()
                        .execute(
                                key("b"), context -> context.step("x", Charge.class, () -> new Charge(effect("x"), 1))))
                .withMessageContaining("stepCodec(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dedup.execute(
                        key("c"),
                        context -> context.step(
                                "x", CompletableFuture.class, () -> CompletableFuture.completedFuture(effect("x")))))
                .withMessageContaining("wait for it in the step");
        assertThat(effects).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\nb", "\ud800"})
    void unusableNames(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> deduplicator().execute(key("a"), context -> {
                    context.step(name, () -> effect("x"));
                    return null;
                }))
                .withMessageContaining("the name of a step must be 1 to 100 bytes");
        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName("a name that occurs twice in a run is refused, or the second effect would be skipped")
    void twice() {
        assertThatIllegalStateException()
                .isThrownBy(() -> deduplicator().execute(key("a"), context -> {
                    for (int i = 0; i < 2; i++) {
                        context.step("mail", () -> effect("mail"));
                    }
                    return null;
                }))
                .withMessageContaining("occurs twice");
        assertThat(effects).hasSize(1);
    }

    @Test
    @DisplayName("one step too many is refused before it runs")
    void tooMany() {
        assertThatIllegalStateException()
                .isThrownBy(() -> deduplicator().execute(key("a"), context -> {
                    IntStream.range(0, 101).forEach(i -> context.step("s" + i, () -> effect("x")));
                    return null;
                }))
                .withMessageContaining("at most 100 steps");
        assertThat(effects).hasSize(100);
    }

    @Test
    @DisplayName(
            "results of one message that are too large together: the run goes on, the next attempt fails at the one too many")
    void tooLargeTogether() {
        Deduplicator dedup = deduplicator();
        fails(dedup, context -> {
            IntStream.range(0, 5).forEach(i -> context.step("s" + i, byte[].class, () -> new byte[60_000]));
            throw new Broken();
        });

        assertThat(StepLog.decode(record("a").steps()).values())
                .extracting(KeptStep::kind)
                .containsExactly(Kind.RESULT, Kind.RESULT, Kind.RESULT, Kind.RESULT, Kind.LEFT_OUT);
        assertThat(record("a").steps()).hasSizeLessThan(StepLog.MAX_BYTES);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    @DisplayName("the transactional modes refuse steps before they run, and say what to use")
    void transactional(DedupMode mode) {
        MemoryTransactions records = new MemoryTransactions(mode == DedupMode.LEASED_TRANSACTIONAL ? store : null);
        Deduplicator dedup = deduplicator(store, policy -> policy.mode(mode), builder -> builder.transactions(records));

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> dedup.execute(key("a"), this::all))
                .withMessageContaining("step charge cannot run in mode " + mode)
                .withMessageContaining("outbox");
        assertThat(effects).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    @DisplayName("a topic that says it has steps is refused at start in the transactional modes")
    void refusedAtStart(DedupMode mode) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder().mode(mode).steps(true).build())
                .withMessageContaining("steps cannot be used in mode " + mode);
        assertThat(DedupPolicy.builder().mode(mode).steps(true).shadow(true)).isNotNull();
    }

    @Test
    @DisplayName("a store that cannot keep steps refuses them before they run")
    void unsupported() {
        DedupStore without = (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DedupStore.class},
                (proxy, method, arguments) -> method.invoke(store.intact(), arguments));

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> deduplicator(without, policy -> policy).execute(key("a"), this::all))
                .withMessageContaining("cannot keep steps of handlers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> deduplicator(without, policy -> policy.steps(true)))
                .withMessageContaining("steps cannot be used, because store");
        assertThat(deduplicator(store, policy -> policy.steps(true))).isNotNull();
        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName("a step after the end of its run is refused")
    void late() {
        List<DedupContext> contexts = new ArrayList<>();
        deduplicator().execute(key("a"), contexts::add);

        assertThatIllegalStateException()
                .isThrownBy(() -> contexts.get(0).step("mail", () -> effect("mail")))
                .withMessageContaining("after its run has ended");
        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName("kept results are encrypted where results are, and bound to their step")
    void encrypted() {
        byte[] encryptionKey = new byte[ResultEncryption.KEY_BYTES];
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.resultEncryption(ResultEncryption.with("k", encryptionKey)));
        fails(dedup, this::chargeReserveAndBreak);
        byte[] steps = record("a").steps();
        assertThat(new String(steps, StandardCharsets.ISO_8859_1))
                .contains("charge")
                .doesNotContain("charged");

        dedup.execute(key("a"), this::all);

        assertThat(effects).containsExactly("charge", "reserve charged", "mail");
        KeptStep kept = StepLog.decode(steps).get("charge");
        assertThatThrownBy(() -> ResultEncryption.with("k", encryptionKey)
                        .decrypt(key("a").scope().text() + "\0step\0mail", key("a").messageId(), kept.result()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("kept steps end with DONE, with forget and with erase")
    void ends() {
        Deduplicator dedup = deduplicator();
        fails(dedup, this::chargeReserveAndBreak);
        assertThat(record("a").steps()).isNotNull();
        dedup.execute(key("a"), this::all);
        assertThat(record("a").steps()).isNull();
        assertThat(record("a").result()).isNull();

        effects.clear();
        dedup.forget(key("a"), LiveLease.RESPECT);
        fails(dedup, this::chargeReserveAndBreak);
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        fails(dedup, this::chargeReserveAndBreak);
        dedup.erase("a", LiveLease.RESPECT);
        fails(dedup, this::chargeReserveAndBreak);
        clock.advance(Duration.ofDays(7));
        fails(dedup, this::chargeReserveAndBreak);

        assertThat(effects).hasSize(8);
    }

    @Test
    @DisplayName("a duplicate gets the handler's result, not its steps")
    void resultBesideSteps() {
        Deduplicator dedup = deduplicator();
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());
        dedup.execute(call, context -> context.step("charge", String.class, () -> effect("charge")) + "!");

        assertThat(dedup.execute(call, context -> "must not run"))
                .isEqualTo(new DedupOutcome.Duplicate<>(clock.instant(), "charged!"));
    }

    @Test
    @DisplayName("a run without steps makes no call for them")
    void nothingWithoutSteps() {
        Deduplicator dedup = deduplicator();
        fails(dedup, context -> {
            throw new Broken();
        });
        dedup.execute(key("a"), context -> null);

        assertThat(store.calls())
                .extracting(call -> call.op())
                .containsExactly(Op.CLAIM, Op.RELEASE, Op.CLAIM, Op.COMPLETE);
    }

    @Test
    @DisplayName("one call for each step that runs, none for those that are kept")
    void calls() {
        Deduplicator dedup = deduplicator();
        fails(dedup, this::chargeReserveAndBreak);
        dedup.execute(key("a"), this::all);

        assertThat(store.calls(Op.STEP)).hasSize(3);
        assertThat(store.calls(Op.CLAIM)).hasSize(2);
    }

    @Test
    @DisplayName("runs that nothing protects run each step and keep nothing")
    void unguarded() {
        Deduplicator shadow = deduplicator(policy -> policy.shadow(true));
        Deduplicator process = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.on(Op.CLAIM, Faults.down());
        fails(process, this::chargeReserveAndBreak);
        store.heal();
        fails(shadow, this::chargeReserveAndBreak);

        assertThat(effects).hasSize(4);
        assertThat(store.calls(Op.STEP)).isEmpty();
        assertThat(events.all()).noneMatch(event -> event.startsWith("step"));
    }

    @Test
    @DisplayName("steps of an asynchronous handler, from several threads at a time")
    void threads() {
        Deduplicator dedup = deduplicator();
        for (int attempt = 0; attempt < 2; attempt++) {
            boolean last = attempt == 1;
            CompletableFuture<?> run = dedup.executeAsync(DedupCall.<@Nullable Void>of(key("a")), context -> {
                        List<CompletableFuture<Void>> all = IntStream.range(0, 20)
                                .mapToObj(i -> CompletableFuture.runAsync(() -> assertThat(
                                                context.step("s" + i, String.class, () -> effect("e" + i)))
                                        .isEqualTo("e" + i + "d")))
                                .toList();
                        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                                .thenRun(() -> {
                                    if (!last) {
                                        throw new Broken();
                                    }
                                });
                    })
                    .toCompletableFuture();
            if (last) {
                assertThat(run).succeedsWithin(Duration.ofSeconds(10)).isInstanceOf(Handled.class);
            } else {
                assertThat(run).failsWithin(Duration.ofSeconds(10));
            }
        }

        assertThat(effects).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("each item of a batch has steps of its own")
    void batch() {
        Deduplicator dedup = deduplicator();
        List<String> items = List.of("a", "b");
        assertThatExceptionOfType(Broken.class)
                .isThrownBy(() -> dedup.executeAll(items, DedupScopeKeys::of, batch -> {
                    batch.get(0)
                            .context()
                            .step("mail", () -> effect("mail " + batch.get(0).value()));
                    throw new Broken();
                }));

        dedup.executeAll(
                items,
                DedupScopeKeys::of,
                batch -> batch.forEach(item -> item.context().step("mail", () -> effect("mail " + item.value()))));

        assertThat(effects).containsExactly("mail a", "mail b");
    }

    private static final class DedupScopeKeys {
        static DedupKey of(String item) {
            return DedupScope.of("billing", TOPIC).key(item);
        }
    }

    @Test
    @DisplayName("a key of a step is stable over attempts, and differs by message, consumer and step")
    void stepKeys() {
        Deduplicator dedup = deduplicator();
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            fails(dedup, context -> {
                keys.add(context.stepKey("charge"));
                throw new Broken();
            });
        }
        assertThat(keys.get(0)).isEqualTo(keys.get(1)).matches("[A-Za-z0-9_-]{43}");
        dedup.execute(key("a"), context -> keys.add(context.stepKey("mail")));
        dedup.execute(key("b"), context -> keys.add(context.stepKey("charge")));
        dedup.execute(DedupScope.of("shipping", TOPIC).key("a"), context -> keys.add(context.stepKey("charge")));

        assertThat(keys.subList(1, keys.size())).doesNotHaveDuplicates().hasSize(4);
    }
}
