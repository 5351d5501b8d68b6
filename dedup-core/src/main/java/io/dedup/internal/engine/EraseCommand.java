package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.LiveLease;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.privacy.Erasure;
import io.dedup.store.DedupStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Deletes everything that the stores and this process have of a message ID, in all scopes. Thread-safe. */
final class EraseCommand {
    private final DedupStore store;
    private final Forgetting forgetting;
    private final @Nullable TransactionalRecords records;
    private final SafeListeners<DedupListener> listeners;

    EraseCommand(
            DedupStore store,
            Forgetting forgetting,
            @Nullable TransactionalRecords records,
            SafeListeners<DedupListener> listeners) {
        this.store = store;
        this.forgetting = forgetting;
        this.records = records;
        this.listeners = listeners;
    }

    /**
     * Deletes the records of the database first, then those of the front store: in the opposite order, a front record
     * could be restored from the database in between.
     */
    Erasure run(Set<String> storedIds, LiveLease liveLease) {
        RecordEraser ofStore = RecordEraser.of(store);
        RecordEraser ofRecords = records == null || records.holdsClaimsOf(store) ? null : RecordEraser.of(records);
        ofStore.checkErasing(); // before anything is deleted
        Erasure all = new Erasure(0, List.of());
        for (String id : storedIds) {
            Predicate<DedupKey> which = key -> key.messageId().equals(id);
            all = all.plus(forgetting.run(
                    which,
                    liveLease,
                    () -> ofRecords == null
                            ? ofStore.erase(id, liveLease)
                            : ofRecords.erase(id, liveLease).plus(ofStore.erase(id, liveLease)),
                    erasure -> which.and(outside(erasure.liveScopes()))));
            listeners.report(listener -> listener.erased(id));
        }
        return all;
    }

    private static Predicate<DedupKey> outside(List<String> scopes) {
        Set<String> live = new HashSet<>(scopes);
        return key -> !live.contains(key.scope().text());
    }
}
