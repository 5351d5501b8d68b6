package io.dedup.spring.boot.internal.actuator;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.operator.StuckQuery;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

class RecordStoresTest {
    /** An operator is told why, and not that the server is broken. */
    @Test
    void aStoreThatCannotListItsRecordsRefusesTheRequest() {
        InMemoryDedupStore memory = new InMemoryDedupStore();
        Object store = Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(),
                new Class<?>[] {DedupStore.class}, // and no other capability
                (proxy, method, arguments) -> method.invoke(memory, arguments));
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("store", store);
        RecordStores records = RecordStores.of(new DedupStores(new DedupProperties(), beans), DedupMode.LEASED);

        assertThatThrownBy(() -> records.findStuck(new StuckQuery(null, Duration.ZERO, 1)))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessage("store memory does not support listing stuck records");
    }
}
