package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Where keys go in a cluster, and what happens when slots or nodes go away. */
class ClusterSlotsTest {
    private static RedisCluster cluster;
    private final Messages messages = new Messages();
    private RedisDedupStore store;

    @BeforeAll
    static void startCluster() {
        cluster = RedisServers.startCluster(RedisBinary.embedded());
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void open() {
        // A machine that stood still for a moment, or the test before, may have made the nodes lose each other.
        await().until(() -> cluster.masters().stream()
                .allMatch(master -> master.command("CLUSTER", "INFO").contains("cluster_state:ok")));
        store = Stores.builder().clusterUris(uris()).build();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static List<RedisURI> uris() {
        return cluster.uris().stream().map(RedisURI::create).toList();
    }

    @Test
    @DisplayName("D6 IDs that share a hash tag are spread over all nodes")
    void spread() {
        int count = 300;
        List<ClaimRequest> claims = IntStream.range(0, count)
                .mapToObj(i -> Messages.claim(messages.key("{tenant}" + i)))
                .toList();
        cluster.masters().forEach(master -> master.command("FLUSHALL"));

        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));

        for (RedisServer master : cluster.masters()) {
            assertThat(Integer.parseInt(master.command("DBSIZE"))).isBetween(count / 5, count / 2);
        }
    }

    @Test
    @DisplayName("D6 the whole key decides the slot, whatever braces namespace, scope and ID hold")
    void wholeKey() {
        RecordKeys keys = new RecordKeys("dedup");
        for (String id : List.of("plain", "{a}", "}{", "{", "}", "{}", "a{b}c{d}", "{{x}}")) {
            for (DedupScope scope : List.of(DedupScope.of("c", "t"), DedupScope.of("{c}", "{t}"))) {
                byte[] key = keys.key(scope.key(id));
                assertThat(SlotHash.getSlot(key))
                        .as(new String(key, StandardCharsets.UTF_8))
                        .isEqualTo(crc16(key) % 16_384);
            }
        }
    }

    @Test
    @DisplayName("D6 different scopes and IDs have different keys, however they are put together")
    void unambiguous() {
        RecordKeys keys = new RecordKeys("dedup");
        List<DedupKey> all = List.of(
                DedupScope.of("a", "b").key("c:d"),
                DedupScope.of("a", "b:c").key("d"),
                DedupScope.of("a", "b:c:d").key("e"),
                DedupScope.of("a:b", "c").key("d"),
                DedupScope.of("1:a", "b").key("c"),
                DedupScope.of("ä", "b").key("c"),
                DedupScope.of("a", "b").key("6:a:b:c"));

        Map<String, Long> stored = all.stream()
                .map(key -> new String(keys.key(key), StandardCharsets.UTF_8))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

        assertThat(stored).hasSize(all.size());
    }

