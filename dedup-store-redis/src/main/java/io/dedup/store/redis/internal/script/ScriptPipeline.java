package io.dedup.store.redis.internal.script;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Script calls that are sent together: by digest, and again with their source if the server does not know the script
 * (after a restart, a failover, or {@code SCRIPT FLUSH}). Used by one thread.
 */
final class ScriptPipeline {
    /** By digest, then with source, and one more for a slot that moves in between. */
    private static final int MAX_SENDS = 3;

    private final RedisLink link;
    private final List<? extends ScriptCall<?>> calls;
    private final ReplicaConfirmation confirmation;
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final Runnable scriptsGone;
    private final long deadline;
    private boolean forgotten;

    ScriptPipeline(
            RedisLink link,
            List<? extends ScriptCall<?>> calls,
            ReplicaConfirmation confirmation,
            CommandExchange exchange,
            RedisErrors errors,
            Runnable scriptsGone) {
        this.link = link;
        this.calls = calls;
        this.confirmation = confirmation;
        this.exchange = exchange;
        this.errors = errors;
        this.scriptsGone = scriptsGone;
        this.deadline = exchange.deadline();
    }

    /** Returns when every call has an answer or a failure. */
    void run() {
        calls.forEach(ScriptCall::useDigest);
        List<? extends ScriptCall<?>> sent = calls;
        for (int sends = 1; !sent.isEmpty(); sends++) {
            AsyncCommand<byte[], byte[], Long> wait = send(sent, sends > 1);
            List<ScriptCall<?>> open = collect(sent, sends < MAX_SENDS);
            if (wait != null) {
                confirm(wait, sent, open);
            }
            sent = open;
        }
    }

    /**
     * Sends calls.
     *
     * @param again one by one if possible, so that a cluster connection looks up the node again
     * @return what confirms these calls, if that is wanted. It is sent together with them: it would otherwise be sent on
     *     the next connection if this one breaks in between, and be confirmed for another server
     */
    private @Nullable AsyncCommand<byte[], byte[], Long> send(List<? extends ScriptCall<?>> some, boolean again) {
        AsyncCommand<byte[], byte[], Long> wait = confirmation.isWanted() ? confirmation.newWait() : null;
        try {
            if (forgotten) {
                forgotten = false;
                scriptsGone.run();
            }
            if (wait == null && (again || (some.size() == 1 && !link.isCluster()))) {
                for (ScriptCall<?> call : some) {
                    link.send(call.command());
                }
            } else {
                List<AsyncCommand<byte[], byte[], ?>> commands = new ArrayList<>(some.size() + 1);
                some.forEach(call -> commands.add(call.command()));
                if (wait != null) {
                    commands.add(wait);
                }
                link.sendAll(commands);
            }
        } catch (RuntimeException e) { // has no effect on commands that were sent or answered
            some.forEach(call -> call.command().completeExceptionally(e));
        }
        return wait;
    }

    /** Waits for all answers, and returns the calls to send again, each with a new command. */
    private List<ScriptCall<?>> collect(List<? extends ScriptCall<?>> sent, boolean mayResend) {
        List<ScriptCall<?>> open = List.of();
        for (ScriptCall<?> call : sent) {
            if (!settle(call, mayResend)) {
                if (open.isEmpty()) {
                    open = new ArrayList<>();
                }
                open.add(call);
            }
        }
        return open;
    }

    private <T> boolean settle(ScriptCall<T> call, boolean mayResend) {
        try {
            T answer = exchange.answer(call.operation(), call.command(), deadline);
            if (answer == null) {
                call.failed(errors.refused(call.operation(), "nil"));
            } else {
                call.answered(answer);
            }
        } catch (RedisCommandExecutionException e) {
            if (mayResend && renewCommand(call, e)) {
                return false;
            }
            link.refused(String.valueOf(e.getMessage()));
            call.failed(errors.failed(call.operation(), e));
        } catch (Exception e) {
            call.failed(errors.failed(call.operation(), e));
        }
        return true;
    }

    private boolean renewCommand(ScriptCall<?> call, RedisCommandExecutionException e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof RedisNoScriptException) {
            forgotten = true;
            call.useSource();
            return true;
        } else if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
            call.useDigest();
            return true;
        }
        return false;
    }

    /** Waits for the replicas, before anything is sent again: only what was sent together has one confirmation. */
    private void confirm(
            AsyncCommand<byte[], byte[], Long> wait,
            List<? extends ScriptCall<?>> sent,
            List<? extends ScriptCall<?>> open) {
        // A call that failed keeps its own reason: it wrote nothing that replicas could confirm.
        List<? extends ScriptCall<?>> answered = sent.stream()
                .filter(call -> call.failure() == null && !open.contains(call))
                .toList();
        if (answered.isEmpty()) {
            wait.cancel(true);
            return;
        }
        String operation = calls.get(0).operation();
        DedupStoreException problem = null;
        try {
            Long confirmed = exchange.answer(operation, wait, deadline);
            if (confirmed == null || confirmed < confirmation.replicas()) {
                problem = errors.unconfirmed(operation, confirmation.replicas(), "only " + confirmed, null);
            }
        } catch (Exception e) {
            problem = errors.unconfirmed(operation, confirmation.replicas(), "an unknown number", e);
        }
        if (problem != null) {
            for (ScriptCall<?> call : answered) {
                call.failed(problem);
            }
        }
    }
}
