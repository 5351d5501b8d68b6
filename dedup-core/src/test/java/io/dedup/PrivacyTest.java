package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.QueueMessageOrigin;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.migration.ImportedId;
import io.dedup.policy.DedupMode;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.privacy.IdHashing;
import io.dedup.privacy.OtherHashKeyException;
import io.dedup.privacy.ResultEncryption;
import io.dedup.report.DuplicationReports;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredResult;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is kept of personal data: hashed IDs, encrypted results, and erasure. */
class PrivacyTest extends TransactionalTestBase {
    private static final IdHashing HASHING = IdHashing.of(key(32, 1));
    private static final ResultEncryption ENCRYPTION = ResultEncryption.with("k1", key(32, 2));

    private static byte[] key(int size, int of) {
        byte[] key = new byte[size];
        Arrays.fill(key, (byte) of);
        return key;
    }

    private Deduplicator with(UnaryOperator<DeduplicatorBuilder> privacy) {
        return deduplicator(store, policy -> policy, privacy);
    }

    private static DedupCall<String> call(Deduplicator dedup, String id) {
        return DedupCall.<String>of(dedup.key(TOPIC, id)).withResult(ResultCodec.utf8());
    }

    @Test
    @DisplayName("with hashed IDs the store, logs and listeners see hashes alone; duplicates are found")
    void hashedIds() {
        Deduplicator dedup = with(builder -> builder.idHashing(HASHING));
        assertThat(dedup.execute(call(dedup, "anna@example.org"), context -> {
                    assertThat(context.key().messageId()).startsWith("hmac:");
                    return "ok";
                }))
                .isInstanceOf(Handled.class);

        assertThat(dedup.execute(call(dedup, "anna@example.org"), context -> "must not run"))
                .isInstanceOf(Duplicate.class);
        assertThat(dedup.execute(call(dedup, "ben@example.org"), context -> "ok"))
                .isInstanceOf(Handled.class);
        assertThat(store.find(key("anna@example.org"))).isEmpty();
        assertThat(record(HASHING.hash("anna@example.org")).state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(events.all()).noneMatch(event -> event.contains("anna")).anyMatch(event -> event.contains("hmac:"));
        assertThat(dedup.forget(dedup.key(TOPIC, "anna@example.org"), LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);
        assertThat(dedup.execute(call(dedup, "anna@example.org"), context -> "again"))
                .isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("an import hashes IDs and encrypts results, as handlers do")
    void imported() {
        Deduplicator dedup = with(builder -> builder.idHashing(HASHING).resultEncryption(ENCRYPTION));
        byte[] result = ResultCodec.utf8().encode("paid");

        dedup.importDone(TOPIC, Stream.of(new ImportedId("anna@example.org", clock.instant(), result)));

        assertThat(store.find(key("anna@example.org"))).isEmpty();
        assertThat(record(HASHING.hash("anna@example.org")).result()).isNotEqualTo(result);
        assertThat(dedup.execute(call(dedup, "anna@example.org"), context -> "must not run"))
                .isInstanceOfSatisfying(
                        Duplicate.class,
                        duplicate -> assertThat(duplicate.value()).isEqualTo("paid"));
    }

    @Test
    @DisplayName("the place of a message is beside its encrypted result; an erased ID is in no report")
    void places() {
        DuplicationReports reports = new DuplicationReports();
        Deduplicator dedup = with(builder -> builder.idHashing(HASHING)
                .resultEncryption(ENCRYPTION)
                .topic(TOPIC, policy -> policy.explainDuplicates(true))
                .listener(reports));
        DedupAdapter adapter = DedupAdapter.of(dedup);
        DedupKey key = dedup.key(TOPIC, "anna@example.org");
        MessagePlace place = new MessagePlace("3", 36, 1, 30);
        Execution run = ((Admission.Run) adapter.admit(placed(dedup, place), WaitBudget.none())).execution();
        run.begin();
        byte[] secret = adapter.results().encode(key, ResultCodec.utf8(), 1_000, "paid");
        assertThat(run.succeed(secret, WaitBudget.none())).isEqualTo(DedupOutcome.Completion.DONE);

        StoredResult stored = StoredResult.decode(record(key.messageId()).result());
        assertThat(stored.place()).isEqualTo(place);
        assertThat(new String(stored.result(), StandardCharsets.ISO_8859_1)).doesNotContain("paid");
        Admission copy = adapter.admit(placed(dedup, new MessagePlace("3", 40, 2, 30)), WaitBudget.none());
        assertThat(copy).isInstanceOfSatisfying(Admission.Duplicate.class, duplicate -> {
            assertThat(adapter.results()
                            .decode(key, ResultCodec.utf8(), duplicate.done().result()))
                    .isEqualTo("paid");
            assertThat(duplicate.first()).isEqualTo(place);
        });
        assertThat(reports.copies(key)).isNotNull();
        assertThat(reports.report(24).text()).contains("hmac:").doesNotContain("anna");

        assertThat(dedup.erase("anna@example.org", LiveLease.RESPECT).erased()).isEqualTo(1);
        assertThat(reports.copies(key)).isNull();
        assertThat(reports.report(24).text()).doesNotContain("hmac:");
    }

    private static Delivery placed(Deduplicator dedup, MessagePlace place) {
        return Delivery.of(
                dedup.topic(TOPIC),
                "anna@example.org",
                null,
                QueueMessageOrigin.of(() -> "message", place, null, first -> DuplicateCause.REPLAYED));
    }

    @Test
    @DisplayName("a key with a plain ID is refused where IDs are hashed")
    void plainKey() {
        Deduplicator dedup = with(builder -> builder.idHashing(HASHING));

        assertThatThrownBy(() -> dedup.execute(key("anna@example.org"), context -> "must not run"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "idHashing is set, but the ID of a key in the scope of consumer \"billing\", topic \"orders\" is not"
                                + " hashed: create keys with deduplicator.key(topic, id)");
        assertThatThrownBy(() -> dedup.forget(key("anna@example.org"), LiveLease.RESPECT))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(store.find(key("anna@example.org"))).isEmpty();
    }

    @Test
    @DisplayName("another key would forget all windows, so it is refused, for ever and per consumer")
    void otherKey() {
        IdHashing other = IdHashing.of(key(32, 9));
        Deduplicator first = with(builder -> builder.idHashing(HASHING));
        first.execute(call(first, "a"), context -> "ok");
        clock.advance(Window.MAX);

        assertThatThrownBy(() -> with(builder -> builder.idHashing(other)))
                .isInstanceOf(OtherHashKeyException.class)
                .hasMessageContaining("consumer \"billing\"");
        Deduplicator same = with(builder -> builder.idHashing(HASHING));
        assertThat(same.key(TOPIC, "a")).isEqualTo(first.key(TOPIC, "a"));
        with(builder -> builder.idHashing(other).consumer("shipping"));
    }

    @Test
    void aStoreThatDoesNotAnswerIsNotTakenForTheSameKey() {
        store.on(Op.CLAIM, Faults.down());
        assertThatThrownBy(() -> with(builder -> builder.idHashing(HASHING))).isInstanceOf(DedupStoreException.class);

        store.heal();
        store.on(Op.COMPLETE, Faults.down());
        assertThatThrownBy(() -> with(builder -> builder.idHashing(HASHING))).isInstanceOf(DedupStoreException.class);

        store.heal();
        with(builder -> builder.idHashing(HASHING)); // in flight, with the same key
        assertThatThrownBy(() -> with(builder -> builder.idHashing(IdHashing.of(key(40, 9)))))
                .isInstanceOf(OtherHashKeyException.class);
    }

    @Test
    @DisplayName("the table behind a front store is checked, too: the front may lose its record")
    void tieredKey() {
        with(builder -> builder.idHashing(HASHING).transactions(apart));
        store.forgetAll();

        assertThatThrownBy(() -> with(
                        builder -> builder.idHashing(IdHashing.of(key(32, 9))).transactions(apart)))
                .isInstanceOf(OtherHashKeyException.class);
        assertThat(apart.open()).isZero();
    }

    @Test
    @DisplayName("an encrypted result reaches the duplicate, and the store has nothing readable")
    void encryptedResult() {
        Deduplicator dedup = with(builder -> builder.resultEncryption(ENCRYPTION));
        dedup.execute(call(dedup, "a"), context -> "Anna");

        assertThat(new String(record("a").result(), StandardCharsets.ISO_8859_1))
                .doesNotContain("Anna");
        assertThat(dedup.execute(call(dedup, "a"), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), "Anna"));
    }

    @Test
    @DisplayName("a result that cannot be decrypted isn't given out; the message stays a duplicate")
    void undecryptable() {
        Deduplicator plain = deduplicator();
        plain.execute(call(plain, "before"), context -> "plain");
        Deduplicator encrypting = with(builder -> builder.resultEncryption(ENCRYPTION));
        encrypting.execute(call(encrypting, "a"), context -> "Anna");
        Deduplicator other = with(builder -> builder.resultEncryption(ResultEncryption.with("k2", key(32, 3))));

        assertThat(encrypting.execute(call(encrypting, "before"), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), null));
        assertThat(other.execute(call(other, "a"), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), null));
        Deduplicator rotated = with(builder ->
                builder.resultEncryption(ResultEncryption.with("k2", key(32, 3)).alsoReading("k1", key(32, 2))));
        assertThat(rotated.execute(call(rotated, "a"), context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), "Anna"));
    }