    @Test
    @DisplayName("a slot that has moved to another node is found there, single and in a batch")
    void movedSlot() {
        // A slot with keys of other tests isn't moved by name alone.
        DedupKey key = Stream.generate(messages::key)
                .filter(candidate -> cluster.masters().stream()
                        .allMatch(master -> master.command(
                                        "CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot(candidate)))
                                .equals("0")))
                .findFirst()
                .orElseThrow();
        int slot = slot(key);
        RedisServer from = owner(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> master != from)
                .findFirst()
                .orElseThrow();
        String target = to.command("CLUSTER", "MYID");
        for (RedisServer master : List.of(to, from)) {
            master.command("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", target);
        }

        List<ClaimRequest> batch = List.of(Messages.claim(key), Messages.claim(messages.key()));
        assertThat(store.claim(batch))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        assertThat(to.command("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot)))
                .isEqualTo("1");
        assertThat(Messages.only(store.complete(List.of(Messages.complete(batch.get(0))))))
                .isEqualTo(WriteResult.applied());
    }

    @Test
    @DisplayName("while a slot is being moved, its records are completed and released where they still are")
    void movingSlot() {
        ClaimRequest completed = Messages.claim(messages.key());
        ClaimRequest released = Messages.claim(messages.key());
        ClaimRequest renewed = Messages.claim(messages.key());
        List<ClaimRequest> claims = List.of(completed, released, renewed);
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        claims.forEach(claim -> beginMove(slot(claim.key())));
        try {
            assertThat(Messages.only(store.complete(List.of(Messages.complete(completed)))))
                    .isEqualTo(WriteResult.applied());
            assertThat(Messages.only(store.release(List.of(Messages.release(released, ReleaseMode.STARTED)))))
                    .isEqualTo(WriteResult.applied());
            assertThat(Messages.only(store.renew(List.of(Messages.renew(renewed)))))
                    .isEqualTo(WriteResult.applied());

            assertThat(Messages.only(store.claim(List.of(Messages.claim(completed.key())))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(released.key())))))
                    .isInstanceOfSatisfying(
                            ClaimResult.Acquired.class,
                            acquired -> assertThat(acquired.attempt()).isEqualTo(2));
            assertThat(Messages.only(store.claim(List.of(Messages.claim(renewed.key())))))
                    .isInstanceOf(ClaimResult.InFlight.class);
        } finally {
            claims.forEach(claim -> cluster.masters()
                    .forEach(master ->
                            master.command("CLUSTER", "SETSLOT", Integer.toString(slot(claim.key())), "STABLE")));
        }
    }

    @Test
    @DisplayName("slots that move while messages are consumed: no message is lost, and none is handled twice")
    void resharding() {
        List<DedupKey> keys = Stream.generate(messages::key).limit(300).toList();
        Map<DedupKey, AtomicInteger> runs = new ConcurrentHashMap<>();
        AtomicBoolean moving = new AtomicBoolean(true);
        AtomicInteger moved = new AtomicInteger();
        CompletableFuture<Void> consumers;
        try (RedisDedupStore second = Stores.builder().clusterUris(uris()).build()) {
            consumers = CompletableFuture.allOf(
                    CompletableFuture.runAsync(() -> consume(store, keys, runs, moving)),
                    CompletableFuture.runAsync(() -> consume(second, keys, runs, moving)));
            try {
                for (int slot : slotsOf(cluster.masters().get(0), keys)) {
                    reshard(slot);
                    moved.incrementAndGet();
                }
            } finally {
                moving.set(false);
                consumers.orTimeout(2, TimeUnit.MINUTES).join();
            }
        }

        assertThat(moved).hasValue(60);
        assertThat(keys).allSatisfy(key -> {
            assertThat(runs.get(key)).hasValue(1);
            assertThat(store.find(key).orElseThrow().state()).isEqualTo(State.DONE);
        });
    }

    /** Claims, handles and completes in batches, again and again while slots move, as consumers of redelivered messages do. */
    private static void consume(
            RedisDedupStore store, List<DedupKey> keys, Map<DedupKey, AtomicInteger> runs, AtomicBoolean moving) {
        boolean more = true;
        while (more || moving.get()) {
            more = false;
            for (int from = 0; from < keys.size(); from += 25) {
                List<ClaimRequest> claims = keys.subList(from, from + 25).stream()
                        .map(Messages::claim)
                        .toList();
                List<ClaimResult> answers = store.claim(claims);
                List<CompleteRequest> completions = new ArrayList<>();
                for (int i = 0; i < claims.size(); i++) {
                    ClaimResult answer = answers.get(i);
                    for (int retries = 0; answer instanceof ClaimResult.StoreError && retries < 100; retries++) {
                        answer = store.claim(List.of(claims.get(i))).get(0); // the same owner
                    }
                    more |= !(answer instanceof ClaimResult.AlreadyDone);
                    if (answer instanceof ClaimResult.Acquired) {
                        runs.computeIfAbsent(claims.get(i).key(), any -> new AtomicInteger())
                                .incrementAndGet();
                        completions.add(Messages.complete(claims.get(i)));
                    }
                }
                List<WriteResult> written = store.complete(completions);
                for (int i = 0; i < written.size(); i++) {
                    WriteResult result = written.get(i);
                    for (int retries = 0; result instanceof WriteResult.StoreError && retries < 100; retries++) {
                        CompleteRequest first = completions.get(i);
                        result = Messages.only(store.complete(
                                List.of(new CompleteRequest(first.claim(), first.window(), first.result(), true))));
                    }
                    assertThat(result).isEqualTo(WriteResult.applied());
                }
            }
        }
    }

    /** Up to 60 slots of one master. Only its own move: a slot that goes and comes back can end with two owners. */
    private static List<Integer> slotsOf(RedisServer master, List<DedupKey> keys) {
        return keys.stream()
                .map(ClusterSlotsTest::slot)
                .distinct()
                .filter(slot -> owner(slot) == master)
                .limit(60)
                .toList();
    }

    /**
     * As {@code redis-cli --cluster reshard} moves a slot. A node takes a slot with a higher epoch only if it knows that another
     * has the highest one; if it doesn't, the slot's old owner takes the slot back with its next message.
     */
    private static void reshard(int slot) {
        await().until(() -> cluster.masters().stream()
                        .map(master -> master.command("CLUSTER", "INFO")
                                .lines()
                                .filter(line -> line.startsWith("cluster_current_epoch:"))
                                .toList())
                        .distinct()
                        .count()
                == 1);
        RedisServer from = owner(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> master != from)
                .findFirst()
                .orElseThrow();
        String number = Integer.toString(slot);
        beginMove(slot);
        for (int pass = 0; pass < 2; pass++) { // between the two, keys are on both sides
            from.command("CLUSTER", "GETKEYSINSLOT", number, "1000")
                    .lines()
                    .filter(key -> !key.isBlank())
                    .forEach(key -> from.command("MIGRATE", to.host(), Integer.toString(to.port()), key, "0", "10000"));
        }
        String target = to.command("CLUSTER", "MYID");
        for (RedisServer master : List.of(to, from)) {
            master.command("CLUSTER", "SETSLOT", number, "NODE", target);
        }
        cluster.masters().stream()
                .filter(master -> master != to && master != from)
                .forEach(master -> master.command("CLUSTER", "SETSLOT", number, "NODE", target));
    }

    @Test
    @DisplayName("while a slot is being moved, a packed completion fails and changes nothing; afterwards it is applied")
    void movingSlotPacked() {
        try (RedisDedupStore packed = Stores.builder()
                .clusterUris(uris())
                .namespace("packed-slots")
                .packed(1_000)
                .build()) {
            ClaimRequest held = Messages.acquire(packed, messages.key());
            int slot = SlotHash.getSlot(new RecordKeys("packed-slots").key(held.key()));
            beginMove(slot);
            try {
                assertThatThrownBy(() -> Messages.only(packed.complete(List.of(Messages.complete(held)))))
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("TRYAGAIN")
                        .hasMessageContaining("being moved");
                assertThat(Messages.only(packed.renew(List.of(Messages.renew(held)))))
                        .isEqualTo(WriteResult.applied());
            } finally {
                cluster.masters()
                        .forEach(master -> master.command("CLUSTER", "SETSLOT", Integer.toString(slot), "STABLE"));
            }
            assertThat(Messages.only(packed.complete(List.of(Messages.complete(held)))))
                    .isEqualTo(WriteResult.applied());
            assertThat(Messages.only(packed.claim(List.of(Messages.claim(held.key())))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    private static void beginMove(int slot) {
        RedisServer from = owner(slot);
        RedisServer to = cluster.masters().stream()
                .filter(master -> master != from)
                .findFirst()
                .orElseThrow();
        String number = Integer.toString(slot);
        to.command("CLUSTER", "SETSLOT", number, "IMPORTING", from.command("CLUSTER", "MYID"));
        from.command("CLUSTER", "SETSLOT", number, "MIGRATING", to.command("CLUSTER", "MYID"));
    }

    private static RedisServer owner(int slot) {
        return cluster.masters().stream()
                .filter(master -> serves(master, slot))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("every key goes to its node at once: none is redirected, single or in a batch")
    void noRedirections() {
        cluster.masters().forEach(master -> master.command("CONFIG", "RESETSTAT"));

        List<ClaimRequest> batch = messages.claims(60);
        assertThat(store.claim(batch))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        assertThat(store.complete(batch.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
        for (ClaimRequest request : messages.claims(12)) {
            assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
            assertThat(Messages.only(store.renew(List.of(Messages.renew(request)))))
                    .isEqualTo(WriteResult.applied());
        }

        assertThat(cluster.masters())
                .allSatisfy(master ->
                        assertThat(master.command("INFO", "errorstats")).doesNotContain("MOVED"));
    }

    private static int slot(DedupKey key) {
        return SlotHash.getSlot(new RecordKeys("dedup").key(key));
    }

    private static boolean serves(RedisServer master, int slot) {
        String mine = master.command("CLUSTER", "NODES")
                .lines()
                .filter(line -> line.contains("myself"))
                .findFirst()
                .orElseThrow();
        return IntStream.range(8, mine.split(" ").length)
                .mapToObj(i -> mine.split(" ")[i])
                .filter(range -> !range.startsWith("[")) // one that is being moved, told a second time
                .map(range -> range.split("-"))
                .anyMatch(range ->
                        Integer.parseInt(range[0]) <= slot && slot <= Integer.parseInt(range[range.length - 1]));
    }

    @Test
    @DisplayName("a node that doesn't answer costs a batch only its own keys, and no more than the timeout")
    void pausedNode() {
        RedisServer slow = cluster.masters().get(2);
        List<ClaimRequest> claims = messages.claims(60);
        Duration timeout = Duration.ofSeconds(5);
        List<ClaimResult> answers;
        Duration took;
        try (RedisDedupStore hasty = RedisDedupStore.builder()
                .clusterUris(uris())
                .commandTimeout(timeout)
                .build()) {
            assertThat(store.claim(messages.claims(60)))
                    .as("so that all nodes know the script")
                    .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
            slow.pause();
            long start = System.nanoTime();
            try {
                answers = hasty.claim(claims);
                took = Duration.ofNanos(System.nanoTime() - start);
            } finally {
                slow.resume();
            }
        }
        assertThat(took).isLessThan(timeout.multipliedBy(3)); // not one after the other
        assertThat(answers).hasSize(60).hasAtLeastOneElementOfType(ClaimResult.StoreError.class);
        assertThat(answers.stream().filter(ClaimResult.Acquired.class::isInstance))
                .as("acquired, of %s", answers)
                .hasSizeBetween(20, 59);

        // The other keys were claimed meanwhile, or weren't: both are recognized.
        await().untilAsserted(() -> assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.Acquired.class,
                                acquired -> assertThat(acquired.attempt()).isEqualTo(1))));
    }

    @Test
    @DisplayName("a heartbeat over many claims renews those of the nodes that answer, whichever come first")
    void pausedNodeInHeartbeat() {
        RedisServer slow = cluster.masters().get(2);
        List<ClaimRequest> claims = messages.claims(1_500);
        try (RedisDedupStore hasty = RedisDedupStore.builder()
                .clusterUris(uris())
                .commandTimeout(Duration.ofSeconds(3))
                .build()) {
            assertThat(store.claim(claims))
                    .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
            List<RenewRequest> renewals = claims.stream().map(Messages::renew).toList();
            assertThat(hasty.renew(renewals)).containsOnly(WriteResult.applied());
            slow.pause();
            List<WriteResult> answers;
            try {
                answers = hasty.renew(renewals);
            } finally {
                slow.resume();
            }

            assertThat(answers.subList(0, 500)).hasAtLeastOneElementOfType(WriteResult.StoreError.class);
            assertThat(answers.subList(1_000, 1_500))
                    .filteredOn(WriteResult::isApplied)
                    .hasSizeGreaterThan(250); // two nodes of three
        }
    }

    @Test
    @DisplayName("D4 a client that was handed in stays open, and is refused if it sends commands again")
    void foreignClient() {
        RedisClusterClient client = RedisClusterClient.create(uris());
        try {
            assertThatThrownBy(() -> Stores.builder().clusterClient(client).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("disconnectedBehavior(REJECT_COMMANDS)");
            client.setOptions(ClusterClientOptions.builder()
                    .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                    .build());
            try (RedisDedupStore other = Stores.builder().clusterClient(client).build()) {
                Messages.done(other, messages.key());
            }
            try (var connection = client.connect()) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown();
        }
    }

    /** CRC16 as the cluster specification has it, over all bytes. */
    private static int crc16(byte[] bytes) {
        int crc = 0;
        for (byte b : bytes) {
            crc ^= (b & 0xff) << 8;
            for (int i = 0; i < 8; i++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
            crc &= 0xffff;
        }
        return crc;
    }
}
