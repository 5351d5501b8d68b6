package io.dedup.store.redis.internal.connection;

import io.dedup.DedupStoreException;
import io.dedup.text.Causes;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends a command and waits for its answer, for at most the command timeout. Every failure is reported as an exception.
 */
public final class CommandExchange {
    private final RedisErrors errors;
    private final long timeoutNanos;

    public CommandExchange(RedisErrors errors, Duration commandTimeout) {
        this.errors = errors;
        this.timeoutNanos = commandTimeout.toNanos();
    }

    /** When a call that starts now must end, by {@link System#nanoTime}. */
    public long deadline() {
        return System.nanoTime() + timeoutNanos;
    }

    /**
     * Sends a command and waits for its answer.
     *
     * @return the answer; null if the server has none
     */
    public <T> @Nullable T call(RedisLink link, String operation, AsyncCommand<byte[], byte[], T> command) {
        refuseIfInterrupted(operation);
        long deadline = deadline();
        try {
            link.send(command);
            return answer(operation, command, deadline);
        } catch (DedupStoreException e) {
            throw e;
        } catch (RedisCommandExecutionException e) {
            link.refused(String.valueOf(e.getMessage()));
            throw errors.failed(operation, e);
        } catch (Exception e) {
            throw errors.failed(operation, e);
        }
    }

    /**
     * Throws if the thread is interrupted. Call this before sending: otherwise the server could apply a command whose
     * answer nobody waits for.
     */
    public void refuseIfInterrupted(String operation) {
        if (Thread.currentThread().isInterrupted()) {
            throw errors.interrupted(operation, new InterruptedException("interrupted before the call"));
        }
    }

    /**
     * Waits for the answer of a command that was sent. An interrupt ends the wait; the thread's flag stays set.
     *
     * @throws DedupStoreException after the deadline or an interrupt
     * @throws Exception what the driver or the server says
     */
    public <T> @Nullable T answer(String operation, AsyncCommand<byte[], byte[], T> command, long deadline)
            throws Exception {
        try {
            return command.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            command.cancel(true);
            throw errors.timedOut(operation);
        } catch (InterruptedException e) {
            command.cancel(true);
            Thread.currentThread().interrupt();
            throw errors.interrupted(operation, e);
        } catch (CancellationException e) {
            throw errors.failed(operation, e);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        }
    }

    private static Exception unwrapped(ExecutionException e) {
        Throwable cause = Causes.unwrapped(e);
        return cause instanceof Exception exception ? exception : e;
    }
}
