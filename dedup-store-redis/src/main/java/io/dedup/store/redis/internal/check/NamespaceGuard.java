package io.dedup.store.redis.internal.check;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.packed.PackedSettings;
import io.dedup.store.redis.internal.packed.Packing;
import org.jspecify.annotations.Nullable;

/** Ensures that all stores of a namespace agree on what it keeps for all of them. */
public final class NamespaceGuard {
    private final RedisLink link;
    private final RetentionGuard retention;
    private final PackedGuard packed;
    private final @Nullable PackedSettings settings;
    private final Packing packing;

    /** @param settings null if the store doesn't know packed records */
    public NamespaceGuard(
            RedisLink link,
            RetentionGuard retention,
            PackedGuard packed,
            @Nullable PackedSettings settings,
            Packing packing) {
        this.link = link;
        this.retention = retention;
        this.packed = packed;
        this.settings = settings;
        this.packing = packing;
    }

    /**
     * Compares the store's settings with those of the namespace, which are written if there are none.
     *
     * @throws DedupStoreException if they differ, or the server does not answer
     */
    public void check(String operation) {
        retention.check(link, operation);
        checkForm(operation);
    }

    /** Like {@link #check}, and fails on servers that accept no writes; see {@link RetentionGuard#checkWriting}. */
    public void checkWriting(String operation) {
        retention.checkWriting(link, operation);
        checkForm(operation);
    }

    private void checkForm(String operation) {
        if (settings == null) {
            packed.checkUnpacked(link, operation);
        } else {
            packed.check(link, operation, settings, packing);
        }
    }
}
