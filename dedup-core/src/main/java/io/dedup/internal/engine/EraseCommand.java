package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.LiveLease;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
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
    private final BackgroundWrites background;
    private final Heartbeat heartbeat;
    private final UnrecordedSuccesses successes;
    private final @Nullable TransactionalRecords records;
    private final SafeListeners<DedupListener> listeners;

    EraseCommand(
            DedupStore store,
            BackgroundWrites background,
            Heartbeat heartbeat,
            UnrecordedSuccesses successes,
            @Nullable TransactionalRecords records,
            SafeListeners<DedupListener> listeners) {
        this.store = store;
        this.background = background;
        this.heartbeat = heartbeat;
        this.successes = successes;
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
            all = all.plus(background.forgetting(which, () -> {
                Erasure erasure = ofRecords == null
                        ? ofStore.erase(id, liveLease)
                        : ofRecords.erase(id, liveLease).plus(ofStore.erase(id, liveLease));
                drop(which, new HashSet<>(erasure.liveScopes()));
                return erasure;
            }));
            listeners.report(listener -> listener.erased(id));
        }
        return all;
    }

    /** What this process would record later, except for runs that hold their claims. */
    private void drop(Predicate<DedupKey> which, Set<String> liveScopes) {
        Predicate<DedupKey> erased =
                which.and(key -> !liveScopes.contains(key.scope().text()));
        heartbeat.runsOf(erased).stream()
                .filter(AdmittedRun::guarded) // others have no claim that could have been erased
                .forEach(successes::forgotten); // first: their successes must no longer be remembered
        background.forget(erased);
    }
}
