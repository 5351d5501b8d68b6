package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.WriteResult;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server that goes away, stands still or comes back empty in the middle of a run. */
class OutageTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** Far beyond the timeout, since machines are busy, and far below the driver's own minute. */
    private static final Duration LATE = Duration.ofSeconds(20);

    private final Messages messages = new Messages();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RedisServer server;
    private TcpProxy proxy;
    private RedisDedupStore store;
    private ClaimRequest held;

    @BeforeEach
    void start() {
        server = RedisServers.start();
        proxy = TcpProxy.to(server.port());
        store = RedisDedupStore.builder()
                .uri("redis://:secret-word@127.0.0.1:" + proxy.port())
                .commandTimeout(TIMEOUT)
                .build();
        held = Messages.acquire(store, messages.key());
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
        store.close();
        proxy.close();
        server.close();
    }

    @Test
    @DisplayName("while the server is down every call fails, at once, and says where and what to look at")
    void down() {
        server.kill();

        everyCall(call -> assertThatThrownBy(call)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("127.0.0.1:" + proxy.port())
                .hasMessageNotContaining("secret-word"));
    }

    @Test
    @DisplayName("D2 a master that is made a replica keeps its connections: they are given up, also the heartbeat's")
    void switchedOver() {
        try (RedisServer other = RedisServers.start()) {
            other.command("REPLICAOF", "127.0.0.1", Integer.toString(server.port()));
            await().atMost(LATE)
                    .until(() -> other.command("INFO", "replication").contains("master_link_status:up"));
            proxy.retarget("127.0.0.1", other.port());
            other.command("REPLICAOF", "NO", "ONE");
            server.command("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));

            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .atMost(LATE)
                    .untilAsserted(() -> assertThat(store.renew(List.of(Messages.renew(held))))
                            .containsExactly(WriteResult.applied()));
            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .atMost(LATE)
                    .untilAsserted(() -> assertThat(Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                            .isInstanceOf(ClaimResult.Acquired.class));
        }
    }

    @Test
    @DisplayName(
            "D2 a batch of claims finds the new master, too, and ping doesn't take a replica for a store that answers")
    void switchedOverBatch() {
        server.command("REPLICAOF", "127.0.0.1", "1");
        assertThatThrownBy(store::ping).isInstanceOf(DedupStoreException.class).hasMessageContaining("replica");

        try (RedisServer other = RedisServers.start()) {
            proxy.retarget("127.0.0.1", other.port());
            List<ClaimRequest> claims = messages.claims(3);
            await().atMost(LATE)
                    .untilAsserted(
                            () -> assertThat(store.claim(claims)).hasOnlyElementsOfType(ClaimResult.Acquired.class));
            store.ping();
        }
    }

    @Test
    @DisplayName("while the server stands still every call ends with the command timeout")
    void paused() {
        server.pause();
        try {
            everyCall(call -> assertThatThrownBy(call)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("commandTimeout"));
        } finally {
            server.resume();
        }
    }

    @Test
    @DisplayName("while the network swallows everything every call ends with the command timeout")
    void frozenNetwork() {
        proxy.freeze();

        everyCall(call -> assertThatThrownBy(call).isInstanceOf(DedupStoreException.class));
    }

    private interface Check {
        void fails(ThrowingCallable call);
    }

    private void everyCall(Check check) {
        List<ThrowingCallable> calls = List.of(
                () -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))),
                () -> Messages.only(store.claim(List.of(Messages.unfenced(messages.key())))),
                () -> Messages.only(store.complete(List.of(Messages.complete(held)))),
                () -> Messages.only(store.release(List.of(Messages.release(held, ReleaseMode.STARTED)))),
                () -> Messages.only(store.renew(List.of(Messages.renew(held)))),
                () -> store.find(held.key()),
                () -> store.forget(held.key(), LiveLease.OVERRIDE),
                () -> store.forceDone(held.key(), Messages.WINDOW, LiveLease.OVERRIDE),
                () -> store.ping(),
                () -> Messages.first(store.claim(messages.claims(2_000))),
                () -> Messages.first(store.renew(List.of(Messages.renew(held)))));
        // At the same time: each may take as long as the timeout.
        List<CompletableFuture<Void>> checks = calls.stream()
                .map(call -> CompletableFuture.runAsync(
                        () -> {
                            long start = System.nanoTime();
                            check.fails(call);
                            assertThat(Duration.ofNanos(System.nanoTime() - start))
                                    .isLessThan(LATE);
                        },
                        threads))
                .toList();
        checks.forEach(CompletableFuture::join);
    }

    @Test
    @DisplayName("a slow server is waited for, within the command timeout")
    void slow() {
        proxy.delay(TIMEOUT.dividedBy(10));

        Messages.done(store, messages.key());
    }

    @Test
    @DisplayName("a server that is back is used again, without a new store")
    void restarted() {
        server.kill();
        assertThatThrownBy(() -> store.ping()).isInstanceOf(DedupStoreException.class);
        server.start();

        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> Messages.done(store, messages.key()));
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> assertThat(store.renew(List.of(Messages.renew(held))))
                        .as("on the heartbeat's connection, of a record that the server has lost")
                        .containsExactly(WriteResult.leaseLost()));
    }

    @Test
    @DisplayName("connections that are dead without knowing it are given up, and new ones are made")
    void halfOpen() {
        proxy.halfOpen();

        await().atMost(LATE)
                .ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> Messages.done(store, messages.key()));
        await().atMost(LATE)
                .ignoreExceptionsInstanceOf(DedupStoreException.class)
                .untilAsserted(() -> assertThat(store.renew(List.of(Messages.renew(held))))
                        .as("on the heartbeat's connection")
                        .containsExactly(WriteResult.applied()));
    }

    @Test
    @DisplayName("D2 a flushed server has forgotten: the holder is told, and the next copy is a first attempt")
    void flushed() {
        ClaimResult.Acquired before = (ClaimResult.Acquired) Messages.only(store.claim(List.of(held)));
        server.command("FLUSHALL");

        assertThat(Messages.only(store.complete(List.of(Messages.complete(held)))))
                .isEqualTo(WriteResult.leaseLost());
        assertThat(Messages.only(store.claim(List.of(Messages.claim(held.key())))))
                .isInstanceOfSatisfying(ClaimResult.Acquired.class, after -> {
                    assertThat(after.attempt()).isEqualTo(1);
                    assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
                });
    }

    @Test
    @DisplayName("D2 a flushed server that another store has taken since, with another retention, is refused by ping")
    void flushedAndTaken() {
        server.command("FLUSHALL");
        store.ping();
        assertThat(server.command("GET", "dedup{}!retention"))
                .as("written again")
                .isEqualTo("604800000");

        server.command("SET", "dedup{}!retention", "1000");

        assertThatThrownBy(() -> store.ping())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("attemptRetention is 604800000 ms, but the namespace was created with 1000 ms");
    }

    @Test
    @DisplayName("T6 an interrupt ends a call, and leaves the flag set")
    void interrupt() throws Exception {
        server.pause();
        CompletableFuture<Throwable> problem = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                Messages.only(store.claim(List.of(Messages.claim(messages.key()))));
                problem.completeExceptionally(new AssertionError("answered"));
            } catch (Throwable e) {
                problem.complete(e);
            }
            flag.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        await().until(() -> caller.getState() == Thread.State.TIMED_WAITING || problem.isDone());
        caller.interrupt();

        try {
            assertThat(problem.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("interrupted");
            assertThat(flag.get(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.resume();
        }
    }

    @Test
    @DisplayName("T6 an interrupted thread sends nothing, since nobody would wait for the answer")
    void interruptedBefore() {
        List<ClaimRequest> requests = messages.claims(2);
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(requests.get(0)))))
                    .isInstanceOf(DedupStoreException.class);
            assertThatThrownBy(() -> store.claim(requests)).isInstanceOf(DedupStoreException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(store.find(requests.get(0).key())).isEmpty();
    }

    @Test
    @DisplayName("after close every call fails")
    void closed() {
        store.close();
        store.close();

        assertThatThrownBy(() -> store.ping()).isInstanceOf(DedupStoreException.class);
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                .isInstanceOf(DedupStoreException.class);
    }
}
