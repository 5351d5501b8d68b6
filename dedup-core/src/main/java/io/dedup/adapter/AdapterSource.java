package io.dedup.adapter;

/** A deduplicator that adapters can be built on; {@link DedupAdapter#of} looks for it. */
public interface AdapterSource {
    /** The adapter's side of this deduplicator. */
    DedupAdapter adapter();
}
