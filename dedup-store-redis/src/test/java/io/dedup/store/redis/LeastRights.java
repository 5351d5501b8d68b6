package io.dedup.store.redis;

import io.dedup.testservers.redis.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A user who may do what the README says that a store needs, and nothing else. */
final class LeastRights {
    static final List<String> COMMANDS =
            List.of("get", "set", "mget", "del", "pttl", "pexpire", "time", "eval", "evalsha");

    /** For the operators' commands findStuck, erase and forgetAll. */
    static final List<String> OPERATORS = List.of("info", "scan", "getrange", "unlink");

    /** For packed records. */
    static final List<String> PACKED = List.of("hget", "hset", "hdel", "hlen", "hscan", "persist", "object");

    private LeastRights() {}

    /**
     * Creates the user {@code app}, and returns where he connects to.
     *
     * @param keys the pattern of the keys that he may use
     */
    static RedisURI grant(RedisServer server, String keys, List<String> commands) {
        List<String> rule = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">pw", "~" + keys));
        commands.forEach(command -> rule.add("+" + command));
        server.command(rule.toArray(String[]::new));
        return RedisURI.create("redis://app:pw@127.0.0.1:" + server.port());
    }

    static List<String> all() {
        List<String> all = new ArrayList<>(COMMANDS);
        all.addAll(OPERATORS);
        return all;
    }

    static List<String> without(String... commands) {
        List<String> rest = all();
        rest.removeAll(Arrays.asList(commands));
        return rest;
    }

    /** A client that speaks this version of the protocol; by default, Lettuce chooses. */
    static RedisClient client(ProtocolVersion version) {
        RedisClient client = RedisClient.create();
        client.setOptions(ClientOptions.builder()
                .protocolVersion(version)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        return client;
    }
}
