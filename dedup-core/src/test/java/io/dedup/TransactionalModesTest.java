package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnConflict;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.transaction.CommitResult;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions.Deadlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The modes whose record commits with the effect. */
class TransactionalModesTest extends TransactionalTestBase {
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void effectAndRecordCommitTogether(DedupMode mode) {
        Deduplicator dedup = in(mode);

        assertThat(dedup.execute(key("a"), this::run)).isEqualTo(new Handled<>("ok", Completion.DONE));
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);

        assertThat(records.effects()).containsExactly("a");
        assertThat(events.all()).containsExactly("acquired a 1", "completed a", "duplicate a");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aHandlersFailureUndoesBoth(DedupMode mode) {
        Deduplicator dedup = in(mode);

        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    run(context);
                    throw new IllegalArgumentException("no money");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(records.effects()).isEmpty();
        assertThat(events.all()).last().asString().startsWith("released a");

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        assertThat(records.effects()).containsExactly("a");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("T6 an Error ends the transaction as well, and is thrown as it is")
    void anErrorUndoesBoth(DedupMode mode) {
        Deduplicator dedup = in(mode);

        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    run(context);
                    throw new AssertionError("broken");
                }))
                .isInstanceOf(AssertionError.class);

        assertThat(records.effects()).isEmpty();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("S3 a deadlock is no failure of the handler: it comes again, and spends no attempt of the broker's")
    void aDeadlockIsDeferred(DedupMode mode) {
        Deduplicator dedup = in(mode);

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            run(context);
            throw new IllegalStateException("wrapped", new Deadlock());
        });

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.ROLLED_BACK));
        assertThat(outcome.mayAck()).isFalse();
        assertThat(records.effects()).isEmpty();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aDatabaseThatIsDownDefers(DedupMode mode) {
        Deduplicator dedup = in(mode);
        records.down();

        DedupOutcome<String> outcome = dedup.execute(key("a"), this::run);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.STORE_UNAVAILABLE));
        assertThat(runs).isZero();
        assertThat(events.all()).anyMatch(event -> event.startsWith("store error"));
        records.failing("begin", null);
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("T5 a commit whose answer is lost is neither acked nor released; the record tells when it comes again")
    void anUnknownCommitIsDeferred(DedupMode mode) {
        Deduplicator dedup = in(mode);
        records.answerCommit(new CommitResult.Unknown(new DedupStoreException("gone", null)), true);

        DedupOutcome<String> outcome = dedup.execute(key("a"), this::run);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.COMMIT_UNKNOWN));
        assertThat(store.calls(Op.RELEASE)).isEmpty();
        assertThat(store.calls(Op.COMPLETE)).isEmpty();
        assertThat(DedupAdapter.of(dedup).inFlight())
                .as("claims that are renewed")
                .isZero();
        records.answerCommit(null, false);
        clock.advance(Duration.ofMinutes(1)); // the lease runs out, where there is one
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);
        assertThat(records.effects()).containsExactly("a");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aCommitThatRolledBackIsAFailure(DedupMode mode) {
        Deduplicator dedup = in(mode);
        records.answerCommit(new CommitResult.RolledBack(new IllegalStateException("rollback-only")), false);

        assertThatThrownBy(() -> dedup.execute(key("a"), this::run)).hasMessage("rollback-only");

        records.answerCommit(new CommitResult.RolledBack(new Deadlock()), false);
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Deferred.class);
        records.answerCommit(null, false);
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        assertThat(records.effects()).containsExactly("a");
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "TIERED"})
    @DisplayName("T2 a message that another transaction handles is deferred, and decided by what became of that one")
    void inFlightElsewhere(DedupMode mode) {
        Deduplicator dedup = in(mode);
        records.lockElsewhere(key("a"));

        DedupOutcome<String> outcome = dedup.execute(key("a"), this::run);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT));
        records.commitElsewhere(key("a"), null, null);
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);
        assertThat(runs).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "TIERED"})
    void waitsInPlaceForAnotherTransaction(DedupMode mode) throws Exception {
        Deduplicator dedup = in(mode, policy -> policy.inFlightWait(Duration.ofSeconds(30)));
        records.lockElsewhere(key("a"));
        CompletableFuture<DedupOutcome<String>> outcome =
                CompletableFuture.supplyAsync(() -> dedup.execute(key("a"), this::run));
        await().until(() -> records.calls().stream().filter("rollback"::equals).count() >= 2);

        records.commitElsewhere(key("a"), null, null);

        assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(Duplicate.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void resultsAreKeptForDuplicates(DedupMode mode) {
        Deduplicator dedup = in(mode);
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());

        dedup.execute(call, this::run);
        store.intact().forget(key("a"), LiveLease.OVERRIDE); // in mode TIERED the database knows it, too
        DedupOutcome<String> again = dedup.execute(call, this::run);

        if (mode == DedupMode.LEASED_TRANSACTIONAL) {
            assertThat(again).isInstanceOf(Handled.class);
        } else {
            assertThat(again)
                    .isInstanceOfSatisfying(
                            Duplicate.class,
                            duplicate -> assertThat(duplicate.value()).isEqualTo("ok"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "TIERED"})
    void otherPayloadsAreAConflict(DedupMode mode) {
        Deduplicator dedup = in(mode);
        records.commitElsewhere(key("a"), Fingerprint.ofPayload(new byte[] {1}), null);

        DedupOutcome<String> outcome = dedup.execute(
                DedupCall.<String>of(key("a")).withFingerprint(Fingerprint.ofPayload(new byte[] {2})), this::run);

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.cause()).isInstanceOf(PayloadConflictException.class));
        assertThat(runs).isZero();
    }

    @Test
    void conflictsThatArePermittedRunInTheTransactionWithoutARecord() {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL, policy -> policy.onConflict(OnConflict.PROCESS));
        records.commitElsewhere(key("a"), Fingerprint.ofPayload(new byte[] {1}), null);

        DedupOutcome<String> outcome = dedup.execute(
                DedupCall.<String>of(key("a")).withFingerprint(Fingerprint.ofPayload(new byte[] {2})), this::run);

        assertThat(outcome).isEqualTo(new Handled<>("ok", Completion.UNGUARDED));
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    @DisplayName("T1 a lost lease refuses the commit")
    void aLostLeaseRefusesTheCommit() {
        Deduplicator dedup = in(DedupMode.LEASED_TRANSACTIONAL);

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            run(context);
            store.intact().forget(key("a"), LiveLease.OVERRIDE);
            store.intact()
                    .claim(List.of(new ClaimRequest(key("a"), new Owner("successor"), Duration.ofMinutes(1))))
                    .get(0);
            return "late";
        });

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.LEASE_LOST));
        assertThat(records.effects()).isEmpty();
        assertThat(record("a").owner()).isEqualTo(new Owner("successor"));
        assertThat(events.all()).containsOnlyOnce("lost a");
        assertThat(DedupAdapter.of(dedup).inFlight())
                .as("claims that are renewed")
                .isZero();
    }

    @Test
    @DisplayName("S10 claims are released after the rollback: a release would wait for the transaction's own locks")
    void releaseComesAfterTheRollback() {
        Deduplicator dedup = in(DedupMode.LEASED_TRANSACTIONAL);
        List<Integer> openAtRelease = new ArrayList<>();
        store.on(Op.RELEASE, (call, real) -> {
            openAtRelease.add(records.open());
            return real.apply(call.requests());
        });

        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(openAtRelease).containsExactly(0);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aPolicyWithoutTokensTellsNone(DedupMode mode) {
        Deduplicator dedup = in(mode, policy -> policy.fencingToken(false));

        dedup.execute(key("a"), context -> {
            assertThat(context.fencingToken()).isZero();
            return run(context);
        });
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    void theContextTellsOfTheTransaction() {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL, policy -> policy.maxProcessingTime(Duration.ofMinutes(5)));

        dedup.execute(key("a"), context -> {
            assertThat(context.guarded()).isTrue();
            assertThat(context.attempt()).isEqualTo(1);
            assertThat(context.fencingToken()).isEqualTo(77);
            assertThat(context.leaseLost()).isFalse();
            assertThat(context.leaseRemaining()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
            return run(context);
        });
        assertThat(store.calls()).isEmpty();
    }
}
