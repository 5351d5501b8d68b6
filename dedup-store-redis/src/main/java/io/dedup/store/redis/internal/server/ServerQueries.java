package io.dedup.store.redis.internal.server;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.SingleLink;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Queries facts about servers.
 *
 * <p>A question changes nothing. So where its connection breaks, it is asked again on the one that the driver opens
 * next, for as long as a command may take. Whether that one reaches the same process, the caller sees by the run ID.
 */
public final class ServerQueries {
    private static final long PAUSE_MILLIS = 50;

    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final String operation;

    /**
     * Creates the queries of an operation.
     *
     * @param operation the operation that needs the facts; for messages
     */
    public ServerQueries(CommandExchange exchange, RedisErrors errors, String operation) {
        this.exchange = exchange;
        this.errors = errors;
        this.operation = operation;
    }

    public ServerFacts server(StatefulRedisConnection<byte[], byte[]> server) {
        return ServerFacts.parse(ask(server, this::newInfo));
    }

    /** @throws DedupStoreException if it is not a master, or does not report its run ID */
    public MasterFacts master(StatefulRedisConnection<byte[], byte[]> server) {
        return requireMaster(ask(server, this::newInfo));
    }

    /**
     * Reads the answer to {@link #newInfo} of a master.
     *
     * @throws DedupStoreException if it is not a master, or does not report its run ID
     */
    public MasterFacts requireMaster(String info) {
        MasterFacts facts = MasterFacts.parse(info);
        if (!facts.isMaster()) {
            throw unclear("a server that should hold the records is not a master");
        }
        if (facts.runId().isEmpty()) {
            throw unclear("a server does not report its run_id in INFO. Use another namespace instead");
        }
        return facts;
    }

    /** The cluster as this node sees it. */
    ClusterView cluster(StatefulRedisConnection<byte[], byte[]> server) {
        return ClusterView.parse(
                ask(server, () -> text(CommandType.CLUSTER, Commands.args().add("NODES"))));
    }

    /** Whether this node considers the cluster able to serve. */
    boolean isClusterOk(StatefulRedisConnection<byte[], byte[]> server) {
        return ask(server, () -> text(CommandType.CLUSTER, Commands.args().add("INFO")))
                .contains("cluster_state:ok");
    }

    public AsyncCommand<byte[], byte[], String> newInfo() {
        return text(CommandType.INFO, Commands.args());
    }

    public DedupStoreException unclear(String problem) {
        return errors.problem(operation, problem);
    }

    /**
     * Asks, again where the connection breaks.
     *
     * @param question sends new commands each time
     */
    public <T> T ask(Supplier<T> question) {
        long deadline = exchange.deadline();
        while (true) {
            try {
                return question.get();
            } catch (DedupStoreException e) {
                if (!RedisErrors.isBrokenConnection(e) || deadline - System.nanoTime() <= 0) {
                    throw e;
                }
            }
            pause();
        }
    }

    /** Waits for a moment until a server is asked once more. */
    public void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw errors.interrupted(operation, e);
        }
    }

    private String ask(
            StatefulRedisConnection<byte[], byte[]> server, Supplier<AsyncCommand<byte[], byte[], String>> question) {
        SingleLink link = new SingleLink(server);
        return ask(() -> Objects.requireNonNullElse(exchange.call(link, operation, question.get()), ""));
    }

    private static AsyncCommand<byte[], byte[], String> text(CommandType type, CommandArgs<byte[], byte[]> args) {
        return Commands.newCommand(type, new StatusOutput<>(ByteArrayCodec.INSTANCE), args);
    }
}
