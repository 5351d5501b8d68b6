package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Listeners without a line of ours take effect once. */
class KafkaAppTest {
    @BeforeAll
    static void start() {
        TestApp.shared();
    }

    @Test
    void aConfiguredTopicTakesEffectOnce() {
        for (int i = 0; i < 3; i++) {
            TestApp.send("orders", null, "o-" + i, "order-id", "a");
        }
        TestApp.send("orders", null, "o-last", "order-id", "b");
        await().until(() -> TestApp.handled("orders").contains("o-last"));
        assertThat(TestApp.handled("orders"))
                .filteredOn(value -> value.startsWith("o-")) // other tests use the topic as well
                .containsExactly("o-0", "o-last");
    }

    @Test
    void aMessageWithoutItsHeaderIsReportedByWhatItLacksAndByThePropertyToSet() {
        try (Logs logs = new Logs()) {
            TestApp.send("orders", null, "o-without");
            String topic = TestApp.topic("orders");
            await().untilAsserted(() -> assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .matches("Message in topic " + topic
                                    + ", partition 0, offset \\d+: it has no header \"order-id\"\\. Consumer \""
                                    + TestApp.group()
                                    + "\" cannot deduplicate it\\. Rejected \\(on-missing-id: fail\\)\\. To"
                                    + " handle such messages anyway, set dedup\\.topics\\." + topic
                                    + "\\.on-missing-id to process \\(no deduplication\\) or skip \\(acknowledge without"
                                    + " handling\\)\\.")));
        }
        assertThat(TestApp.handled("orders")).doesNotContain("o-without");
    }

    @Test
    void aTransactionalTopicCommitsWithItsRecord() {
        String failing = "{\"payment\":{\"id\":\"p-fail\"}}";
        String last = "{\"payment\":{\"id\":\"p-last\"}}";
        TestApp.send("payments", null, failing);
        TestApp.send("payments", null, failing);
        TestApp.send("payments", null, last);
        await().until(() -> TestApp.handled("payments").contains(last));
        assertThat(TestApp.handled("payments")).containsExactly(failing, failing, last);
        await().untilAsserted(() -> assertThat(TestApp.shared()
                        .getBean(JdbcTemplate.class)
                        .queryForList("SELECT id FROM payment ORDER BY id", String.class))
                .containsExactly(failing, last));
    }

    @Test
    void aTopicThatIsNotConfiguredIsLeftAlone() {
        TestApp.send("plain", "k", "1");
        TestApp.send("plain", "k", "1");
        TestApp.send("plain", "k", "last");
        awaitLast("plain");
        assertThat(TestApp.handled("plain")).containsExactly("1", "1", "last");
    }

    @Test
    void aListenerThatIsSwitchedOffIsLeftAlone() {
        TestApp.send("raw", "k", "1");
        TestApp.send("raw", "k", "last");
        awaitLast("raw");
        assertThat(TestApp.handled("raw")).containsExactly("1", "last");
    }

    @Test
    void batchListenersOfAPatternTakeEffectOnce() {
        for (String value : List.of("1", "2")) {
            TestApp.send("batches", "k", value);
        }
        TestApp.send("batches", "other", "last");
        awaitLast("batches");
        assertThat(TestApp.handled("batches")).containsExactly("1", "last");
    }

    @Test
    void anAnnotatedListenerTakesEffectOnceForEachTenant() {
        TestApp.send("clicks", "k", "1", "tenant", "a");
        TestApp.send("clicks", "k", "2", "tenant", "a");
        TestApp.send("clicks", "k", "last", "tenant", "b");
        awaitLast("clicks");
        assertThat(TestApp.handled("clicks")).containsExactly("1", "last");
    }

    @Test
    void retryTopicsShareTheirMainTopicsIds() {
        TestApp.send("retried", "k", "first");
        await().until(() -> TestApp.handled("retried").size() == 2);
        TestApp.send("retried", "k", "duplicate");
        TestApp.send("retried", "other", "last");
        awaitLast("retried");
        assertThat(TestApp.handled("retried")).containsExactly("first", "first", "last");
    }

    private static void awaitLast(String topic) {
        await().until(() -> TestApp.handled(topic).contains("last"));
    }
}
