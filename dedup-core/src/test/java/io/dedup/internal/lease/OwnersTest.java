package io.dedup.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnersTest {
    @Test
    void areUniqueAcrossThreadsAndInstances() throws Exception {
        Set<Owner> made = ConcurrentHashMap.newKeySet();
        List<Thread> threads = new ArrayList<>();
        for (int instance = 0; instance < 4; instance++) {
            Owners owners = new Owners(instance < 2 ? "both the same" : null);
            for (int i = 0; i < 4; i++) {
                threads.add(new Thread(() -> {
                    for (int n = 0; n < 10_000; n++) {
                        made.add(owners.alone());
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
        assertThat(new Owners(null).alone().value()).hasSizeLessThanOrEqualTo(18);
    }

    @Test
    void beginWithTheInstancesName() {
        Owner owner = new Owners("billing-7d9f8b6c5d-x2k4q").alone();
        assertThat(owner.instance()).isEqualTo("billing-7d9f8b6c5d-x2k4q");
        assertThat(owner.value()).startsWith("billing-7d9f8b6c5d-x2k4q~");
        assertThat(new Owners(null).alone().instance()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "'a b,c|d~e', a_b_c_d_e",
        "'line\nend\u0000', line_end_",
        "ünï, _n_",
        "pod:17@host_1.zone-b, pod:17@host_1.zone-b",
        "payment-service-of-the-north-7d9f8b6c5d-x2k4q, payment-servic..7d9f8b6c5d-x2k4q",
        "~, _"
    })
    void namesAreMadeFitForAnOwner(String name, String readable) {
        assertThat(new Owners(name).alone().instance()).isEqualTo(readable).hasSizeLessThanOrEqualTo(32);
    }

    /** The largest number there is takes 13 characters. */
    @Test
    void theLongestNameLeavesRoomForEveryNumber() {
        String first = new Owners("x".repeat(1_000)).alone().value();
        assertThat(first.length() + 12).isLessThanOrEqualTo(64);
    }

    @Test
    void anOwnerOfSomebodyElsesTellsNoInstance() {
        assertThat(new Owner("3f1c-77").instance()).isNull();
        assertThat(new Owner("~3f1c-77").instance()).isNull();
    }
}
