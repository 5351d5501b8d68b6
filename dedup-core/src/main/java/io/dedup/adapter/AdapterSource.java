package io.dedup.adapter;

/** A deduplicator that broker adapters can use; {@link DedupAdapter#of} looks for this interface. */
public interface AdapterSource {
    /** Returns the adapter API of this deduplicator. */
    DedupAdapter adapter();
}
