package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.HostileIds;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The list of messages that have been claimed and aren't done. */
public abstract class StuckContract extends ContractGroup {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration LONG = Duration.ofHours(2);
    private static final Duration LONGER = Duration.ofHours(5);
    private static final int MANY = 2_500;
    private static final int EVERY = 83;

    @Test
    @DisplayName("a store that cannot list its records doesn't implement StuckRecordFinder")
    void unsupported() {
        if (!fixture().listsStuck()) {
            assertThatThrownBy(() -> StuckRecordFinder.of(store()).findStuck(new StuckQuery(null, Duration.ZERO, 1)))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("exactly the claimed messages that aren't done are listed, as find shows them")
    void lists(Situation situation) {
        requireList();
        KeyUnderTest subject = subject(CallForm.ALONE);
        situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        StuckRecords stuck = find(subject.key().scope(), Duration.ZERO, 10);

        assertThat(stuck.complete()).isTrue();
        boolean open = before.isPresent() && before.get().state() != State.DONE && situation.attempt() > 0;
        assertThat(stuck.records()).hasSize(open ? 1 : 0);
        if (open) {
            assertThat(stuck.records().get(0).key(subject.key().scope())).isEqualTo(subject.key());
            assertUnchanged(before.orElseThrow(), stuck.records().get(0).record());
        }
        assertThat(subject.find().isPresent()).isEqualTo(before.isPresent());
        before.ifPresent(record -> assertUnchanged(record, subject.found()));
    }

    @Test
    @DisplayName("a claim is listed from the given age on, even if its lease is live")
    void age() {
        requireList();
        KeyUnderTest subject = subject(CallForm.ALONE);
        subject.acquire();
        DedupScope scope = subject.key().scope();
        assertThat(find(scope, LONG, 10).records()).isEmpty();

        advance(SHORT);

        if (fixture().drift().isZero()) {
            assertListed(scope, SHORT, State.PROCESSING);
        } else { // records that were made older keep their tokens, but this much passes by itself
            await().atMost(fixture().drift().plusSeconds(30))
                    .untilAsserted(() -> assertListed(scope, SHORT, State.PROCESSING));
        }
        assertThat(find(scope, LONG, 10).records()).isEmpty();
    }

    @Test
    @DisplayName("a claim without a fencing token is listed, at the latest, that long after its lease")
    void withoutToken() {
        requireList();
        KeyUnderTest subject = subject(CallForm.ALONE);
        HeldClaim held =
                subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, null, false));

        advance(KeyUnderTest.LEASE.plus(LONG));

        StoredRecord record = assertListed(subject.key().scope(), LONG, State.ABANDONED);
        assertThat(find(subject.key().scope(), LONGER, 10).records()).isEmpty();
        assertThat(record.attempt()).isEqualTo(held.attempt());
    }

