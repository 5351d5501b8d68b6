package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.testservers.redis.RedisServer;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;

/** What the packed form stores, and for how long. */
class PackedRecordsTest {
    private static final long WEEK = Duration.ofDays(7).toMillis();
    private static final long DAY = Duration.ofDays(1).toMillis();
    private static final Owner OWNER = new Owner("owner");
    private static final DedupScope SCOPE = DedupScope.of("packed", "orders");

    /** Messages whose records share a bucket, if a slot has one. */
    private static final List<DedupKey> KEYS = inOneBucket(200);

    @OnEachVersion
    @DisplayName("a completed record is an entry of a bucket, which lives up to three eighths longer than the window")
    void entry(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            DedupKey key = SCOPE.key("order-1");
            done(store, key, WEEK);
            done(store, SCOPE.key("order-2"), -1);

            List<String> buckets = buckets(server);
            assertThat(buckets).hasSize(2);
            assertThat(records(server)).isEmpty();
            assertThat(buckets.stream()
                            .map(bucket -> Long.parseLong(server.command("PTTL", bucket)))
                            .sorted()
                            .toList())
                    .satisfiesExactly(
                            forever -> assertThat(forever).isEqualTo(-1),
                            week -> assertThat(week).isBetween(WEEK + WEEK / 8 - 60_000, WEEK + WEEK * 3 / 8));
            assertThat(server.command("OBJECT", "ENCODING", buckets.get(0))).isIn("ziplist", "listpack");
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    @OnEachVersion
    @DisplayName("a record with a result, a fingerprint, a tenth attempt or an odd window keeps its key")
    void keys(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            DedupKey result = SCOPE.key("result");
            claim(store, result, null);
            assertThat(Messages.only(store.complete(List.of(new CompleteRequest(
                            new Claim(result, OWNER, 1), Window.of(Duration.ofDays(7)), new byte[] {1}, false)))))
                    .isEqualTo(WriteResult.applied());
            DedupKey fingerprint = SCOPE.key("fingerprint");
            claim(store, fingerprint, new Fingerprint("abc"));
            complete(store, fingerprint, WEEK);
            done(store, SCOPE.key("odd"), WEEK + 1);
            assertThat(records(server)).hasSize(3);
            assertThat(buckets(server)).isEmpty();
            assertThat(Messages.only(store.claim(List.of(new ClaimRequest(
                            fingerprint, Messages.owner(), Messages.LEASE, new Fingerprint("other"), true)))))
                    .isInstanceOf(ClaimResult.Conflict.class);
        }
    }

