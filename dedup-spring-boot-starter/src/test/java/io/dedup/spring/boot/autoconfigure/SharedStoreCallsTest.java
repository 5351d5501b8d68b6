package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class SharedStoreCallsTest {
    private static final int THREADS = 40;

    private final AtomicBoolean shared = new AtomicBoolean();
    private final DedupStore real = new InMemoryDedupStore();
    private final DedupStore slow = (DedupStore) Proxy.newProxyInstance(
            DedupStore.class.getClassLoader(), new Class<?>[] {DedupStore.class}, (self, method, arguments) -> {
                if (method.getName().equals("claim")) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2)); // as long as a database may take
                    if (((List<?>) arguments[0]).size() > 1) {
                        shared.set(true);
                    }
                }
                return method.invoke(real, arguments);
            });

    static class Billing {
        final AtomicInteger charges = new AtomicInteger();

        @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
        public void charge(String id) {
            charges.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    @Test
    @DisplayName("with dedup.shared-store-calls, threads share calls of the store")
    void shared() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class, DedupAutoConfiguration.class, DedupMethodAutoConfiguration.class))
                .withUserConfiguration(App.class)
                .withBean(DedupStore.class, () -> slow)
                .withPropertyValues("dedup.shared-store-calls=true")
                .run(context -> {
                    Billing billing = context.getBean(Billing.class);
                    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
                    AtomicInteger ids = new AtomicInteger();
                    try {
                        List<Future<?>> all = new ArrayList<>();
                        for (int i = 0; i < THREADS; i++) {
                            all.add(pool.submit(() -> {
                                while (!shared.get()) {
                                    billing.charge("m" + ids.incrementAndGet());
                                }
                            }));
                        }
                        for (Future<?> each : all) {
                            each.get(60, TimeUnit.SECONDS);
                        }
                    } finally {
                        shared.set(true);
                        pool.shutdownNow();
                    }
                    assertThat(ids.get()).isPositive();
                });
    }
}
