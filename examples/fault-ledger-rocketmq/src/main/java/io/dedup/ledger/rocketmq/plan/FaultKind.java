package io.dedup.ledger.rocketmq.plan;

import java.util.Arrays;
import java.util.Locale;

/** What goes wrong. */
public enum FaultKind {
    /** {@code kill -9} of a consumer process, which is started again at once. */
    KILL,
    /** A consumer process ends in an orderly way, and is started again. */
    DEPLOY,
    /** SIGSTOP of a consumer process for longer than its leases. */
    PAUSE,
    /** {@code kill -9} of name server, broker and proxy, which are started again. */
    BROKER_KILL,
    /** Name server, broker and proxy end in an orderly way, and are started again. */
    BROKER_RESTART,
    /** Connections between consumers and the proxy are closed and refused, or hang, or are half open, or lose replies. */
    BROKER_CUT,
    /** The stores are stopped and started; or killed and started. They forget nothing. */
    STORE_RESTART,
    /** The stores' records are deleted, if that is possible without deleting the effects. */
    STORE_FLUSH,
    /** Connections to the stores are closed and refused for a while, or hang for a while, or are half open. */
    STORE_CUT,
    /** The stores answer later for a while. */
    STORE_SLOW,
    /** The stores execute requests, and the answers are lost with the connections. */
    LOST_REPLIES,
    /** A handler takes longer than the lease, and a copy of its message arrives in another lane meanwhile. */
    SLOW,
    /** Handlers fail once or twice in each process. */
    FAIL,
    /** A handler always fails, and its message ends among the dead letters. */
    POISON;

    /** As it is written in settings. */
    String id() {
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