    @OnEachVersion
    @DisplayName("a bucket lives as long as its longest window, and loses entries whose window has ended")
    void windows(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            done(store, KEYS.get(0), DAY);
            String bucket = buckets(server).get(0);
            server.command("HSET", bucket, "of long ago", "1110001"); // 1 ms after the year 2024 began, for 1 ms
            assertThat(Messages.only(store.claim(List.of(Messages.claim(KEYS.get(0))))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThat(server.command("HLEN", bucket)).isEqualTo("2");

            done(store, KEYS.get(1), WEEK);
            assertThat(buckets(server)).containsExactly(bucket);
            assertThat(timeToLive(server, bucket)).isGreaterThan(WEEK);
            assertThat(server.command("HLEN", bucket)).isEqualTo("2");

            for (DedupKey key : KEYS.subList(2, 150)) { // one in 16 looks through the bucket
                done(store, key, 1);
            }
            assertThat(timeToLive(server, bucket)).isGreaterThan(WEEK);
            assertThat(Integer.parseInt(server.command("HLEN", bucket))).isLessThan(100);
            for (DedupKey key : KEYS.subList(0, 2)) {
                assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                        .isInstanceOf(ClaimResult.AlreadyDone.class);
            }

            done(store, KEYS.get(150), -1);
            assertThat(server.command("PTTL", bucket)).isEqualTo("-1");
            done(store, KEYS.get(151), DAY);
            assertThat(server.command("PTTL", bucket)).isEqualTo("-1");
        }
    }

    @OnEachVersion
    @DisplayName("a bucket that has outgrown its small form is reported, and works")
    void overgrown(RedisVersion version) {
        String limit = smallFormLimit(version);
        try (RedisServer server = version.server().config(limit, "16").start();
                RedisDedupStore store = store(server)) {
            assertThat(store.overgrownBuckets()).isZero();
            for (int from = 0; from < KEYS.size(); from += 50) {
                List<DedupKey> some = KEYS.subList(from, from + 50);
                store.claim(some.stream()
                        .map(key -> new ClaimRequest(key, OWNER, Messages.LEASE))
                        .toList());
                assertThat(store.complete(some.stream()
                                .map(key -> new CompleteRequest(
                                        new Claim(key, OWNER, 1), Window.of(Duration.ofDays(1)), null, false))
                                .toList()))
                        .containsOnly(WriteResult.applied());
            }
            assertThat(store.overgrownBuckets()).isPositive();
            assertThat(store.claim(KEYS.stream().map(Messages::claim).toList()))
                    .allMatch(answer -> answer instanceof ClaimResult.AlreadyDone);
        }
    }

    @OnEachVersion
    @DisplayName("a bucket that was overgrown gets its small form again once that has room for it, and loses nothing")
    void smallAgain(RedisVersion version) {
        String limit = smallFormLimit(version);
        try (RedisServer server = version.server().config(limit, "16").start();
                RedisDedupStore store = store(server)) {
            done(store, KEYS.get(0), WEEK);
            String bucket = buckets(server).get(0);
            KEYS.subList(1, 72).forEach(key -> done(store, key, DAY));
            assertThat(server.command("OBJECT", "ENCODING", bucket)).isEqualTo("hashtable");
            assertThat(store.overgrownBuckets()).isPositive();
            server.command("CONFIG", "SET", limit, "512");

            List<DedupKey> again = KEYS.subList(1, 72); // one of them looks, as before
            again.forEach(
                    key -> assertThat(store.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED));
            again.forEach(key -> done(store, key, DAY));
            assertThat(server.command("OBJECT", "ENCODING", bucket)).isIn("ziplist", "listpack");
            assertThat(server.command("HLEN", bucket)).isEqualTo("72");
            assertThat(timeToLive(server, bucket)).isGreaterThan(WEEK);
            assertThat(store.claim(
                            KEYS.subList(0, 72).stream().map(Messages::claim).toList()))
                    .allMatch(answer -> answer instanceof ClaimResult.AlreadyDone);
        }
    }

    @OnEachVersion
    @DisplayName("another program's value under a bucket's key fails claims of that bucket; a completion keeps its key")
    void foreignValue(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            List<DedupKey> keys = KEYS.subList(0, 3);
            claim(store, keys.get(1), null);
            done(store, keys.get(0), DAY);
            String bucket = buckets(server).get(0);
            server.command("SET", bucket, "theirs");

            complete(store, keys.get(1), DAY);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(keys.get(1))))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(keys.get(2))))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("WRONGTYPE");
            assertThat(store.claim(List.of(Messages.claim(keys.get(2)), Messages.claim(SCOPE.key("elsewhere")))))
                    .satisfiesExactly(
                            failed -> assertThat(failed).isInstanceOf(ClaimResult.StoreError.class),
                            other -> assertThat(other).isInstanceOf(ClaimResult.Acquired.class));
            server.command("DEL", bucket);
            server.command("HSET", bucket, "field", "theirs");
            assertThat(Messages.only(store.claim(List.of(Messages.claim(keys.get(2))))))
                    .isInstanceOf(ClaimResult.Acquired.class);
        }
    }

    @OnEachVersion
    @DisplayName("forgetAll removes buckets and counts their entries")
    void forgetAll(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            KEYS.subList(0, 5).forEach(key -> done(store, key, DAY));
            claim(store, SCOPE.key("claimed"), null);
            server.command("SET", "dedup:other", "theirs");

            assertThat(store.forgetAll()).isEqualTo(6);
            assertThat(Arrays.asList(server.command("KEYS", "*").split("\\s+")))
                    .containsExactlyInAnyOrder("dedup:other", "dedup{}!packed", "dedup{}!retention");
        }
    }

    @OnEachVersion
    @DisplayName(
            "a record that is in a bucket and, by a store that doesn't know it, claimed and given up, counts as done")
    void both(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            DedupKey key = SCOPE.key("both");
            done(store, key, DAY);
            server.command("SET", Messages.stored(key), "F,1,0,1,", "PX", "60000");
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThat(store.claim(List.of(Messages.claim(key), Messages.claim(SCOPE.key("new"))))
                            .get(0))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
            assertThat(store.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.Acquired.class);
        }
    }

    @OnEachVersion
    @DisplayName("forceDone with a window that isn't packed replaces an entry, however long that would last")
    void forcedForShorter(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            DedupKey key = SCOPE.key("forced");
            done(store, key, -1);
            Window odd = Window.of(Duration.ofMillis(123_456_789));
            assertThat(store.forceDone(key, odd, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(store.find(key).orElseThrow().expiresAt()).isNotNull();
            server.command("DEL", Messages.stored(key)); // as if the window had ended
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOf(ClaimResult.Acquired.class);
        }
    }

    @OnEachVersion
    @DisplayName("what was claimed can be completed when memory is full, single and in batches")
    void fullMemory(RedisVersion version) {
        try (RedisServer server = version.server()
                        .config("maxmemory-policy", "noeviction")
                        .start();
                RedisDedupStore store = store(server)) {
            List<DedupKey> keys = KEYS.subList(0, 10);
            keys.forEach(key -> claim(store, key, null));
            server.command("CONFIG", "SET", "maxmemory", "1");
            complete(store, keys.get(0), WEEK);
            assertThat(store.complete(completions(keys.subList(1, 10), false))).containsOnly(WriteResult.applied());
            assertThat(store.claim(keys.stream().map(Messages::claim).toList()))
                    .allMatch(answer -> answer instanceof ClaimResult.AlreadyDone);
            assertThat(records(server)).isEmpty();
        }
    }

    @OnEachVersion
    @DisplayName("D7 when memory is full, a message whose window has ended doesn't let the claims of its batch through")
    void claimsWhenMemoryIsFull(RedisVersion version) {
        try (RedisServer server = version.server()
                        .config("maxmemory-policy", "noeviction")
                        .start();
                RedisDedupStore store = store(server)) {
            done(store, KEYS.get(0), DAY); // keeps the bucket
            done(store, KEYS.get(1), 1);
            await().until(() -> store.find(KEYS.get(1)).isEmpty());
            server.command("CONFIG", "SET", "maxmemory", "1");
            List<DedupKey> keys = KEYS.subList(1, 20);
            assertThat(store.claim(keys.stream().map(Messages::claim).toList()))
                    .allMatch(answer -> answer instanceof ClaimResult.StoreError);
            assertThat(records(server)).isEmpty();
        }
    }

    @OnEachVersion
    @DisplayName(
            "a user who lacks a right for buckets is refused at start, or each record is whole and lasts for its window")
    void withoutARight(RedisVersion version) {
        try (RedisServer server = version.server().start()) {
            for (String missing : LeastRights.PACKED) {
                server.command("FLUSHALL");
                List<String> rights = new ArrayList<>(LeastRights.all());
                rights.addAll(LeastRights.PACKED);
                rights.remove(missing);
                RedisDedupStoreBuilder builder = Stores.builder()
                        .uri(LeastRights.grant(server, "dedup{*", rights))
                        .packed(1);
                if (missing.equals("hget")) {
                    assertThatThrownBy(builder::build)
                            .isInstanceOf(DedupStoreException.class)
                            .hasMessageContaining("Grant the user in uri");
                    continue;
                }
                try (RedisDedupStore store = builder.build()) {
                    done(store, KEYS.get(0), DAY);
                    done(store, KEYS.get(1), WEEK);
                    done(store, KEYS.get(2), -1);
                    done(store, KEYS.get(3), DAY);

                    assertThat(store.claim(KEYS.subList(0, 4).stream()
                                    .map(Messages::claim)
                                    .toList()))
                            .as("without %s", missing)
                            .allMatch(answer -> answer instanceof ClaimResult.AlreadyDone);
                    assertThat(buckets(server))
                            .as("without %s", missing)
                            .allMatch(bucket -> records(server).contains(Messages.stored(KEYS.get(2)))
                                    ? timeToLive(server, bucket) > WEEK
                                    : server.command("PTTL", bucket).equals("-1"));
                }
            }
        }
    }

    @OnEachVersion
    @DisplayName(
            "an entry whose window has ended is gone once its message is claimed: a clock set back cannot revive it")
    void claimedAnew(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            done(store, KEYS.get(0), DAY);
            done(store, KEYS.get(1), 1);
            String bucket = buckets(server).get(0);
            ClaimRequest again = Messages.claim(KEYS.get(1));
            await().untilAsserted(() ->
                    assertThat(Messages.only(store.claim(List.of(again)))).isInstanceOf(ClaimResult.Acquired.class));
            assertThat(server.command("HLEN", bucket)).isEqualTo("1");
            assertThat(Messages.only(store.claim(List.of(Messages.claim(KEYS.get(0))))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    @OnEachVersion
    @DisplayName("an imported record is packed, for what is left of its window; a packed record is known to an import")
    void imported(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            List<DedupKey> keys = KEYS.subList(0, 3);
            done(store, keys.get(0), WEEK);
            Instant now = store.find(keys.get(0)).orElseThrow().completedAt();
            Window week = Window.of(Duration.ofDays(7));
            List<ImportRequest> requests = List.of(
                    new ImportRequest(keys.get(0), now.minusSeconds(60), week, null),
                    new ImportRequest(keys.get(1), now.minusSeconds(60), week, null),
                    new ImportRequest(keys.get(2), Instant.EPOCH, Window.forever(), null));
            assertThat(store.importDone(requests))
                    .containsExactly(Decision.KNOWN, Decision.IMPORTED, Decision.IMPORTED);
            assertThat(server.command("HLEN", buckets(server).get(0))).isEqualTo("2");
            assertThat(records(server)).as("of before the year 2024").containsExactly(Messages.stored(keys.get(2)));
            var found = store.find(keys.get(1)).orElseThrow();
            assertThat(found.completedAt()).isEqualTo(now.minusSeconds(60));
            assertThat(found.expiresAt()).isEqualTo(now.minusSeconds(60).plus(Duration.ofDays(7)));
            assertThat(store.importDone(requests)).containsOnly(Decision.KNOWN);
            assertThat(store.claim(keys.stream().map(Messages::claim).toList()))
                    .allMatch(answer -> answer instanceof ClaimResult.AlreadyDone);

            ImportRequest future =
                    new ImportRequest(keys.get(1), now.plus(Duration.ofDays(30)), Window.of(Duration.ofDays(1)), null);
            assertThat(store.importDone(List.of(future))).containsExactly(Decision.IMPORTED);
            assertThat(timeToLive(server, Messages.stored(keys.get(1)))).isGreaterThan(30 * DAY);

            ImportRequest longer = new ImportRequest(keys.get(0), now.minusSeconds(60), Window.forever(), null);
            assertThat(store.importDone(List.of(longer))).containsExactly(Decision.IMPORTED);
            assertThat(store.find(keys.get(0)).orElseThrow().expiresAt()).isNull();
        }
    }

    @OnEachVersion
    @DisplayName("an import doesn't shorten what is in a bucket beside an attempt that was given up")
    void importedBesideAnAttempt(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            done(store, KEYS.get(0), WEEK);
            var before = store.find(KEYS.get(0));
            server.command("SET", Messages.stored(KEYS.get(0)), "F,1,0,1,", "PX", "60000");
            Instant earlier = before.orElseThrow().completedAt().minus(Duration.ofHours(23));
            ImportRequest older = new ImportRequest(KEYS.get(0), earlier, Window.of(Duration.ofDays(1)), null);
            assertThat(store.importDone(List.of(older))).containsExactly(Decision.KNOWN);
            server.command("DEL", Messages.stored(KEYS.get(0)));
            assertThat(store.find(KEYS.get(0))).isEqualTo(before);
        }
    }

    @OnEachVersion
    @DisplayName("a completion that is repeated is applied once; another owner's, or one after the window, is not")
    void repeated(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = store(server)) {
            List<DedupKey> keys = KEYS.subList(0, 3);
            keys.forEach(key -> done(store, key, DAY));
            var before = store.find(keys.get(0));
            assertThat(store.complete(completions(keys, true))).containsOnly(WriteResult.applied());
            assertThat(store.find(keys.get(0))).isEqualTo(before);
            assertThat(store.complete(completions(keys, false))).containsOnly(WriteResult.leaseLost());
            Claim second = new Claim(keys.get(0), OWNER, 2); // another attempt than the one that is done
            assertThat(Messages.only(store.complete(
                            List.of(new CompleteRequest(second, Window.of(Duration.ofDays(1)), null, true)))))
                    .isEqualTo(WriteResult.leaseLost());

            assertThat(store.forget(keys.get(1), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(Messages.only(store.claim(List.of(Messages.claim(keys.get(1))))))
                    .isInstanceOf(ClaimResult.Acquired.class);
            assertThat(store.complete(completions(keys.subList(1, 2), true))).containsOnly(WriteResult.leaseLost());
            assertThat(store.find(keys.get(1)).orElseThrow().state()).isEqualTo(StoredRecord.State.PROCESSING);
        }
    }

    private static List<CompleteRequest> completions(List<DedupKey> keys, boolean repeated) {
        return keys.stream()
                .map(key ->
                        new CompleteRequest(new Claim(key, OWNER, 1), Window.of(Duration.ofDays(1)), null, repeated))
                .toList();
    }

    private static List<DedupKey> inOneBucket(int count) {
        String first = Messages.stored(SCOPE.key("0"));
        String prefix = first.substring(0, first.length() - 1);
        int slot = SlotHash.getSlot(first);
        return IntStream.iterate(0, i -> i + 1)
                .filter(i -> SlotHash.getSlot(prefix + i) == slot)
                .limit(count)
                .mapToObj(i -> SCOPE.key(Integer.toString(i)))
                .toList();
    }

    private static RedisDedupStore store(RedisServer server) {
        return Stores.builder().uri(server.uri()).packed(1_000).build();
    }

    private static void done(RedisDedupStore store, DedupKey key, long windowMillis) {
        claim(store, key, null);
        complete(store, key, windowMillis);
    }

    private static void claim(RedisDedupStore store, DedupKey key, Fingerprint fingerprint) {
        assertThat(Messages.only(store.claim(List.of(new ClaimRequest(key, OWNER, Messages.LEASE, fingerprint, true)))))
                .isInstanceOf(ClaimResult.Acquired.class);
    }

    private static void complete(RedisDedupStore store, DedupKey key, long windowMillis) {
        Window window = windowMillis < 0 ? Window.forever() : Window.of(Duration.ofMillis(windowMillis));
        assertThat(Messages.only(
                        store.complete(List.of(new CompleteRequest(new Claim(key, OWNER, 1), window, null, false)))))
                .isEqualTo(WriteResult.applied());
    }

    private static String smallFormLimit(RedisVersion version) {
        return version == RedisVersion.REDIS_6_2 ? "hash-max-ziplist-entries" : "hash-max-listpack-entries";
    }

    private static long timeToLive(RedisServer server, String key) {
        return Long.parseLong(server.command("PTTL", key));
    }

    private static List<String> buckets(RedisServer server) {
        return keys(server).filter(key -> key.contains("}#")).toList();
    }

    private static List<String> records(RedisServer server) {
        return keys(server).filter(key -> key.startsWith("dedup{}:")).toList();
    }

    private static Stream<String> keys(RedisServer server) {
        return Arrays.stream(server.command("KEYS", "dedup{*").split("\\s+"));
    }
}
