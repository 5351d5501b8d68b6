package io.dedup.spring.boot.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.Window;
import io.dedup.spring.boot.PolicyProperties;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** What errors name is what can be written into application.yml. */
class YamlNamesTest {
    private final YamlNames names = new YamlNames("dedup.topics.orders");

    @Test
    void everySettingOfAPolicyIsNamedAsItsProperty() {
        for (Method setter : PolicyProperties.class.getMethods()) {
            if (!setter.getName().startsWith("set")) {
                continue;
            }
            String java = setter.getName().substring(3, 4).toLowerCase(Locale.ROOT)
                    + setter.getName().substring(4);
            assertThat(names.name(java)).matches("[a-z-]+");
            assertThat(names.path(java)).isEqualTo("dedup.topics.orders." + names.name(java));
            assertThat(ConfigurationPropertyName.of(names.path(java)).toString())
                    .isEqualTo(names.path(java));
        }
        assertThat(Arrays.stream(DedupPolicy.Builder.class.getMethods()).map(Method::getName))
                .contains("onMissingId", "maxProcessingTime");
    }

    @Test
    void settingsOfTheBrokersClientAreNamedAsSpringBootHasThem() {
        assertThat(names.name("enable.auto.commit")).isEqualTo("spring.kafka.consumer.enable-auto-commit");
        assertThat(names.path("max.poll.interval.ms")).isEqualTo("spring.kafka.consumer.max-poll-interval");
    }

    @Test
    void valuesAreWrittenAsInProperties() {
        assertThat(names.value(DedupMode.LEASED_TRANSACTIONAL)).isEqualTo("leased-transactional");
        assertThat(names.value(OnMissingId.SKIP)).isEqualTo("skip");
        assertThat(names.value(Duration.ofDays(7))).isEqualTo("7d");
        assertThat(names.value(Window.forever())).isEqualTo("forever");
        assertThat(names.value(3)).isEqualTo("3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            raise queryTimeout(...), which is PT5S              | raise dedup.jdbc.query-timeout, which is 5s
            end that transaction, or raise lockTimeout          | end that transaction, or raise dedup.jdbc.lock-timeout
            or set initializeSchema(ALWAYS), or correct table(...) | or set dedup.jdbc.initialize-schema to always, or correct dedup.jdbc.table
            purgeBatch must be from 1 to 5000, but is 0         | dedup.jdbc.purge-batch must be from 1 to 5000, but is 0
            column key_digest), but keyFormat is PLAIN         | column key_digest), but dedup.jdbc.key-format is PLAIN
            Set packed(1000), or use another namespace          | Set dedup.redis.packed.expected-ids 1000, or use another namespace
            First deploy readPacked(1000) to all processes      | First deploy dedup.redis.packed.expected-ids 1000 with dedup.redis.packed.write false to all processes
            If the server is only busy, raise commandTimeout    | If the server is only busy, raise dedup.redis.command-timeout
            use mode LEASED without a transaction manager       | use mode leased without a transaction manager
            attemptRetention is PT168H                          | attempt-retention is 7d
            window must be at most 1 day, or Window.forever()   | window must be at most 1 day, or forever
            it has asyncAcks in a transactional mode            | it has spring.kafka.listener.async-acks in a transactional mode
            topic PTA-LEASED.queryTimeouts stays as it is       | topic PTA-LEASED.queryTimeouts stays as it is
            """)
    void messagesOfTheModulesBelow(String java, String yaml) {
        assertThat(names.text(java)).isEqualTo(yaml);
    }
}