    @Test
    @DisplayName("a released message is listed, at the latest, that long after its release")
    void released() {
        requireList();
        KeyUnderTest subject = subject(CallForm.ALONE);
        KeyUnderTest.assertApplied(subject.release(
                subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, RED, false)),
                ReleaseMode.STARTED));
        assertThat(find(subject.key().scope(), LONG, 10).records()).isEmpty();

        advance(LONG);

        assertListed(subject.key().scope(), LONG, State.RELEASED);
        assertThat(find(subject.key().scope(), LONGER, 10).records()).isEmpty();
    }

    @Test
    @DisplayName("the limit applies, and the answer says whether it is complete")
    void limit() {
        requireList();
        DedupScope scope = newScope();
        List<String> ids = IntStream.range(0, 5).mapToObj(i -> "order-" + i).toList();
        ids.forEach(id -> subject(CallForm.ALONE, scope, id).acquire());

        for (int limit = 1; limit <= 6; limit++) {
            StuckRecords stuck = find(scope, Duration.ZERO, limit);
            assertThat(stuck.records()).hasSize(Math.min(limit, 5));
            assertThat(ids(stuck)).doesNotHaveDuplicates().isSubsetOf(ids);
            assertThat(stuck.complete()).as("complete with limit %d", limit).isEqualTo(limit >= 5);
        }
    }

    @Test
    @DisplayName("a few unfinished records among many done ones are all found")
    void fewAmongMany() {
        requireList();
        DedupScope scope = newScope();
        List<ClaimRequest> claims = IntStream.range(0, MANY)
                .mapToObj(i ->
                        new ClaimRequest(scope.key("order-" + i), UniqueNames.owner(), KeyUnderTest.LEASE, null, true))
                .toList();
        assertThat(store().claim(claims)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        List<CompleteRequest> done = new ArrayList<>();
        List<String> open = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            ClaimRequest claim = claims.get(i);
            if (i % EVERY == 0) {
                open.add(claim.key().messageId());
            } else {
                Claim held = new Claim(claim.key(), claim.owner(), 1);
                done.add(new CompleteRequest(held, KeyUnderTest.WINDOW, i % 2 == 0 ? new byte[100] : null, false));
            }
        }
        assertThat(store().complete(done)).containsOnly(WriteResult.applied());

        StuckRecords stuck = find(scope, Duration.ZERO, StuckQuery.MAX_LIMIT);

        assertThat(stuck.complete()).isTrue();
        assertThat(ids(stuck)).containsExactlyInAnyOrderElementsOf(open);
        assertThat(ids(find(null, Duration.ZERO, open.size()))).hasSize(open.size());
    }

    @Test
    @DisplayName("T8 hostile IDs are returned byte for byte")
    void hostileIds() {
        requireList();
        DedupScope scope = newScope();
        List<DedupKey> keys = HostileIds.all().stream().map(scope::key).toList();
        acquireAll(keys);

        StuckRecords stuck = find(scope, Duration.ZERO, StuckQuery.MAX_LIMIT);

        assertThat(stuck.complete()).isTrue();
        assertThat(stuck.records().stream().map(record -> record.key(scope))).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    @DisplayName("T7 a scope's list has only its own messages, and the list of all scopes has all messages")
    void scopes() throws Exception {
        requireList();
        reopenFixture();
        List<DedupKey> keys = HostileIds.joined(newScope().topic());
        acquireAll(keys);
        Map<DedupScope, List<DedupKey>> byScope = keys.stream().collect(Collectors.groupingBy(DedupKey::scope));

        byScope.forEach((scope, own) -> assertThat(find(scope, Duration.ZERO, StuckQuery.MAX_LIMIT).records().stream()
                        .map(record -> record.key(scope)))
                .as("of %s", scope)
                .containsExactlyInAnyOrderElementsOf(own));
        StuckRecords all = find(null, Duration.ZERO, StuckQuery.MAX_LIMIT);
        List<String> found = all.records().stream()
                .map(record -> record.scope() + "\u0000\u0000" + record.messageId())
                .toList();
        assertThat(found).doesNotHaveDuplicates();
        if (all.complete()) { // or others share the store
            assertThat(found)
                    .containsAll(keys.stream()
                            .map(key -> key.scope().text() + "\u0000\u0000" + key.messageId())
                            .toList());
        }
    }

    private void acquireAll(List<DedupKey> keys) {
        keys.forEach(key -> new KeyUnderTest(store(), fixture().secondInstance(), CallForm.ALONE, key).acquire());
    }

    private void requireList() {
        assumeTrue(fixture().listsStuck(), "The store cannot list its records (StoreFixture.listsStuck() is false)");
    }

    /** As another client sees it. */
    private StuckRecords find(@Nullable DedupScope scope, Duration olderThan, int limit) {
        return StuckRecordFinder.of(fixture().secondInstance()).findStuck(new StuckQuery(scope, olderThan, limit));
    }

    private StoredRecord assertListed(DedupScope scope, Duration olderThan, State state) {
        StuckRecords stuck = find(scope, olderThan, 10);
        assertThat(stuck.records())
                .singleElement()
                .satisfies(record -> assertThat(record.record().state()).isEqualTo(state));
        return stuck.records().get(0).record();
    }

    private static List<String> ids(StuckRecords stuck) {
        return stuck.records().stream().map(StuckRecord::messageId).toList();
    }
}
