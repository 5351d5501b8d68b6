package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.ResultCodec;
import io.dedup.internal.SafeListeners;
import io.dedup.internal.SafeLog;
import io.dedup.store.DedupStore;
import io.dedup.store.TransactionalRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns handlers' results into bytes that duplicates are answered with, and back. Never throws: the effect has happened.
 * Thread-safe.
 */
public final class Results {
    private static final Logger log = LoggerFactory.getLogger(Results.class);

    private final SafeListeners<DedupListener> listeners;
    private final DedupStore store;
    private final @Nullable TransactionalRecords records;

    Results(SafeListeners<DedupListener> listeners, DedupStore store, @Nullable TransactionalRecords records) {
        this.listeners = listeners;
        this.store = store;
        this.records = records;
    }

    /**
     * The result as bytes.
     *
     * @param maxBytes the policy's size
     * @return null when it is larger than that, or than the store takes, or can't be encoded; reported to the listeners
     */
    public <R> byte @Nullable [] encode(DedupKey key, ResultCodec<R> codec, int maxBytes, R result) {
        int size = -1;
        try {
            byte[] bytes = codec.encode(result);
            if (bytes.length <= Math.min(maxBytes, most())) {
                return bytes;
            }
            size = bytes.length;
        } catch (Throwable e) {
            SafeLog.warn(log, "The result of {} can't be encoded and isn't kept for duplicates", key, e);
        }
        int bytes = size;
        listeners.tell(listener -> listener.resultNotKept(key, bytes));
        return null;
    }

    /** What the stores take, less what is kept beside a result; asked each time, as a server's setting may change. */
    private int most() {
        int most = store.maxResultBytes();
        if (records != null) {
            most = Math.min(most, records.maxResultBytes());
        }
        return most == Integer.MAX_VALUE ? most : Math.max(0, most - StoredResult.MAX_EXTRA_BYTES);
    }

    /** The result that was kept; null when it can't be decoded, which is logged. */
    public <R> @Nullable R decode(DedupKey key, ResultCodec<R> codec, byte[] bytes) {
        try {
            return codec.decode(bytes);
        } catch (Throwable e) {
            SafeLog.warn(log, "The stored result of {} can't be decoded; its duplicate gets none", key, e);
            return null;
        }
    }
}
