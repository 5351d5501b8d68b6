package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;

/** A master of a cluster that dies, and whose replica takes over. */
@Order(1) // takes long
class ClusterFailoverTest {

    private final Messages messages = new Messages();

    @OnEachVersion
    @DisplayName("D2 through a cluster's failover nothing is acquired twice, and what was replicated is still there")
    void failover(RedisVersion version) {
        try (RedisCluster cluster = RedisServers.startCluster(version.binary());
                RedisServer replica = version.server()
                        .config("cluster-enabled", "yes")
                        .config("cluster-node-timeout", "5000") // as the masters
                        // On a busy machine the first elections may fail. After 30 s the replica would call its data
                        // too old.
                        .config("cluster-replica-validity-factor", "0")
                        .start();
                RedisDedupStore store = Stores.builder()
                        .clusterUris(
                                cluster.uris().stream().map(RedisURI::create).toList())
                        .build()) {
            RedisServer master = cluster.masters().get(0);
            follow(replica, master);
            List<ClaimRequest> done = messages.claims(60);
            List<ClaimRequest> held = messages.claims(60);
            assertThat(store.claim(done)).allSatisfy(ClusterFailoverTest::assertFirst);
            assertThat(store.complete(done.stream().map(Messages::complete).toList()))
                    .containsOnly(WriteResult.applied());
            assertThat(store.claim(held)).allSatisfy(ClusterFailoverTest::assertFirst);
            await().until(() -> replica.command("DBSIZE").equals(master.command("DBSIZE")));

            master.kill();

            List<ClaimRequest> meanwhile = messages.claims(60);
            assertThat(store.claim(meanwhile))
                    .hasAtLeastOneElementOfType(ClaimResult.StoreError.class)
                    .allMatch(answer ->
                            answer instanceof ClaimResult.StoreError || answer instanceof ClaimResult.Acquired);
            await().until(() -> replica.command("INFO", "replication").contains("role:master"));
            // Those whose answer was lost are recognized as the caller's own.
            await().untilAsserted(
                            () -> assertThat(store.claim(meanwhile)).allSatisfy(ClusterFailoverTest::assertFirst));
            assertThat(store.renew(held.stream().map(Messages::renew).toList()))
                    .as("on the heartbeat's connection, which may notice later")
                    .allMatch(answer -> !answer.equals(WriteResult.leaseLost()));
            await().untilAsserted(() -> assertThat(
                            store.renew(held.stream().map(Messages::renew).toList()))
                    .containsOnly(WriteResult.applied()));
            // Nodes agree on the new master one after the other: errors until then, and never another answer.
            await().untilAsserted(() -> {
                List<ClaimResult> copies = store.claim(done.stream()
                        .map(request -> Messages.claim(request.key()))
                        .toList());
                assertNoneAcquired(copies);
                assertThat(copies).allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.AlreadyDone.class));
            });
            for (ClaimRequest request : held) {
                await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                        .untilAsserted(() -> assertThat(
                                        Messages.only(store.claim(List.of(Messages.unfenced(request.key())))))
                                .isInstanceOf(ClaimResult.InFlight.class));
                await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                        .untilAsserted(() -> assertThat(
                                        Messages.only(store.complete(List.of(Messages.complete(request, null, true)))))
                                .isEqualTo(WriteResult.applied()));
            }
        }
    }

    /** Not to be waited out: a copy that was acquired once is one too many. */
    private static void assertNoneAcquired(List<ClaimResult> answers) {
        if (answers.stream().anyMatch(ClaimResult.Acquired.class::isInstance)) {
            throw new IllegalStateException("acquired a second time: " + answers);
        }
    }

    private static void follow(RedisServer replica, RedisServer master) {
        replica.command("CLUSTER", "MEET", master.host(), Integer.toString(master.port()));
        String id = master.command("CLUSTER", "MYID");
        await().until(() -> replica.command("CLUSTER", "NODES").contains(id)
                && replica.command("CLUSTER", "INFO").contains("cluster_state:ok"));
        replica.command("CLUSTER", "REPLICATE", id);
        await().until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
        // The other masters vote for it only when they know whose replica it is.
        await().until(() -> master.command("CLUSTER", "NODES").contains("slave " + id));
    }

    private static void assertFirst(ClaimResult answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimResult.Acquired.class,
                        acquired -> assertThat(acquired.attempt()).isEqualTo(1));
    }
}
