package io.dedup.testservers.redis;

/** A primary and a replica, and interruptions of their replication. */
final class Replication {

    private Replication() {}

    /**
     * From now on the primary's writes don't reach the replica, which is paused. To be resumed when the primary is gone:
     * it hasn't got what was on its way either.
     */
    static void holdBack(RedisServer primary, RedisServer replica) {
        replica.pause();
        // Else the replica finds what was sent meanwhile in its socket.
        primary.command("CLIENT", "KILL", "TYPE", "replica");
    }

    static void awaitPrimary(RedisServer server) {
        Await.until("promotion of the replica", () -> server.command("ROLE").startsWith("master"));
    }

    /** Waits until the replica has got all that the primary had. */
    static void awaitReplica(RedisServer primary, RedisServer replica) {
        Await.until("the replica follows the primary", () -> {
            String info = replica.command("INFO", "replication");
            return info.contains("role:slave")
                    && info.contains("master_port:" + primary.port())
                    && info.contains("master_link_status:up");
        });
        Await.until(
                "the primary knows its replica",
                () -> primary.command("INFO", "replication").contains("connected_slaves:1"));
    }
}
