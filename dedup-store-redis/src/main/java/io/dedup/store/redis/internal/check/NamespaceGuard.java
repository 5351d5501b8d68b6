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
     * Compares the settings of a store that starts with those of the namespace, which are written if there are none.
     *
     * @throws DedupStoreException if they differ, or stores that are in use don't know packed records, or the server
     *     does not answer
     */
    public void checkStart(String operation) {
        // A store that packs writes that first, so that it isn't taken for one that doesn't.
        if (settings != null && packing.writes() && retention.compare(link, operation)) {
            packed.requireReaders(link, operation, settings);
        }
        check(operation);
    }

    /** Compares the settings of a store that is in use. */
    public void check(String operation) {
        checkForm(operation);
        retention.check(link, operation);
        checkFormAgain(operation);
    }

    /** Like {@link #check}, and fails on servers that accept no writes; see {@link RetentionGuard#checkWriting}. */
    public void checkWriting(String operation) {
        checkForm(operation);
        retention.checkWriting(link, operation);
        checkFormAgain(operation);
    }

    /** If the server has lost its data meanwhile, the namespace must not look like one that others use without packing. */
    private void checkFormAgain(String operation) {
        if (settings != null) {
            checkForm(operation);
        }
    }

    private void checkForm(String operation) {
        if (settings == null) {
            packed.checkUnpacked(link, operation);
        } else {
            packed.check(link, operation, settings, packing);
        }
    }
}
