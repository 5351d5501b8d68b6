package io.dedup.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.RenewRequest;
import io.dedup.support.MovableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class ExpirySweepTest {
    private static final Owner OWNER = new Owner("o");
    private static final DedupScope SCOPE = DedupScope.of("billing", "orders");

    private final MovableClock clock = new MovableClock();
    private final InMemoryDedupStore store = new InMemoryDedupStore(clock, Duration.ofHours(1));

    @Test
    void memoryIsBoundedByWhatIsClaimedWithinAWindow() {
        int perWindow = 10_000;
        int most = 0;
        for (int i = 0; i < 20 * perWindow; i++) {
            handle("m" + i, Duration.ofSeconds(1));
            if (i % perWindow == 0) {
                clock.advance(Duration.ofSeconds(1));
            }
            most = Math.max(most, store.size());
        }
        assertThat(most).isLessThan(5 * perWindow);
    }

    @Test
    void anEmptiedMapIsNotWalkedAllTheTime() {
        for (int i = 0; i < 50_000; i++) {
            handle("m" + i, Duration.ofSeconds(1));
        }
        clock.advance(Duration.ofSeconds(2));
        for (int i = 0; i < 200_000; i++) {
            handle("n", Duration.ofMillis(1));
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(store.size()).isOne();
    }

    @Test
    void whatIsAliveStays() {
        DedupKey forever = SCOPE.key("forever");
        complete(forever, Window.forever());
        DedupKey claimed = SCOPE.key("claimed");
        store.claim(List.of(new ClaimRequest(claimed, OWNER, Duration.ofSeconds(1))))
                .get(0);
        for (int i = 0; i < 30_000; i++) {
            handle("m" + i, Duration.ofMillis(1));
        }
        clock.advance(Duration.ofMinutes(59));
        for (int i = 0; i < 100_000; i++) {
            handle("n" + i, Duration.ofMillis(1));
            if (i % 1_000 == 0) {
                clock.advance(Duration.ofMillis(1));
            }
        }
        assertThat(store.find(forever)).isPresent();
        assertThat(store.find(claimed)).isPresent();
        assertThat(store.size()).isLessThan(60_000);
    }

    @Test
    void aRecordThatIsClaimedWhileItIsSweptIsNotLost() throws Exception {
        List<Thread> threads = new ArrayList<>();
        Queue<String> problems = new ConcurrentLinkedQueue<>();
        for (int thread = 0; thread < 3; thread++) {
            String prefix = "t" + thread + "-";
            threads.add(new Thread(() -> {
                for (int i = 0; i < 30_000; i++) {
                    DedupKey key = SCOPE.key(prefix + i % 500);
                    complete(key, Window.of(Duration.ofMillis(1)));
                    clock.advance(Duration.ofMillis(2));
                    if (!(store.claim(List.of(new ClaimRequest(key, OWNER, Duration.ofDays(300))))
                                            .get(0)
                                    instanceof Acquired)
                            || !store.renew(List.of(new RenewRequest(new Claim(key, OWNER, 1), Duration.ofDays(300))))
                                    .get(0)
                                    .isApplied()) {
                        problems.add(key.toString());
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(problems).isEmpty();
    }

    private void handle(String id, Duration window) {
        complete(SCOPE.key(id), Window.of(window));
    }

    private void complete(DedupKey key, Window window) {
        store.claim(List.of(new ClaimRequest(key, OWNER, Duration.ofDays(300)))).get(0);
        store.complete(List.of(new CompleteRequest(new Claim(key, OWNER, 1), window, null, false)))
                .get(0);
    }
}
