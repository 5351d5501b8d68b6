package io.dedup.store.redis.internal.script;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Runs scripts, single or pipelined. Thread-safe.
 *
 * <p>A pipeline has enough calls to keep a server busy, and few enough to let others use the same connection.
 */
public final class ScriptRunner {
    private static final int PIPELINE_OF_BATCHES = 8;
    private static final int PIPELINE_OF_KEYS = 500;

    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final Runnable scriptsGone;

    /**
     * Creates a runner.
     *
     * @param scriptsGone called if a server does not know a script, and may therefore have lost more than that; may
     *     throw
     */
    public ScriptRunner(CommandExchange exchange, RedisErrors errors, Runnable scriptsGone) {
        this.exchange = exchange;
        this.errors = errors;
        this.scriptsGone = scriptsGone;
    }

    /** @throws DedupStoreException when there is no answer */
    public <T> T run(RedisLink link, ScriptCall<T> call, ReplicaConfirmation confirmation) {
        send(link, List.of(call), confirmation);
        DedupStoreException failure = call.failure();
        if (failure != null) {
            throw failure;
        }
        return call.answer();
    }

    /**
     * Runs calls; afterwards, every call has an answer or a failure. After a server has failed, further calls to it are
     * not sent, because each further pipeline would wait as long again. Calls to other servers are sent: otherwise one
     * failed server would end all leases.
     */
    public void runAll(RedisLink link, List<? extends ScriptCall<?>> calls, ReplicaConfirmation confirmation) {
        int size = link.isCluster() ? PIPELINE_OF_KEYS : PIPELINE_OF_BATCHES;
        if (calls.size() <= size) { // nearly always
            send(link, calls, confirmation);
            return;
        }
        Set<Object> failed = new HashSet<>();
        for (int from = 0; from < calls.size(); from += size) {
            List<? extends ScriptCall<?>> some = calls.subList(from, Math.min(calls.size(), from + size));
            if (!failed.isEmpty()) {
                boolean interrupted = Thread.currentThread().isInterrupted();
                some = withoutGivenUp(some, call -> interrupted || failed.contains(link.serverOf(call.firstKey())));
            }
            send(link, some, confirmation);
            for (ScriptCall<?> call : some) {
                if (call.failure() != null) {
                    failed.add(link.serverOf(call.firstKey()));
                }
            }
        }
    }

    private List<? extends ScriptCall<?>> withoutGivenUp(
            List<? extends ScriptCall<?>> calls, Predicate<ScriptCall<?>> givenUp) {
        List<ScriptCall<?>> rest = new ArrayList<>();
        for (ScriptCall<?> call : calls) {
            if (givenUp.test(call)) {
                call.failed(errors.notTried(call.operation()));
            } else {
                rest.add(call);
            }
        }
        return rest;
    }

    private void send(RedisLink link, List<? extends ScriptCall<?>> calls, ReplicaConfirmation confirmation) {
        if (!calls.isEmpty()) {
            exchange.refuseIfInterrupted(calls.get(0).operation());
            new ScriptPipeline(link, calls, confirmation, exchange, errors, scriptsGone).run();
        }
    }
}
