package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.subject.Exchange;
import io.dedup.benchmarks.subject.IdSlots;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Captured commands, sent by Lettuce's own classes on one connection. Thread-safe. */
record LettuceExchange(StatefulRedisConnection<byte[], byte[]> connection, List<CapturedCommand> commands)
        implements Exchange {
    private static final long TIMEOUT_SECONDS = 10;

    /**
     * Takes what was captured.
     *
     * @param captured the IDs that it was captured with
     */
    static LettuceExchange of(
            StatefulRedisConnection<byte[], byte[]> connection, List<List<byte[]>> words, List<String> captured) {
        IdSlots slots = new IdSlots(captured);
        List<CapturedCommand> commands = words.stream()
                .map(each -> CapturedCommand.of(each, slots))
                .filter(CapturedCommand::holdsIds)
                .toList();
        if (commands.isEmpty()) {
            throw new IllegalStateException("the store sent no command with an ID in it");
        }
        return new LettuceExchange(connection, commands);
    }

    @Override
    public void send(List<String> ids) {
        if (commands.size() == 1) {
            await(dispatch(commands.get(0), ids));
            return;
        }
        List<AsyncCommand<byte[], byte[], List<Object>>> sent = new ArrayList<>(commands.size());
        for (CapturedCommand command : commands) {
            sent.add(dispatch(command, ids));
        }
        sent.forEach(LettuceExchange::await);
    }

    private AsyncCommand<byte[], byte[], List<Object>> dispatch(CapturedCommand command, List<String> ids) {
        AsyncCommand<byte[], byte[], List<Object>> next = command.forMessages(ids);
        connection.dispatch(next);
        return next;
    }

    private static void await(AsyncCommand<byte[], byte[], List<Object>> command) {
        try {
            List<Object> ignored = command.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("no answer from Redis", e);
        }
    }
}
