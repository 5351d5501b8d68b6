package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.RecordEraser;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.HostileIds;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deleting everything of a message ID, in all scopes. */
public abstract class EraseContract extends ContractGroup {
    @Test
    @DisplayName("a store that cannot erase an ID says so, instead of erasing nothing")
    void unsupported() {
        if (!fixture().erases()) {
            assertThatThrownBy(() -> RecordEraser.of(store()).erase("order-1", LiveLease.RESPECT))
                    .isInstanceOf(UnsupportedOperationException.class);
        } else {
            assertThat(store()).isInstanceOf(RecordEraser.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a record is erased whatever its state, unless its lease is live")
    void everyState(Situation situation) {
        requireErase();
        KeyUnderTest subject = subject(CallForm.ALONE, newScope(), UniqueNames.next());
        situation.arrange(subject, this::advance);
        boolean live = subject.find()
                .filter(record -> record.state() == State.PROCESSING)
                .isPresent();

        Erasure respecting = erase(subject.key(), LiveLease.RESPECT);

        assertThat(respecting.isComplete()).isEqualTo(!live);
        assertThat(respecting.liveScopes())
                .isEqualTo(live ? List.of(subject.key().scope().text()) : List.of());
        assertThat(subject.find().isPresent()).isEqualTo(live);
        Erasure overriding = erase(subject.key(), LiveLease.OVERRIDE);
        assertThat(overriding).isEqualTo(new Erasure(live ? 1 : 0, List.of()));
        assertThat(subject.find()).isEmpty();
        assertThat(subject.acquire().answer().attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("the ID is erased in all scopes, and no other ID is")
    void allScopes() {
        requireErase();
        String id = UniqueNames.next();
        String topic = newScope().topic();
        DedupScope main = DedupScope.of("contract", topic);
        List<DedupScope> scopes = List.of(
                main,
                main.shadow(),
                DedupScope.deadLetter("contract", topic),
                DedupScope.of("other", topic),
                DedupScope.of("contract", topic + ":" + id),
                DedupScope.of("contract", topic + "t".repeat(300)));
        scopes.forEach(scope -> subject(CallForm.ALONE, scope, id).done(new byte[] {1, 2}, RED));
        List<String> others = List.of(
                id + "x", "x" + id, "1:" + id, ":" + id, "1:a:" + id, id + " ", id + "*", "*", "?".repeat(id.length()));
        others.forEach(other -> subject(CallForm.ALONE, main, other).done(null, null));

        Erasure erasure = erase(main.key(id), LiveLease.RESPECT);

        assertThat(erasure).isEqualTo(new Erasure(scopes.size(), List.of()));
        assertThat(scopes)
                .allSatisfy(scope -> assertThat(store().find(scope.key(id))).isEmpty());
        assertThat(others)
                .allSatisfy(other -> assertThat(store().find(main.key(other))).isPresent());
        assertThat(erase(main.key("*"), LiveLease.RESPECT).isComplete()).isTrue();
        assertThat(others)
                .allSatisfy(other -> assertThat(store().find(main.key(other)).isPresent())
                        .as(other)
                        .isEqualTo(!other.equals("*")));
        assertThat(erase(main.key(id), LiveLease.RESPECT)).isEqualTo(new Erasure(0, List.of()));
    }

    @Test
    @DisplayName("a live lease in one scope keeps that record only, and its owner completes it")
    void liveElsewhere() {
        requireErase();
        String id = UniqueNames.next();
        KeyUnderTest live = subject(CallForm.ALONE, newScope(), id);
        KeyUnderTest done = subject(CallForm.ALONE, newScope(), id);
        HeldClaim held = live.acquire();
        done.done(null, null);

        Erasure erasure = erase(live.key(), LiveLease.RESPECT);

        assertThat(erasure).isEqualTo(new Erasure(1, List.of(live.key().scope().text())));
        KeyUnderTest.assertApplied(live.complete(held));
        assertThat(erase(live.key(), LiveLease.RESPECT)).isEqualTo(new Erasure(1, List.of()));
        assertThat(live.find()).isEmpty();
    }

    @Test
    @DisplayName("T8 hostile IDs are erased, each alone")
    void hostileIds() {
        requireErase();
        DedupScope scope = newScope();
        List<DedupKey> keys =
                HostileIds.all().stream().map(scope::key).distinct().toList();
        keys.forEach(key -> new KeyUnderTest(store(), store(), CallForm.ALONE, key).done(null, null));
        List<DedupKey> some =
                keys.stream().filter(key -> keys.indexOf(key) % 10 == 0).toList();

        some.forEach(key -> erase(key, LiveLease.RESPECT));

        assertThat(keys)
                .allSatisfy(key ->
                        assertThat(store().find(key).isEmpty()).as("%s", key).isEqualTo(some.contains(key)));
    }

    private void requireErase() {
        assumeTrue(fixture().erases(), "The store cannot erase an ID in all scopes (StoreFixture.erases() is false)");
    }

    /** By another client. */
    private Erasure erase(DedupKey key, LiveLease liveLease) {
        return RecordEraser.of(fixture().secondInstance()).erase(key.messageId(), liveLease);
    }
}
