package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.ResultCodec;
import io.dedup.internal.SafeListeners;
import io.dedup.internal.SafeLog;
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

    Results(SafeListeners<DedupListener> listeners) {
        this.listeners = listeners;
    }

    /**
     * The result as bytes.
     *
     * @param maxBytes the policy's size
     * @return null when it is larger than that or can't be encoded, of which the listeners are told
     */
    public <R> byte @Nullable [] encode(DedupKey key, ResultCodec<R> codec, int maxBytes, R result) {
        int size = -1;
        try {
            byte[] bytes = codec.encode(result);
            if (bytes.length <= maxBytes) {
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
