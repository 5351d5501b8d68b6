package io.dedup.testkit.faults;

import static io.dedup.testkit.faults.StoreFault.Operation.CLAIM;
import static io.dedup.testkit.faults.StoreFault.Operation.COMPLETE;
import static io.dedup.testkit.faults.StoreFault.Operation.PING;
import static io.dedup.testkit.faults.StoreFault.Operation.RELEASE;
import static io.dedup.testkit.faults.StoreFault.Operation.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {
    private static final Duration LEASE = Duration.ofHours(1);
    private static final DedupKey A = DedupScope.of("group", "topic").key("a");
    private static final DedupKey B = DedupScope.of("group", "topic").key("b");
    private static final Owner ME = new Owner("me");

    private final InMemoryDedupStore real = new InMemoryDedupStore();
    private final FaultyStore store = FaultyStore.around(real);

    private static ClaimRequest claim(DedupKey key) {
        return new ClaimRequest(key, ME, LEASE);
    }

    private static CompleteRequest completion(DedupKey key) {
        return new CompleteRequest(new Claim(key, ME, 1), Window.of(LEASE), null, false);
    }

    private StoredRecord.State state(DedupKey key) {
        return real.find(key).orElseThrow().state();
    }

    @Test
    @DisplayName("without a fault it is the store behind")
    void intact() {
        assertThat(store.claim(List.of(claim(A))).get(0)).isInstanceOf(ClaimResult.Acquired.class);
        assertThat(store.renew(List.of(new RenewRequest(new Claim(A, ME, 1), LEASE)))
                        .get(0))
                .isEqualTo(WriteResult.applied());
        assertThat(store.complete(List.of(completion(A))).get(0)).isEqualTo(WriteResult.applied());
        assertThat(store.find(A)).isEqualTo(real.find(A)).isPresent();
        assertThat(store.struck()).isZero();
    }

    @Test
    @DisplayName("before: nothing is applied")
    void before() {
        store.inject(StoreFault.before(CLAIM));

        assertThatThrownBy(() -> store.claim(List.of(claim(A))).get(0))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("before it was applied");
        assertThatThrownBy(() -> store.claim(List.of(claim(A), claim(B)))).isInstanceOf(DedupStoreException.class);

        assertThat(real.find(A)).isEmpty();
        assertThat(real.find(B)).isEmpty();
        assertThat(store.struck()).isEqualTo(2);
    }

    @Test
    @DisplayName("after: it is applied, and the reply is lost")
    void after() {
        store.claim(List.of(claim(A), claim(B)))
                .forEach(each -> assertThat(each).isNotNull());
        store.inject(StoreFault.after(COMPLETE));

        assertThatThrownBy(() -> store.complete(List.of(completion(A))).get(0))
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("reply was lost");
        assertThatThrownBy(() -> store.complete(List.of(completion(B)))).isInstanceOf(DedupStoreException.class);

        assertThat(state(A)).isEqualTo(StoredRecord.State.DONE);
        assertThat(state(B)).isEqualTo(StoredRecord.State.DONE);
    }

    @Test
    @DisplayName("so often, after so many, then no more")
    void counts() {
        store.inject(StoreFault.before(PING).skipping(1).times(2));

        store.ping();
        assertThatThrownBy(store::ping).isInstanceOf(DedupStoreException.class);
        assertThatThrownBy(store::ping).isInstanceOf(DedupStoreException.class);
        store.ping();
    }

    @Test
    @DisplayName("a batch fails for the chosen keys alone, before or after")
    void batch() {
        store.inject(StoreFault.before(CLAIM).forKeys(A::equals));
        List<ClaimResult> claimed = store.claim(List.of(claim(A), claim(B)));
        assertThat(claimed.get(0)).isInstanceOf(ClaimResult.StoreError.class);
        assertThat(claimed.get(1)).isInstanceOf(ClaimResult.Acquired.class);
        assertThat(real.find(A)).isEmpty();
        store.heal();

        assertThat(store.claim(List.of(claim(A))).get(0)).isInstanceOf(ClaimResult.Acquired.class);
        store.inject(StoreFault.after(RELEASE).forKeys(B::equals));
        List<WriteResult> answers = store.release(List.of(
                new ReleaseRequest(new Claim(A, ME, 1), ReleaseMode.STARTED),
                new ReleaseRequest(new Claim(B, ME, 1), ReleaseMode.STARTED)));
        assertThat(answers.get(0)).isEqualTo(WriteResult.applied());
        assertThat(answers.get(1)).isInstanceOf(WriteResult.StoreError.class);
        assertThat(state(A)).isEqualTo(StoredRecord.State.RELEASED);
        assertThat(state(B)).isEqualTo(StoredRecord.State.RELEASED);
        store.ping(); // a fault of some keys isn't one of what has none
    }

    @Test
    @DisplayName("one seed strikes the same calls each time, and about the share that it was told")
    void share() {
        assertThat(pattern(42)).isEqualTo(pattern(42)).isNotEqualTo(pattern(43));
        assertThat(pattern(42).stream().filter(struck -> struck).count()).isBetween(30L, 70L);
    }

    private static List<Boolean> pattern(long seed) {
        FaultyStore fresh = FaultyStore.around(new InMemoryDedupStore());
        fresh.inject(StoreFault.before(PING).share(0.25, seed));
        List<Boolean> pattern = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int before = fresh.struck();
            try {
                fresh.ping();
            } catch (DedupStoreException e) {
                assertThat(fresh.struck()).isEqualTo(before + 1);
            }
            pattern.add(fresh.struck() > before);
        }
        return pattern;
    }

    @Test
    @DisplayName("a slow call ends when it is healed")
    void slow() {
        store.inject(StoreFault.slow(Duration.ofHours(1), CLAIM));
        CompletableFuture<ClaimResult> answer = CompletableFuture.supplyAsync(
                () -> store.claim(List.of(claim(A))).get(0));
        await().during(Duration.ofMillis(100))
                .until(() -> !answer.isDone() && real.find(A).isEmpty());
        store.heal();
        assertThat(answer.join()).isInstanceOf(ClaimResult.Acquired.class);
    }

    @Test
    @DisplayName("down until healed; then the store is there again, or another that knows nothing")
    void restart() {
        store.claim(List.of(claim(A))).get(0);
        store.down();
        assertThatThrownBy(() -> store.find(A)).isInstanceOf(DedupStoreException.class);
        assertThatThrownBy(() -> store.forget(A, LiveLease.OVERRIDE)).isInstanceOf(DedupStoreException.class);
        assertThatThrownBy(store::forgetAll).isInstanceOf(DedupStoreException.class);
        store.heal();
        assertThat(store.find(A)).isPresent();

        store.replaceBy(new InMemoryDedupStore());
        assertThat(store.find(A)).isEmpty();
    }

    @Test
    @DisplayName("wrong settings are refused")
    void wrong() {
        assertThatThrownBy(() -> StoreFault.before().share(1.5, 1)).hasMessageContaining("share");
        assertThatThrownBy(() -> StoreFault.before().times(-1)).hasMessageContaining("times");
        assertThatThrownBy(() -> StoreFault.before().skipping(-1)).hasMessageContaining("skipping");
        assertThatThrownBy(() -> StoreFault.slow(Duration.ZERO)).hasMessageContaining("delay");
    }

    @Test
    @DisplayName("the sample of the docs")
    void sample() {
        // docs:begin
        FaultyStore store = FaultyStore.around(new InMemoryDedupStore());
        store.inject(StoreFault.after(COMPLETE).times(2)); // applied, and the replies are lost
        store.inject(StoreFault.before(CLAIM).share(0.1, 42)); // every tenth, the same ones for the same seed
        store.inject(StoreFault.before().forKeys(key -> key.messageId().equals("o-7")));
        store.inject(StoreFault.slow(Duration.ofSeconds(3), RENEW));
        // docs:end
        assertThatThrownBy(
                        () -> store.claim(List.of(claim(A.scope().key("o-7")))).get(0))
                .isInstanceOf(DedupStoreException.class);
    }
}
