package io.dedup.testservers.process;

/** How a server that outlives its JVM is ended: most have nothing to lose. */
public enum OrphanSignal {
    KILL,
    /** PostgreSQL's immediate shutdown, which gives its shared memory back. */
    QUIT
}