    @Test
    void anEncryptedResultCountsWithAllItsBytes() {
        Deduplicator dedup = deduplicator(
                store, policy -> policy.maxResultBytes(60), builder -> builder.resultEncryption(ENCRYPTION));
        dedup.execute(call(dedup, "a"), context -> "x".repeat(12));
        dedup.execute(call(dedup, "b"), context -> "x".repeat(13));

        assertThat(record("a").result()).hasSize(60);
        assertThat(record("b").result()).isNull();
        assertThat(events.count("result not kept b 61")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("whatever the mode, an erased ID is gone in all scopes, and is handled again")
    void erase(DedupMode mode) {
        Deduplicator dedup = mode == DedupMode.LEASED ? deduplicator() : in(mode);
        DedupKey other = DedupScope.of("shipping", "returns").key("a");
        store.claim(List.of(new ClaimRequest(other, new Owner("gone"), Duration.ofMillis(1))))
                .get(0);
        clock.advance(Duration.ofSeconds(1));
        handle(dedup, "a");
        handle(dedup, "b");

        Erasure erasure = dedup.erase("a", LiveLease.RESPECT);

        assertThat(erasure).isEqualTo(new Erasure(mode == DedupMode.TIERED ? 3 : 2, List.of()));
        assertThat(store.find(key("a"))).isEmpty();
        assertThat(store.find(other)).isEmpty();
        assertThat(records.hasRecord(key("a"))).isFalse();
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
        assertThat(handle(dedup, "b")).isInstanceOf(Duplicate.class);
    }

    private DedupOutcome<String> handle(Deduplicator dedup, String id) {
        return dedup.execute(key(id), context -> {
            if (dedup.topic(TOPIC).policy().mode().isTransactional()) {
                records.effect(id);
            }
            return "ok";
        });
    }

    @Test
    @DisplayName("where IDs are hashed, the hash is erased, and the plain ID from before")
    void eraseHashed() {
        Deduplicator plain = deduplicator();
        plain.execute(call(plain, "a"), context -> "before");
        Deduplicator dedup = with(builder -> builder.idHashing(HASHING));
        dedup.execute(call(dedup, "a"), context -> "after");

        assertThat(dedup.erase("a", LiveLease.RESPECT)).isEqualTo(new Erasure(2, List.of()));
        assertThat(store.find(key("a"))).isEmpty();
        assertThat(store.find(dedup.key(TOPIC, "a"))).isEmpty();
        assertThatThrownBy(() -> dedup.erase(" ", LiveLease.RESPECT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("messageId cannot be erased: it is blank");
    }

    @Test
    @DisplayName("a success that waits for the store is erased with its record, or it would be written later")
    void erasePending() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        handle(dedup, "a");
        handle(dedup, "b");
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 2);

        assertThat(dedup.erase("a", LiveLease.RESPECT).liveScopes())
                .as("its claim still counts")
                .containsExactly(key("a").scope().text());
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(2);
        assertThat(dedup.erase("a", LiveLease.OVERRIDE)).isEqualTo(new Erasure(1, List.of()));

        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(1);
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(store.find(key("a"))).isEmpty();
        assertThat(store.find(key("b"))).isPresent();
    }

    @Test
    @DisplayName("in TIERED mode nothing is erased if the front cannot erase")
    void frontCannotErase() {
        Deduplicator dedup = in(DedupMode.TIERED);
        handle(dedup, "a");
        store.erases(false);

        assertThatThrownBy(() -> dedup.erase("a", LiveLease.RESPECT)).isInstanceOf(UnsupportedOperationException.class);

        assertThat(records.hasRecord(key("a"))).isTrue();
    }

    @Test
    @DisplayName("in TIERED mode the table is erased before the front, or the front would be repaired from it")
    void eraseTableFirst() {
        Deduplicator dedup = in(DedupMode.TIERED);
        handle(dedup, "a");
        store.intact().forget(key("a"), LiveLease.OVERRIDE);

        assertThat(dedup.erase("a", LiveLease.RESPECT)).isEqualTo(new Erasure(1, List.of()));
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }
}
