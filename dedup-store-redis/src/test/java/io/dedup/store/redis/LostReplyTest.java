package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.StuckQuery;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

/** Requests that were carried out without the sender's knowledge. */
class LostReplyTest {
    private final Messages messages = new Messages();
    private RedisServer server;
    private TcpProxy proxy;
    private RedisDedupStore store;

    private void start(RedisVersion version) {
        server = version.server().start();
        proxy = TcpProxy.to(server.port());
        store = RedisDedupStore.builder()
                .uri("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(Duration.ofSeconds(5))
                .build();
        Messages.done(store, messages.key()); // so that the scripts are there, and no reply to NOSCRIPT is lost
    }

    @AfterEach
    void stop() {
        if (server != null) { // null where the test was skipped
            store.close();
            proxy.close();
            server.close();
        }
    }

    @OnEachVersion
    @DisplayName("D4 a claim that lost its reply is recognized when it is repeated")
    void claim(RedisVersion version) {
        start(version);
        ClaimRequest request = Messages.claim(messages.key());
        proxy.loseReplyTo(request.owner().value());

        assertThatThrownBy(() -> Messages.only(store.claim(List.of(request)))).isInstanceOf(DedupStoreException.class);

        assertThat(proxy.lostReplies()).isEqualTo(1);
        assertOwn(awaitAnswer(request));
    }

    @OnEachVersion
    @DisplayName("D4 an unfenced claim that lost its reply is recognized when it is repeated")
    void unfencedClaim(RedisVersion version) {
        start(version);
        ClaimRequest request = Messages.unfenced(messages.key());
        proxy.loseReplyTo(request.owner().value());

        assertThatThrownBy(() -> Messages.only(store.claim(List.of(request)))).isInstanceOf(DedupStoreException.class);

        assertThat(proxy.lostReplies()).isEqualTo(1);
        assertOwn(awaitAnswer(request));
    }

    @OnEachVersion
    @DisplayName("D4 a batch that lost its reply is recognized when it is repeated")
    void batch(RedisVersion version) {
        start(version);
        List<ClaimRequest> requests = messages.claims(20);
        proxy.loseReplyTo(requests.get(19).owner().value());

        assertThat(store.claim(requests))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.StoreError.class));

        await().untilAsserted(() -> assertThat(store.claim(requests)).allSatisfy(LostReplyTest::assertOwn));
    }

    @OnEachVersion
    @DisplayName("D4 a completion that lost its reply is applied, once, when it is repeated as such")
    void complete(RedisVersion version) {
        start(version);
        ClaimRequest request = Messages.acquire(store, messages.key());
        proxy.loseReplyTo(request.owner().value());

        assertThatThrownBy(() -> Messages.only(store.complete(List.of(Messages.complete(request)))))
                .isInstanceOf(DedupStoreException.class);

        awaitConnection();
        StoredRecord applied = store.find(request.key()).orElseThrow();
        assertThat(applied.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(Messages.only(store.complete(List.of(Messages.complete(request, null, true)))))
                .isEqualTo(WriteResult.applied());
        assertThat(store.find(request.key())).contains(applied);
    }

    @OnEachVersion
    @DisplayName("a connection that breaks while servers are asked fails no operator's command: they are asked again")
    void operatorsQuestion(RedisVersion version) {
        start(version);
        for (String question : List.of("INFO", "SCAN")) {
            DedupKey key = messages.key();
            Messages.done(store, key);
            proxy.loseReplyTo("$4\r\n" + question);

            assertThat(store.erase(key.messageId(), LiveLease.RESPECT)).isEqualTo(new Erasure(1, List.of()));
        }
        assertThat(proxy.lostReplies()).isEqualTo(2);
        proxy.loseReplyTo("$4\r\nSCAN");
        assertThat(store.findStuck(new StuckQuery(null, Duration.ZERO, 10)).complete())
                .isTrue();
        assertThat(proxy.lostReplies()).isEqualTo(3);
    }

    @OnEachVersion
    @DisplayName("an operator's command waits for connections that are being opened again")
    void operatorAfterDisconnect(RedisVersion version) {
        start(version);
        DedupKey key = messages.key();
        Messages.done(store, key);
        server.command("CLIENT", "KILL", "TYPE", "normal");

        assertThat(store.erase(key.messageId(), LiveLease.RESPECT)).isEqualTo(new Erasure(1, List.of()));
    }

    @OnEachVersion
    @DisplayName("D4 what lost its reply is not sent again behind the caller's back")
    void notResent(RedisVersion version) {
        start(version);
        ClaimRequest request = Messages.acquire(store, messages.key());
        proxy.loseReplyTo(request.owner().value());
        assertThatThrownBy(() -> Messages.only(store.complete(List.of(Messages.complete(request)))))
                .isInstanceOf(DedupStoreException.class);
        server.command("CONFIG", "RESETSTAT");

        awaitConnection();

        assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_eval");
    }

    @OnEachVersion
    @DisplayName("D4 a claim that timed out and was applied later is recognized when it is repeated")
    void late(RedisVersion version) {
        start(version);
        ClaimRequest request = Messages.claim(messages.key());
        server.pause();
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(request))))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("commandTimeout");
        server.resume();

        await().untilAsserted(() -> assertThat(store.find(request.key())).isPresent());
        assertOwn(Messages.only(store.claim(List.of(request))));
    }

    private ClaimResult awaitAnswer(ClaimRequest request) {
        awaitConnection();
        return Messages.only(store.claim(List.of(request)));
    }

    private void awaitConnection() {
        await().ignoreExceptionsInstanceOf(DedupStoreException.class).until(() -> {
            store.ping();
            return true;
        });
    }

    private static void assertOwn(ClaimResult answer) {
        assertThat(answer).isInstanceOfSatisfying(ClaimResult.Acquired.class, acquired -> {
            assertThat(acquired.attempt()).isEqualTo(1);
            assertThat(acquired.tookOver()).isFalse();
        });
    }
}
