package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupScope;
import io.dedup.privacy.IdHashing;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@code dedup.privacy}. */
class PrivacyConfigurationTest {
    private static final byte[] KEY = new byte[32];
    private static final String BASE64 = Base64.getEncoder().encodeToString(KEY);

    private final ApplicationContextRunner app = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, DedupAutoConfiguration.class, DedupMethodAutoConfiguration.class))
            .withUserConfiguration(App.class);

    static class Billing {
        final List<String> charged = new ArrayList<>();

        @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
        public void charge(String id) {
            charged.add(id);
        }

        public List<String> charged() {
            return charged;
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
    @DisplayName("with a key, the store has hashes alone, and duplicates are found by them")
    void hashed() {
        app.withPropertyValues("dedup.store=memory", "dedup.privacy.id-hash-key=" + BASE64)
                .run(context -> {
                    Billing billing = context.getBean(Billing.class);
                    billing.charge("anna@example.org");
                    billing.charge("anna@example.org");

                    assertThat(billing.charged()).containsExactly("anna@example.org");
                    DedupScope scope = DedupScope.of("billing", "orders");
                    var store = context.getBean(DedupStores.class).store();
                    assertThat(store.find(scope.key("anna@example.org"))).isEmpty();
                    assertThat(store.find(scope.key(IdHashing.of(KEY).hash("anna@example.org"))))
                            .isPresent();
                });
    }

    @Test
    @DisplayName("another key than the store's is refused, and the property is named")
    void otherKey() {
        InMemoryDedupStore store = new InMemoryDedupStore();
        ApplicationContextRunner shared = app.withBean(InMemoryDedupStore.class, () -> store);
        byte[] other = KEY.clone();
        other[0] = 1;
        shared.withPropertyValues("dedup.privacy.id-hash-key=" + BASE64).run(first -> {
            first.getBean(Billing.class).charge("anna@example.org");

            shared.withPropertyValues(
                            "dedup.privacy.id-hash-key=" + Base64.getEncoder().encodeToString(other))
                    .run(second -> assertThat(refusal(second))
                            .startsWith("dedup.privacy.id-hash-key has another key")
                            .contains("Set dedup.privacy.id-hash-key to the former key."));
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            id-hash-key=***                     | dedup.privacy.id-hash-key isn't Base64. Set dedup.privacy.id-hash-key to 32 random bytes in Base64: openssl rand -base64 32
            id-hash-key=AAAA                    | dedup.privacy.id-hash-key cannot be used: the key of dedup.privacy.id-hash-key must have at least 32 random bytes, but has 3.
            result-key=k1                       | dedup.privacy.result-key is k1, but there is no dedup.privacy.result-keys.k1.
            result-keys.k1=AAAA                 | dedup.privacy.result-keys has keys, but dedup.privacy.result-key doesn't say which of them encrypts. Set dedup.privacy.result-key to one of k1.
            result-key=k1,result-keys.k1=AAAA   | dedup.privacy.result-keys.k1 cannot be used: key k1 of dedup.privacy.result-keys must have 32 random bytes, but has 3.
            """)
    @DisplayName("a key that is missing or wrong is refused, and never shown")
    void refused(String properties, String message) {
        String[] all = properties.split(",");
        for (int i = 0; i < all.length; i++) {
            all[i] = "dedup.privacy." + all[i];
        }
        app.withPropertyValues("dedup.store=memory")
                .withPropertyValues(all)
                .run(context -> assertThat(refusal(context)).startsWith(message));
    }

    @Test
    @DisplayName("an empty key, as of an environment variable that is not set, does not switch hashing off")
    void emptyKey() {
        app.withPropertyValues("dedup.store=memory", "dedup.privacy.id-hash-key= ")
                .run(context -> assertThat(refusal(context)).startsWith("dedup.privacy.id-hash-key is empty."));
    }

    @Test
    void severalResultKeys() {
        app.withPropertyValues(
                        "dedup.store=memory",
                        "dedup.privacy.result-key=k2",
                        "dedup.privacy.result-keys.k1=" + BASE64,
                        "dedup.privacy.result-keys.k2=" + BASE64)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** At start, or when the first method is called. */
    private static String refusal(AssertableApplicationContext context) {
        return Refusals.of(() -> {
            if (context.getStartupFailure() != null) {
                throw context.getStartupFailure();
            }
            context.getBean(Billing.class).charge("ben@example.org");
        });
    }
}
