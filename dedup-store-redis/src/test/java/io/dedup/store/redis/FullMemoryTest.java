package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;

/** A server at its {@code maxmemory} that evicts nothing. */
class FullMemoryTest {
    private final Messages messages = new Messages();
    private RedisServer server;
    private RedisDedupStore store;

    private void start(RedisVersion version) {
        server = version.server().config("maxmemory-policy", "noeviction").start();
        store = Stores.builder().uri(server.uri()).build();
    }

    private void fill() {
        server.command("CONFIG", "SET", "maxmemory", "1");
        assertThatThrownBy(() -> server.command("SET", "x", "x")).hasStackTraceContaining("OOM");
    }

    @AfterEach
    void stop() {
        if (server != null) { // null where the test was skipped
            store.close();
            server.close();
        }
    }

    @OnEachVersion
    @DisplayName("D7 what was claimed can be completed when memory is full")
    void complete(RedisVersion version) {
        start(version);
        ClaimRequest plain = Messages.acquire(store, messages.key());
        ClaimRequest withResult = Messages.acquire(store, messages.key());
        ClaimRequest withFingerprint = new ClaimRequest(
                messages.key(), Messages.owner(), Messages.LEASE, new Fingerprint("f".repeat(64)), true);
        assertThat(Messages.only(store.claim(List.of(withFingerprint)))).isInstanceOf(ClaimResult.Acquired.class);
        fill();

        assertThat(Messages.only(store.complete(List.of(Messages.complete(plain)))))
                .isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(withResult, new byte[100_000], false)))))
                .isEqualTo(WriteResult.applied());
        assertThat(Messages.only(store.complete(List.of(Messages.complete(withFingerprint)))))
                .isEqualTo(WriteResult.applied());

        for (ClaimRequest done : List.of(plain, withResult, withFingerprint)) {
            assertThat(store.find(done.key()))
                    .get()
                    .satisfies(found -> assertThat(found.state()).isEqualTo(State.DONE));
        }
    }

    @OnEachVersion
    @DisplayName("D7 a step that has run can be kept when memory is full")
    void steps(RedisVersion version) {
        start(version);
        ClaimRequest claim = Messages.acquire(store, messages.key());
        fill();

        for (int i = 0; i < 2; i++) {
            assertThat(store.keepSteps(
                            List.of(new StepRequest(new Claim(claim.key(), claim.owner(), 1), new byte[] {(byte) i}))))
                    .containsExactly(WriteResult.applied());
        }

        assertThat(store.find(claim.key()).orElseThrow().steps()).containsExactly(0, 1);
    }

    @OnEachVersion
    @DisplayName("D7 a batch can be completed when memory is full")
    void completeAll(RedisVersion version) {
        start(version);
        List<ClaimRequest> claims = messages.claims(700);
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        fill();

        assertThat(store.complete(claims.stream().map(Messages::complete).toList()))
                .containsOnly(WriteResult.applied());
    }

    @OnEachVersion
    @DisplayName("D7 a batch whose first lease was lost can be completed and released when memory is full")
    void firstIsLost(RedisVersion version) {
        start(version);
        ClaimRequest theirs = Messages.acquire(store, messages.key());
        ClaimRequest lost = Messages.claim(theirs.key());
        List<ClaimRequest> mine = messages.claims(4);
        store.claim(mine);
        fill();

        assertThat(store.complete(Stream.of(lost, mine.get(0), mine.get(1))
                        .map(Messages::complete)
                        .toList()))
                .containsExactly(WriteResult.leaseLost(), WriteResult.applied(), WriteResult.applied());
        assertThat(store.release(Stream.of(lost, mine.get(2), mine.get(3))
                        .map(request -> Messages.release(request, ReleaseMode.STARTED))
                        .toList()))
                .containsExactly(WriteResult.leaseLost(), WriteResult.applied(), WriteResult.applied());
        assertThat(store.find(theirs.key()).orElseThrow().owner()).isEqualTo(theirs.owner());
    }

    @OnEachVersion
    @DisplayName("D7 what was claimed can be released and renewed when memory is full")
    void releaseAndRenew(RedisVersion version) {
        start(version);
        List<ClaimRequest> claims = messages.claims(3);
        store.claim(claims);
        fill();

        assertThat(store.renew(claims.stream().map(Messages::renew).toList())).containsOnly(WriteResult.applied());
        assertThat(Messages.only(store.release(List.of(Messages.release(claims.get(0), ReleaseMode.STARTED)))))
                .isEqualTo(WriteResult.applied());
        assertThat(store.release(List.of(
                        Messages.release(claims.get(1), ReleaseMode.NOT_STARTED),
                        Messages.release(claims.get(2), ReleaseMode.CONVICTED))))
                .containsOnly(WriteResult.applied());

        assertThat(store.find(claims.get(0).key()))
                .get()
                .satisfies(found -> assertThat(found.state()).isEqualTo(State.RELEASED));
    }

    @OnEachVersion
    @DisplayName("D7 claims are refused when memory is full, and say what to change")
    void claim(RedisVersion version) {
        start(version);
        fill();

        for (ClaimRequest request : List.of(Messages.claim(messages.key()), Messages.unfenced(messages.key()))) {
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(request))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("OOM")
                    .hasMessageContaining("maxmemory");
            assertThat(store.find(request.key())).isEmpty();
        }
    }

    @OnEachVersion
    @DisplayName("D7 duplicates are known when memory is full, alone and in a batch with new messages")
    void duplicates(RedisVersion version) {
        start(version);
        DedupKey done = messages.key();
        Messages.done(store, done);
        fill();

        assertThat(Messages.only(store.claim(List.of(Messages.claim(done)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(Messages.only(store.claim(List.of(Messages.unfenced(done)))))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
        List<ClaimRequest> batch = new ArrayList<>(messages.claims(2));
        batch.add(1, Messages.claim(done));
        List<ClaimResult> answers = store.claim(batch);
        assertThat(answers.get(0)).isInstanceOf(ClaimResult.StoreError.class);
        assertThat(answers.get(1)).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertThat(answers.get(2)).isInstanceOf(ClaimResult.StoreError.class);
    }
}
