package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a batch is cut into script calls. */
class BatchPiecesTest {
    private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private final Messages messages = new Messages();
    private RedisServer server;
    private RedisDedupStore store;

    @BeforeEach
    void start() {
        server = RedisServers.start();
        store = Stores.builder().uri(server.uri()).maxBatch(100).build();
        store.complete(List.of(Messages.complete(Messages.acquire(store, messages.key()))));
        server.command("CONFIG", "RESETSTAT");
        server.command("CONFIG", "SET", "slowlog-log-slower-than", "0");
        server.command("CONFIG", "SET", "slowlog-max-len", "10000");
        server.command("SLOWLOG", "RESET");
    }

    @AfterEach
    void stop() {
        store.close();
        server.close();
    }

    @Test
    @DisplayName("D5 no script call holds more keys than maxBatch, however large the batch")
    void cap() {
        List<ClaimRequest> claims = messages.claims(1_050);

        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));

        assertThat(scriptCalls()).isEqualTo(11);
        List<String> log = server.command("SLOWLOG", "GET", "-1").lines().toList();
        List<Integer> keysPerCall = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            if (log.get(i).equals("EVALSHA")) {
                keysPerCall.add(Integer.parseInt(log.get(i + 2)));
            }
        }
        assertThat(keysPerCall).hasSize(11).allMatch(keys -> keys <= 100).contains(100, 50);
    }

    @Test
    @DisplayName("a batch of one lease is one script call")
    void oneCall() {
        List<ClaimRequest> claims = messages.claims(100);
        store.claim(claims);
        assertThat(scriptCalls()).isEqualTo(1);

        store.complete(claims.stream().map(Messages::complete).toList());
        assertThat(scriptCalls()).isEqualTo(2);
    }

    @Test
    @DisplayName("requests of different leases and windows are one batch, each with its own")
    void mixed() {
        List<ClaimRequest> claims = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            claims.add(new ClaimRequest(messages.key(), Messages.owner(), Duration.ofMinutes(1 + i % 3)));
        }
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        assertThat(scriptCalls()).isEqualTo(3);
        for (int i = 0; i < 30; i++) {
            StoredRecord found = store.find(claims.get(i).key()).orElseThrow();
            assertThat(found.leaseRemaining()).isBetween(Duration.ofMinutes(i % 3), Duration.ofMinutes(1 + i % 3));
        }

        List<CompleteRequest> completes = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            Window window = i % 2 == 0 ? Window.forever() : Window.of(Duration.ofHours(1 + i));
            ClaimRequest claim = claims.get(i);
            completes.add(new CompleteRequest(new Claim(claim.key(), claim.owner(), 1), window, null, false));
        }
        Instant before = serverTime();
        assertThat(store.complete(completes)).hasSize(30).containsOnly(WriteResult.applied());
        Instant after = serverTime();
        for (int i = 0; i < 30; i++) {
            DedupKey key = claims.get(i).key();
            if (i % 2 == 0) {
                assertThat(store.find(key).orElseThrow().expiresAt()).isNull();
                continue;
            }
            // The script reads the time, and Redis reads it again to set the expiry: a busy machine may stop it in
            // between.
            Duration window = Duration.ofHours(1 + i);
            StoredRecord found = store.find(key).orElseThrow();
            assertThat(found.completedAt()).isBetween(before, after);
            assertThat(found.expiresAt())
                    .isBetween(
                            before.plus(window).minusMillis(1),
                            after.plus(window).plusMillis(1));
        }
    }

    @Test
    @DisplayName("an empty batch asks nobody")
    void empty() {
        assertThat(store.claim(List.of())).isEmpty();
        assertThat(store.complete(List.of())).isEmpty();
        assertThat(store.release(List.of())).isEmpty();
        assertThat(store.renew(List.of())).isEmpty();
        assertThat(server.command("INFO", "commandstats")).doesNotContain("evalsha");
    }

    @Test
    @DisplayName("D1 a key that is in a batch twice, which the contract forbids, still has one winner")
    void twice() {
        ClaimRequest first = Messages.claim(messages.key());
        List<ClaimResult> answers = store.claim(List.of(first, Messages.claim(first.key())));
        assertThat(answers.get(0)).isInstanceOf(ClaimResult.Acquired.class);
        assertThat(answers.get(1)).isInstanceOf(ClaimResult.InFlight.class);

        Messages.only(store.release(List.of(Messages.release(first, ReleaseMode.STARTED))));
        answers = store.claim(List.of(Messages.claim(first.key()), Messages.claim(first.key())));
        assertThat(answers.get(0)).isInstanceOf(ClaimResult.Acquired.class);
        assertThat(answers.get(1)).isInstanceOf(ClaimResult.InFlight.class);
    }

    private Instant serverTime() {
        String[] time = server.command("TIME").split("\n");
        return Instant.ofEpochMilli(Long.parseLong(time[0]) * 1_000 + Long.parseLong(time[1]) / 1_000);
    }

    private int scriptCalls() {
        Matcher matcher = CALLS.matcher(server.command("INFO", "commandstats"));
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }
}
