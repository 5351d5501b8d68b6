package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** The stores that hold the records of a mode, the one that decides last. Immutable. */
final class RecordStores {
    private final List<DedupStore> all;

    private RecordStores(List<DedupStore> all) {
        this.all = all;
    }

    /**
     * The stores of a mode.
     *
     * @throws InvalidEndpointRequestException when its records cannot be read
     */
    static RecordStores of(DedupStores stores, DedupMode mode) {
        DedupStore claims = stores.store();
        if (mode == DedupMode.LEASED || mode == DedupMode.LEASED_TRANSACTIONAL) {
            return new RecordStores(List.of(claims));
        }
        DedupStore table = stores.tableOrNull();
        if (table == null) {
            throw new InvalidEndpointRequestException(
                    "the records of mode " + SettingText.of(mode)
                            + " are in a TransactionalRecords bean, which this endpoint cannot read",
                    "not supported");
        }
        return new RecordStores(mode == DedupMode.TIERED ? List.of(claims, table) : List.of(table));
    }

    /** What the stores have of an ID, by the store's name. */
    Map<String, StoredRecord> find(DedupKey key) {
        Map<String, StoredRecord> found = new LinkedHashMap<>();
        all.forEach(store -> store.find(key).ifPresent(record -> found.put(store.name(), record)));
        return found;
    }

    /**
     * Messages that began and aren't done; see {@link #isUndecided}.
     *
     * @throws InvalidEndpointRequestException when the store, which is one of the application's, cannot list its records
     */
    StuckRecords findStuck(StuckQuery query) {
        try {
            return StuckRecordFinder.of(all.get(0)).findStuck(query);
        } catch (UnsupportedOperationException e) {
            String reason = String.valueOf(e.getMessage());
            throw new InvalidEndpointRequestException(reason, reason);
        }
    }

    /**
     * Whether a message of {@link #findStuck} isn't done. In mode TIERED, Redis has the leases, and the table has only completed messages. A
     * message in the table is done, even if Redis doesn't know it yet.
     */
    boolean isUndecided(DedupKey key) {
        return all.stream().skip(1).allMatch(table -> table.find(key).isEmpty());
    }

    /**
     * In mode TIERED the table decides. Redis learns it as well, because consumers in mode LEASED, while a mode changes, look only there;
     * but for no longer than the table knows it, whose window has begun by then.
     */
    OperatorResult forceDone(DedupKey key, DedupPolicy policy, LiveLease liveLease) {
        boolean running = all.stream()
                .map(store -> store.find(key))
                .anyMatch(record -> record.isPresent() && record.get().state() == StoredRecord.State.PROCESSING);
        if (running && liveLease == LiveLease.RESPECT) {
            return OperatorResult.LEASE_LIVE;
        }
        DedupStore deciding = all.get(all.size() - 1);
        long since = System.nanoTime();
        OperatorResult result = deciding.forceDone(key, policy.window(), liveLease);
        if (result == OperatorResult.APPLIED && all.size() > 1) {
            Window left = left(policy.window(), System.nanoTime() - since);
            if (left != null) {
                // A consumer that has claimed it since, which refuses this, finds the table's record.
                OperatorResult unused = all.get(0).forceDone(key, left, liveLease);
            }
        }
        return result;
    }

    private static @Nullable Window left(Window window, long nanos) {
        Duration whole = window.duration();
        if (whole == null) {
            return window;
        }
        Duration left = whole.minusNanos(nanos).truncatedTo(ChronoUnit.MILLIS);
        return !left.isNegative() && !left.isZero() ? Window.of(left) : null;
    }
}
