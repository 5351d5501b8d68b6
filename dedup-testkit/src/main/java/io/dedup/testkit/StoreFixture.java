package io.dedup.testkit;

import io.dedup.store.DedupStore;
import java.time.Duration;

/**
 * A store to be proven, two clients of it, and a hand on its clock.
 *
 * <p>The contract opens one fixture for each of its groups, one after the other, and closes it when the group is done.
 * Its keys are new each time, so that fixtures may share a server, a table or a namespace, as long as nobody else
 * moves the time of the same records meanwhile.
 */
public interface StoreFixture extends AutoCloseable {
    /** The store under test; the same one each time. Its attempt retention is from 1 to 60 days. */
    DedupStore store();

    /**
     * Another client of the same records, as another process would be: an instance of its own, on connections of its
     * own. The same one each time. A store that lives in one process answers {@link #store()}.
     */
    DedupStore secondInstance();

    /**
     * Makes every record older by this much, exactly: either moves the clock that the store reads, or moves all times
     * that it has kept (lease, retention, completion and window ends) back. Returns when both clients see it.
     *
     * <p>A moved time that the store can't write down any more, because it lies before its epoch, may be cut off: after
     * steps beyond a year the contract doesn't look at completion times.
     *
     * @param by whole milliseconds, from 1 ms to {@code Window.MAX}
     */
    void advance(Duration by);

    /**
     * How far the store's clock may run on by itself within one test, above what {@link #advance} adds. Tests that
     * look at the moment before a time runs out stay away from it by this much.
     *
     * <p>Zero for a clock that stands still unless it is advanced: then they stay away by 1 ms. At most 5 minutes.
     */
    default Duration drift() {
        return Duration.ofSeconds(30);
    }

    /**
     * Whether the store can list its records, {@link DedupStore#findStuck}. One that says no has to throw
     * {@code UnsupportedOperationException}.
     */
    default boolean listsStuck() {
        return true;
    }

    /**
     * Removes what is expired from the store, where that takes a call; the contract wants it to change nothing that
     * anybody sees. Stores that drop expired records by themselves need not do anything.
     */
    default void purge() {}

    /** Closes both stores and frees what the fixture opened. Also called after a test has closed the stores itself. */
    @Override
    void close() throws Exception;
}
