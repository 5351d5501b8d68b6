package io.dedup.testservers.sql;

/**
 * A primary server and a replica that follows it, for tests in which the primary dies and the replica takes its place.
 * Both ports stay what they are: a new replica listens where the dead primary did. Not thread-safe, except for the ports.
 *
 * <p>A primary that was killed never comes back: its files are gone, so there are no two primaries at any time.
 */
public interface SqlPair extends AutoCloseable {

    /** The primary's address, with a user who has no right to write where a server is read-only. */
    SqlAddress primary();

    /** Where the primary listens, or did until it was killed. */
    int primaryPort();

    /** Where the other one listens. */
    int replicaPort();

    /** From now on the replica receives nothing, until it is promoted. Where commits wait for the replica, none ends. */
    void cutReplica();

    /** Ends the primary by SIGKILL, for good. */
    void killPrimary();

    /**
     * Makes the replica the primary, after it has applied everything it has received. Nothing is replicated from then on
     * until {@link #replaceReplica()}, and no commit waits for a replica.
     */
    void promote();

    /**
     * Starts a new replica in place of the dead server. Returns when it has caught up and follows, and, where commits are
     * to wait for the replica, when they do.
     */
    void replaceReplica();

    /** Kills both and removes their files. */
    @Override
    void close();
}
