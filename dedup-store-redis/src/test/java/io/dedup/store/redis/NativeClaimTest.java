package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.testservers.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Claims that want no fencing token: a plain {@code SET} on servers that have it, a script elsewhere. */
class NativeClaimTest {
    private static final int COPIES = 8;

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

    @OnEachVersion
    @DisplayName("a first claim without a token, and its duplicate, need no script from 7.0 on, and one before")
    void scripts(RedisVersion version) {
        start(version);
        DedupKey done = messages.key();
        Messages.done(store, done);
        server.command("CONFIG", "RESETSTAT");

        assertThat(Messages.only(store.claim(List.of(Messages.unfenced(messages.key())))))
                .isInstanceOfSatisfying(
                        ClaimResult.Acquired.class,
                        acquired -> assertThat(acquired.attempt()).isEqualTo(1));
        assertThat(Messages.only(store.claim(List.of(Messages.unfenced(done)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);

        assertThat(scriptsRan()).isEqualTo(version == RedisVersion.REDIS_6_2);
    }

    @Test
    @DisplayName("with a token, in a batch, or with replicas to wait for, it is the script on 7.0, too")
    void scriptAllTheSame() {
        start(RedisVersion.REDIS_7);

        server.command("CONFIG", "RESETSTAT");
        Messages.only(store.claim(List.of(Messages.claim(messages.key()))));
        assertThat(scriptsRan()).as("with a token").isTrue();

        server.command("CONFIG", "RESETSTAT");
        store.claim(List.of(Messages.unfenced(messages.key()), Messages.unfenced(messages.key())));
        assertThat(scriptsRan()).as("in a batch").isTrue();

        server.command("CONFIG", "RESETSTAT");
        try (RedisDedupStore waiting = Stores.builder()
                .uri(server.uri())
                .waitForReplicas(1, Duration.ofMillis(10))
                .build()) {
            assertThatThrownBy(() -> Messages.only(waiting.claim(List.of(Messages.unfenced(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("waitForReplicas");
        }
        assertThat(scriptsRan()).as("with replicas").isTrue();
    }

    @OnEachVersion
    @DisplayName("what is stored is a claim as the script writes it")
    void record(RedisVersion version) {
        start(version);
        Fingerprint fingerprint = new Fingerprint("f".repeat(64));
        ClaimRequest request = new ClaimRequest(messages.key(), Messages.owner(), Messages.LEASE, fingerprint, false);
        Messages.only(store.claim(List.of(request)));

        StoredRecord found = store.find(request.key()).orElseThrow();

        assertThat(found.state()).isEqualTo(State.PROCESSING);
        assertThat(found.owner()).isEqualTo(request.owner());
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(found.fingerprint()).isEqualTo(fingerprint);
        assertThat(found.leaseRemaining()).isBetween(Messages.LEASE.minusSeconds(30), Messages.LEASE);
    }

    @OnEachVersion
    @DisplayName("a claim in somebody's way leaves the record and its lease as they are")
    void inFlight(RedisVersion version) {
        start(version);
        ClaimRequest first = Messages.unfenced(messages.key());
        Messages.only(store.claim(List.of(first)));
        String value = server.command("GET", Messages.stored(first.key()));
        server.command(
                "PEXPIRE",
                Messages.stored(first.key()),
                Long.toString(store.attemptRetention().toMillis() + 20_000));

        assertThat(Messages.only(store.claim(List.of(Messages.unfenced(first.key())))))
                .isInstanceOfSatisfying(
                        ClaimResult.InFlight.class,
                        answer ->
                                assertThat(answer.remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(20)));

        assertThat(server.command("GET", Messages.stored(first.key()))).isEqualTo(value);
        assertThat(store.find(first.key()).orElseThrow().leaseRemaining()).isLessThan(Duration.ofSeconds(21));
    }

    @OnEachVersion
    @DisplayName("a key that holds something else is no claim")
    void foreign(RedisVersion version) {
        start(version);
        DedupKey text = messages.key();
        DedupKey list = messages.key();
        server.command("SET", Messages.stored(text), "hello");
        server.command("RPUSH", Messages.stored(list), "hello");

        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.unfenced(text)))))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("not a record of this store");
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.unfenced(list)))))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(server.command("GET", Messages.stored(text))).isEqualTo("hello");
    }

    @OnEachVersion
    @DisplayName("a value that begins as a record does, and is none, fails the claim of its key only")
    void foreignBeginning(RedisVersion version) {
        start(version);
        List<String> values = List.of(
                "2024-05-01",
                "550e8400-e29b-41d4-a716-446655440000",
                "99999999999999999999",
                "D,99999999999999999999,1,",
                "R,1700000000000,1,");
        List<DedupKey> theirs = values.stream().map(value -> messages.key()).toList();
        for (int i = 0; i < values.size(); i++) {
            server.command("SET", Messages.stored(theirs.get(i)), values.get(i));
        }
        DedupKey ours = messages.key();
        List<ClaimRequest> batch =
                new ArrayList<>(theirs.stream().map(Messages::claim).toList());
        batch.add(2, Messages.claim(ours));

        List<ClaimResult> answers = new ArrayList<>(store.claim(batch));

        assertThat(answers.remove(2)).isInstanceOf(ClaimResult.Acquired.class);
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.StoreError.class,
                                error -> assertThat(error.cause()).hasMessageContaining("not a record of this store")));
        for (DedupKey key : theirs) {
            assertForeign(() -> Messages.only(store.claim(List.of(Messages.claim(key)))));
            assertForeign(() -> Messages.only(store.claim(List.of(Messages.unfenced(key)))));
            assertForeign(() -> store.find(key));
        }
        assertThat(theirs.stream().map(key -> server.command("GET", Messages.stored(key))))
                .isEqualTo(values);
    }

    private static void assertForeign(ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("not a record of this store");
    }

    @OnEachVersion
    @DisplayName("D1 of many copies at once, with and without a token, one is acquired")
    void race(RedisVersion version) throws Exception {
        start(version);
        ExecutorService threads = Executors.newFixedThreadPool(COPIES);
        try {
            for (int round = 0; round < 100; round++) {
                DedupKey key = messages.key();
                List<Callable<ClaimResult>> copies = new ArrayList<>();
                for (int i = 0; i < COPIES; i++) {
                    ClaimRequest request = i % 2 == 0 ? Messages.unfenced(key) : Messages.claim(key);
                    copies.add(() -> Messages.only(store.claim(List.of(request))));
                }
                List<ClaimResult> answers = new ArrayList<>();
                for (Future<ClaimResult> answer : threads.invokeAll(copies)) {
                    answers.add(answer.get());
                }
                assertThat(answers.stream().filter(ClaimResult.Acquired.class::isInstance))
                        .hasSize(1);
                assertThat(answers.stream().filter(ClaimResult.InFlight.class::isInstance))
                        .hasSize(COPIES - 1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @OnEachVersion
    @DisplayName("a server that stands still or is down is no claim")
    void outage(RedisVersion version) {
        server = version.server().start();
        store = RedisDedupStore.builder()
                .uri(server.uri())
                .commandTimeout(Duration.ofSeconds(2))
                .build();
        server.pause();
        try {
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.unfenced(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("commandTimeout");
        } finally {
            server.resume();
        }
        server.kill();
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.unfenced(messages.key())))))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("127.0.0.1:" + server.port());
    }

    private boolean scriptsRan() {
        return server.command("INFO", "commandstats").contains("cmdstat_eval");
    }
}
