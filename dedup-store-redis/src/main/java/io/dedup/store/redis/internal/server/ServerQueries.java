package io.dedup.store.redis.internal.server;

import io.dedup.store.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.SingleLink;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/** Asks servers about themselves. */
public final class ServerQueries {
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final String operation;

    public ServerQueries(CommandExchange exchange, RedisErrors errors, String operation) {
        this.exchange = exchange;
        this.errors = errors;
        this.operation = operation;
    }

    /** @throws DedupStoreException when it isn't a master, or doesn't say which process it is */
    public MasterFacts master(StatefulRedisConnection<byte[], byte[]> server) {
        return requireMaster(ask(server, newInfo()));
    }

    public MasterFacts requireMaster(String info) {
        MasterFacts facts = MasterFacts.parse(info);
        if (!facts.isMaster()) {
            throw unclear("a server that should hold the records is no master");
        }
        if (facts.runId().isEmpty()) {
            throw unclear("a server doesn't tell its run_id in INFO. Take another namespace instead");
        }
        return facts;
    }

    /** The cluster as this node sees it. */
    String clusterNodes(StatefulRedisConnection<byte[], byte[]> server) {
        return ask(server, text(CommandType.CLUSTER, "NODES"));
    }

    String clusterInfo(StatefulRedisConnection<byte[], byte[]> server) {
        return ask(server, text(CommandType.CLUSTER, "INFO"));
    }

    public AsyncCommand<byte[], byte[], String> newInfo() {
        return text(CommandType.INFO, null);
    }

    public DedupStoreException unclear(String problem) {
        return errors.problem(operation, problem);
    }

    private String ask(StatefulRedisConnection<byte[], byte[]> server, AsyncCommand<byte[], byte[], String> question) {
        String answer = exchange.call(new SingleLink(server), operation, question);
        return answer == null ? "" : answer;
    }

    private static AsyncCommand<byte[], byte[], String> text(CommandType type, @Nullable String what) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        if (what != null) {
            args.add(what);
        }
        return new AsyncCommand<>(new Command<>(type, new StatusOutput<>(ByteArrayCodec.INSTANCE), args));
    }
}
