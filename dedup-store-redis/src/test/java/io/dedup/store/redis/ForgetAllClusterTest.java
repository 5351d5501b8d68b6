package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** In a cluster every slot is looked through, or it is an error. */
class ForgetAllClusterTest {
    /** Of the first master, by the way in which the servers share the slots. */
    private static final String SLOT = "7";

    private final Messages messages = new Messages();
    private RedisCluster cluster;
    private RedisDedupStore store;

    @BeforeEach
    void start() {
        cluster = RedisServers.startCluster(RedisBinary.embedded());
        store = Stores.builder()
                .clusterUris(cluster.uris().stream().map(RedisURI::create).toList())
                .build();
    }

    @AfterEach
    void stop() {
        store.close();
        cluster.close();
    }

    private int fill() {
        List<ClaimRequest> claims = Stream.concat(messages.claims(3_000).stream(), ForgetAllTest.hostile(messages))
                .toList();
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        assertThat(cluster.masters())
                .allSatisfy(master ->
                        assertThat(Integer.parseInt(master.command("DBSIZE"))).isGreaterThan(500));
        return claims.size();
    }

    private int stored() {
        return cluster.masters().stream()
                .mapToInt(master -> Integer.parseInt(master.command("DBSIZE")))
                .sum();
    }

    private void assertRefused(String because) {
        assertThatThrownBy(store::forgetAll)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining(because)
                .hasMessageContaining("Repeat the call");
    }

    @Test
    @DisplayName("the records of all nodes go, also from where slots have gone since the store was opened")
    void allNodes() {
        RedisServer from = cluster.masters().get(0);
        RedisServer to = cluster.masters().get(1);
        String target = to.command("CLUSTER", "MYID");
        for (RedisServer master : List.of(to, from)) {
            master.command("CLUSTER", "SETSLOT", SLOT, "NODE", target);
        }
        int count = fill();
        await().untilAsserted(() ->
                assertThat(cluster.masters().get(2).command("CLUSTER", "NODES")).contains(" 0-6 8-"));

        assertThat(store.forgetAll()).isEqualTo(count);

        assertThat(stored()).as("the retention").isEqualTo(1);
        store.ping();
        assertThat(store.forgetAll()).isZero();
    }

    @Test
    @DisplayName("while slots are being moved it is an error: a record could move behind its back")
    void movingSlots() {
        int count = fill();
        RedisServer from = cluster.masters().get(0);
        from.command(
                "CLUSTER",
                "SETSLOT",
                SLOT,
                "MIGRATING",
                cluster.masters().get(1).command("CLUSTER", "MYID"));

        assertRefused("slots are being migrated");
        assertThat(stored()).isEqualTo(count + 1);

        from.command("CLUSTER", "SETSLOT", SLOT, "STABLE");
        cluster.masters().get(1).command("CLUSTER", "SETSLOT", SLOT, "IMPORTING", from.command("CLUSTER", "MYID"));
        assertRefused("slots are being migrated");
        assertThat(stored()).isEqualTo(count + 1);
    }

    @Test
    @DisplayName("a slot that nobody serves is an error, whoever knows of it")
    void slotWithoutNode() {
        fill();
        cluster.masters().get(0).command("CLUSTER", "DELSLOTS", SLOT);
        assertThatThrownBy(store::forgetAll).isInstanceOf(DedupStoreException.class);

        cluster.masters().forEach(master -> {
            master.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
            if (master != cluster.masters().get(0)) {
                master.command("CLUSTER", "DELSLOTS", SLOT);
            }
        });
        await().untilAsserted(() -> assertRefused("do not serve all slots"));

        cluster.masters().get(0).command("CLUSTER", "ADDSLOTS", SLOT);
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .until(() -> store.forgetAll() >= 0 && stored() <= 1);
    }

    @Test
    @DisplayName("a node that doesn't answer is an error, and what it holds goes with the next call")
    void nodeDown() {
        fill();
        try (RedisDedupStore hasty = RedisDedupStore.builder()
                .clusterUris(cluster.uris().stream().map(RedisURI::create).toList())
                .build()) {
            cluster.masters().get(2).pause();
            try {
                assertThatThrownBy(hasty::forgetAll)
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("Repeat the call");
            } finally {
                cluster.masters().get(2).resume();
            }
        }
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .until(() -> store.forgetAll() >= 0 && stored() <= 1);
    }
}
