package io.dedup.store.redis;

import io.dedup.store.DedupStoreException;
import java.util.List;

/**
 * Runs scripts, single or many on their way at once. Thread-safe.
 *
 * <p>How many: enough to keep a server busy, few enough for others on the same connection to get in.
 */
final class ScriptRunner {
    private static final int WAVE_OF_BATCHES = 8;
    private static final int WAVE_OF_KEYS = 500;

    private final Exchange exchange;
    private final RedisErrors errors;
    private final Runnable scriptsGone;

    /** @param scriptsGone called when a server has forgotten a script, and so perhaps more than that; may throw */
    ScriptRunner(Exchange exchange, RedisErrors errors, Runnable scriptsGone) {
        this.exchange = exchange;
        this.errors = errors;
        this.scriptsGone = scriptsGone;
    }

    /** @throws DedupStoreException when there is no answer */
    <T> T run(RedisLink link, ScriptCall<T> call, Replication replication) {
        exchange.refuseIfInterrupted(call.operation());
        wave(link, List.of(call), replication).run();
        DedupStoreException failure = call.failure();
        if (failure != null) {
            throw failure;
        }
        return call.answer();
    }

    /** Every call has an answer or a failure afterwards. */
    void runAll(RedisLink link, List<? extends ScriptCall<?>> calls, Replication replication) {
        int size = link.isCluster() ? WAVE_OF_KEYS : WAVE_OF_BATCHES;
        for (int from = 0; from < calls.size(); from += size) {
            int to = Math.min(calls.size(), from + size);
            exchange.refuseIfInterrupted(calls.get(from).operation());
            List<? extends ScriptCall<?>> some = calls.subList(from, to);
            wave(link, some, replication).run();
            if (some.stream().anyMatch(call -> call.failure() != null)) {
                giveUp(calls.subList(to, calls.size())); // each wave more would wait as long again
                return;
            }
        }
    }

    private void giveUp(List<? extends ScriptCall<?>> calls) {
        calls.forEach(call -> call.failed(errors.notTried(call.operation())));
    }

    private ScriptWave wave(RedisLink link, List<? extends ScriptCall<?>> calls, Replication replication) {
        return new ScriptWave(link, calls, replication, exchange, errors, scriptsGone);
    }
}
