package io.dedup.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class OwnersTest {
    @Test
    void areUniqueAcrossThreadsAndInstances() throws Exception {
        Set<Owner> made = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        for (int instance = 0; instance < 4; instance++) {
            Owners owners = new Owners();
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(() -> {
                    for (int n = 0; n < 10_000; n++) {
                        made.add(owners.next());
                    }
                }));
            }
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(made).hasSize(160_000);
    }

    @Test
    void areShort() {
        assertThat(new Owners().next().value()).hasSizeLessThanOrEqualTo(18);
    }
}
