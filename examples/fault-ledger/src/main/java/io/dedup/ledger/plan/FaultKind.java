package io.dedup.ledger.plan;

import java.util.Arrays;
import java.util.Locale;

/** What goes wrong. */
public enum FaultKind {
    /** {@code kill -9} of a consumer process, which is started again at once, with another error of its host's clock. */
    KILL,
    /** SIGSTOP of a consumer process for longer than its leases and its broker session. */
    PAUSE,
    /** The stores are stopped and started; or killed and started. They forget nothing. */
    STORE_RESTART,
    /** The stores' records are deleted, if that is possible without deleting the effects. */
    STORE_FLUSH,
    /** Connections to the stores are closed and refused for a while, or hang for a while, or are half open. */
    STORE_CUT,
    /** The stores execute requests, and the answers are lost with the connections. */
    LOST_REPLIES,
    /** Other members join and leave the group. */
    REBALANCE,
    /** A handler takes longer than the lease, and a copy of its message arrives meanwhile. */
    SLOW,
    /** Handlers fail once or twice in each process. */
    FAIL,
    /** A handler always fails, and its message ends among the dead letters. */
    POISON,
    /** Other threads wake consumers up, pause and resume their containers, and ask for rebalances. */
    WAKE_UP,
    /** Commits fail as in rebalances and on a bad network: in progress, no longer a member, no answer. */
    COMMIT_FAILS,
    /** Members join and leave while handlers are slow, copies of their messages are held, and the stores are slow to answer. */
    REBALANCE_HELD,

    // Those of the applications' ledger alone.

    /** {@code kill -9} of a consumer process in the middle of its handlers; once in three times while the stores are down. */
    HANDLER_KILLED,
    /** A consumer process ends in an orderly way; once in three times while the stores are down. */
    DEPLOY,
    /** Connections to the broker, or to the server, are closed, and refused for a while; or its answers are lost. */
    BROKER_CUT;

    /** As it is written in settings. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException when there is none */
    static FaultKind of(String id) {
        return Arrays.stream(values())
                .filter(kind -> kind.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind of fault " + id + "; there are "
                        + Arrays.stream(values()).map(FaultKind::id).toList()));
    }
}
