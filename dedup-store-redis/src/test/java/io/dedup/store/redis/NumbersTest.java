package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

/** Numbers that Lua would round when it writes them as text. */
class NumbersTest {
    private final Messages messages = new Messages();
    private RedisServer server;
    private RedisDedupStore store;

    private void start(RedisVersion version) {
        server = version.server().start();
        store = Stores.builder().uri(server.uri()).build();
    }

    @AfterEach
    void stop() {
        if (server != null) { // null where the test was skipped
            store.close();
            server.close();
        }
    }

    /** Puts a released record there, as if it had been written long ago. */
    private void released(DedupKey key, int attempt, String token) {
        server.command("SET", Messages.stored(key), "F," + attempt + ",0," + token + ",", "PX", "600000000");
    }

    @OnEachVersion
    @DisplayName("D8 a fencing token of 16 digits is stored and counted on to the last digit")
    void token(RedisVersion version) {
        start(version);
        DedupKey key = messages.key();
        released(key, 1, "9007199254740983");

        assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                .isEqualTo(new ClaimResult.Acquired(2, 0, false, 9_007_199_254_740_984L));

        assertThat(store.find(key).orElseThrow().fencingToken()).isEqualTo(9_007_199_254_740_984L);
        assertThat(server.command("GET", Messages.stored(key))).contains(",9007199254740984,");
    }

    @OnEachVersion
    @DisplayName("D8 the first token is the server's time to the microsecond, as stored")
    void firstToken(RedisVersion version) {
        start(version);
        DedupKey key = messages.key();
        long before = micros();

        ClaimResult.Acquired acquired = (ClaimResult.Acquired) Messages.only(store.claim(List.of(Messages.claim(key))));

        assertThat(acquired.fencingToken()).isBetween(before, micros());
        assertThat(server.command("GET", Messages.stored(key))).contains("," + acquired.fencingToken() + ",");
    }

    private long micros() {
        String[] time = server.command("TIME").split("\n");
        return Long.parseLong(time[0]) * 1_000_000 + Long.parseLong(time[1]);
    }

    @OnEachVersion
    @DisplayName("D8 completion time and attempt share one number, exactly")
    void packed(RedisVersion version) {
        start(version);
        DedupKey key = messages.key();
        released(key, 2_045, "1");
        ClaimRequest request = Messages.claim(key);
        assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
        long before = micros() / 1_000;

        assertThat(Messages.only(store.complete(List.of(Messages.complete(request)))))
                .isEqualTo(WriteResult.applied());

        StoredRecord found = store.find(key).orElseThrow();
        assertThat(found.attempt()).isEqualTo(2_046);
        assertThat(found.completedAt()).isBetween(Instant.ofEpochMilli(before), Instant.ofEpochMilli(micros() / 1_000));
        assertThat(server.command("OBJECT", "ENCODING", Messages.stored(key))).isEqualTo("int");
    }

    @OnEachVersion
    @DisplayName("an attempt that doesn't fit the number is kept as text, and recognized all the same")
    void manyAttempts(RedisVersion version) {
        start(version);
        for (int attempt : new int[] {2_047, 2_048, 1_000_000}) {
            DedupKey key = messages.key();
            released(key, attempt - 1, "1");
            ClaimRequest request = Messages.claim(key);
            assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
            Claim claim = new Claim(key, request.owner(), attempt);

            assertThat(Messages.only(store.complete(List.of(new CompleteRequest(claim, Messages.WINDOW, null, false)))))
                    .isEqualTo(WriteResult.applied());

            assertThat(Messages.only(store.complete(List.of(new CompleteRequest(claim, Messages.WINDOW, null, true)))))
                    .isEqualTo(WriteResult.applied());
            assertThat(Messages.only(store.complete(List.of(new CompleteRequest(
                            new Claim(key, request.owner(), attempt + 2_048), Messages.WINDOW, null, true)))))
                    .isEqualTo(WriteResult.leaseLost());
            assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.attempt()).isEqualTo(attempt));
        }
    }

    @OnEachVersion
    @DisplayName("a lease longer than a century is held for a century")
    void endlessLease(RedisVersion version) {
        start(version);
        for (boolean fenced : new boolean[] {true, false}) {
            ClaimRequest request =
                    new ClaimRequest(messages.key(), Messages.owner(), Duration.ofDays(400_000), null, fenced);
            assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
            assertThat(store.find(request.key()).orElseThrow().leaseRemaining()).isGreaterThan(Duration.ofDays(36_499));
        }
    }
}
