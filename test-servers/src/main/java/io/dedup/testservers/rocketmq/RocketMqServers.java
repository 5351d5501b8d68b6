package io.dedup.testservers.rocketmq;

/** Entry to everything about RocketMQ. Thread-safe. */
public final class RocketMqServers {

    private RocketMqServers() {}

    /** The server that the tests of this JVM share; use topics and groups of your own. Always an embedded one. */
    public static RocketMqServer shared() {
        return Shared.SERVER;
    }

    /** A new server, with defaults. */
    public static RocketMqServer start() {
        return builder().start();
    }

    /** A builder of a new server. */
    public static RocketMqServer.Builder builder() {
        return RocketMqServer.builder();
    }

    private static final class Shared {
        static final RocketMqServer SERVER = start();
    }
}
