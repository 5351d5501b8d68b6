package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.ResultCodec;
import io.dedup.adapter.Results;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.listener.SafeLog;
import io.dedup.privacy.ResultEncryption;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredResult;
import io.dedup.store.transaction.TransactionalRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Encodes handlers' results for the store, and decodes them for duplicates. Never throws, because the effect has
 * already happened. Thread-safe.
 */
final class ResultBytes implements Results {
    private static final Logger log = LoggerFactory.getLogger(ResultBytes.class);

    private final SafeListeners<DedupListener> listeners;
    private final DedupStore store;
    private final @Nullable TransactionalRecords records;
    private final @Nullable ResultEncryption encryption;

    ResultBytes(
            SafeListeners<DedupListener> listeners,
            DedupStore store,
            @Nullable TransactionalRecords records,
            @Nullable ResultEncryption encryption) {
        this.listeners = listeners;
        this.store = store;
        this.records = records;
        this.encryption = encryption;
    }

    @Override
    public <R> byte @Nullable [] encode(DedupKey key, ResultCodec<R> codec, int maxBytes, R result) {
        int size = -1;
        try {
            byte[] bytes = encrypted(key, codec.encode(result));
            if (bytes.length <= Math.min(maxBytes, most())) {
                return bytes;
            }
            size = bytes.length;
        } catch (Throwable e) {
            SafeLog.warn(log, "Cannot encode the result of message ID {}; its duplicates get no result", key, e);
        }
        int bytes = size;
        listeners.report(listener -> listener.resultNotKept(key, bytes));
        return null;
    }

    private byte[] encrypted(DedupKey key, byte[] bytes) {
        return encryption == null ? bytes : encryption.encrypt(key.scope().text(), key.messageId(), bytes);
    }

    /**
     * The size that the stores accept, minus the bytes stored in addition to a result. Read each time, because a
     * server's setting may change.
     */
    private int most() {
        int most = store.maxResultBytes();
        if (records != null) {
            most = Math.min(most, records.maxResultBytes());
        }
        return most == Integer.MAX_VALUE ? most : Math.max(0, most - StoredResult.MAX_EXTRA_BYTES);
    }

    @Override
    public <R> @Nullable R decode(DedupKey key, ResultCodec<R> codec, byte[] bytes) {
        try {
            return codec.decode(
                    encryption == null ? bytes : encryption.decrypt(key.scope().text(), key.messageId(), bytes));
        } catch (Throwable e) {
            SafeLog.warn(log, "Cannot decode the stored result of message ID {}; its duplicate gets no result", key, e);
            return null;
        }
    }
}
