package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.engine.Deduplicators;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** On a running clock. */
class SharedThreadsTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofMillis(900);

    private final String name = "shared-" + System.nanoTime();
    private final FaultyStore first = new FaultyStore(new InMemoryDedupStore());
    private final FaultyStore second = new FaultyStore(new InMemoryDedupStore());

    private DedupStore named(DedupStore store) {
        return (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(),
                new Class<?>[] {DedupStore.class},
                (self, method, arguments) -> method.getName().equals("name") ? name : method.invoke(store, arguments));
    }

    private final Deduplicator own = deduplicator(named(first), policy -> policy.lease(LEASE));

    private Deduplicator sharing(DedupStore with) {
        return deduplicator(with, policy -> policy.lease(LEASE), builder -> builder.threadsOf(own));
    }

    @Test
    @DisplayName("fifty idle deduplicators need one thread; it ends with the last of them")
    void idle() {
        List<Deduplicator> others =
                IntStream.range(1, 50).mapToObj(i -> sharing(first)).toList();
        assertThat(threads()).isEqualTo(1);

        own.close();
        own.close();
        others.subList(1, 49).forEach(Deduplicator::close);
        assertThat(threads()).isEqualTo(1);

        others.get(0).close();
        await().until(() -> threads() == 0);

        Deduplicator later = sharing(named(first));
        assertThat(threads()).isEqualTo(1);
        later.close();
        await().until(() -> threads() == 0);
    }

    @Test
    @DisplayName("a store that hangs while one renews keeps the others' leases alive")
    void hangs() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch healed = new CountDownLatch(1);
        first.on(Op.RENEW, Faults.hanging(hanging, healed));

        Thread handler = new Thread(() -> own.execute(key("a"), context -> {
            await().until(() -> healed.getCount() == 0);
            return "";
        }));
        handler.start();
        hanging.await();

        DedupOutcome<String> other = sharing(second).execute(key("a"), context -> {
            await().until(() -> second.calls(Op.RENEW).size() >= 6);
            assertThat(context.leaseLost()).isFalse();
            return "";
        });

        assertThat(other).isEqualTo(new DedupOutcome.Handled<>("", DedupOutcome.Completion.DONE));
        healed.countDown();
        handler.join();
    }

    @Test
    @DisplayName("closing one leaves the others' leases and later completions alone")
    void closed() {
        Deduplicator stays = sharing(second);

        stays.execute(key("a"), context -> {
            own.close();
            int renewals = second.calls(Op.RENEW).size();
            await().until(() -> second.calls(Op.RENEW).size() >= renewals + 3);
            second.on(Op.COMPLETE, Faults.down());
            return "";
        });
        second.heal();

        await().until(() -> second.find(key("a")).orElseThrow().state() == State.DONE);
    }

    @Test
    void othersAreRefused() {
        Deduplicator other = (Deduplicator) Proxy.newProxyInstance(
                Deduplicator.class.getClassLoader(),
                new Class<?>[] {Deduplicator.class},
                (self, method, arguments) -> self.toString());
        assertThatThrownBy(() -> Deduplicators.builder(first).threadsOf(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Deduplicators.builder");
    }

    private long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().endsWith(name))
                .count();
    }
}
