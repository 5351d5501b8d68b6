package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.HostileIds;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;

/** IDs are stored byte for byte: no two are confused, and none breaks anything. */
public abstract class HostileIdContract extends ContractGroup {
    @EachCallForm
    @DisplayName("T8 hostile IDs are all different from claim to completion")
    void messageIds(CallForm form) {
        DedupScope scope = newScope();
        assertAllDifferent(form, HostileIds.all().stream().map(scope::key).toList());
    }

    @EachCallForm
    @DisplayName("T7 scope and ID aren't confused when they are joined")
    void scopes(CallForm form) {
        assertAllDifferent(form, HostileIds.joined(newScope().topic()));
    }

    private void assertAllDifferent(CallForm form, List<DedupKey> keys) {
        assertThat(new HashSet<>(keys)).as("the keys themselves").hasSameSizeAs(keys);
        Map<KeyUnderTest, HeldClaim> held = new LinkedHashMap<>();
        for (DedupKey key : keys) {
            KeyUnderTest subject = new KeyUnderTest(store(), fixture().secondInstance(), form, key);
            assertThat(subject.find()).as("%s isn't there yet", key).isEmpty();
            HeldClaim first = subject.acquire();
            assertThat(first.attempt()).as("%s", key).isEqualTo(1);
            held.put(subject, first);
        }
        held.forEach((subject, first) -> {
            StoredRecord record = subject.elsewhere().found();
            assertThat(record.owner()).as("owner of %s", subject.key()).isEqualTo(first.owner());
            subject.elsewhere().assertInFlight();
            KeyUnderTest.assertApplied(subject.renew(first));
        });
        int count = 0;
        for (Map.Entry<KeyUnderTest, HeldClaim> entry : held.entrySet()) {
            byte[] result = ByteBuffer.allocate(4).putInt(count).array();
            KeyUnderTest subject = entry.getKey();
            if (count % 2 == 0) {
                KeyUnderTest.assertApplied(
                        subject.complete(entry.getValue().claim(), KeyUnderTest.WINDOW, result, false));
            } else {
                KeyUnderTest.assertApplied(subject.release(entry.getValue(), ReleaseMode.STARTED));
                KeyUnderTest.assertApplied(
                        subject.complete(subject.elsewhere().acquire().claim(), KeyUnderTest.WINDOW, result, false));
            }
            count++;
        }
        assertDone(held.keySet().stream().toList());
    }

    private void assertDone(List<KeyUnderTest> subjects) {
        for (int i = 0; i < subjects.size(); i++) {
            KeyUnderTest subject = subjects.get(i);
            byte[] result = ByteBuffer.allocate(4).putInt(i).array();
            assertThat(subject.elsewhere().claim())
                    .as("%s", subject.key())
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isEqualTo(result));
            assertThat(subject.found().result()).isEqualTo(result);
        }
        for (int i = 0; i < subjects.size(); i += 3) { // an operator's call affects exactly this record
            assertThat(store().forget(subjects.get(i).key(), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        }
        for (int i = 0; i < subjects.size(); i++) {
            boolean forgotten = i % 3 == 0;
            assertThat(subjects.get(i)
                            .elsewhere()
                            .find()
                            .map(StoredRecord::state)
                            .filter(State.DONE::equals)
                            .isEmpty())
                    .as("%s is forgotten", subjects.get(i).key())
                    .isEqualTo(forgotten);
        }
    }
}
