package io.dedup.examples.embedded;

// docs:begin
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.replay.TopicReplay;
import io.dedup.testkit.spring.KafkaReplays;
import io.dedup.testkit.spring.WithReplays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.test.context.EmbeddedKafka;

@SpringBootTest
@EmbeddedKafka(topics = "orders", partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
@WithReplays
class BillingTest {
    @Autowired
    private KafkaReplays replays;

    @Autowired
    private JdbcTemplate jdbc;

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Test
    void anOrderIsBilledOnceHoweverOftenItComes() {
        for (String order : List.of("o-1", "o-2", "o-1")) {
            kafka.send("orders", order, order).join();
        }
        try (TopicReplay replay = replays.of("billing")
                .ids(KafkaMessageIds.key())
                .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
                .build()) {
            replay.all().byRewinding().assertThat().handledOncePerId().ackedDuplicates();
        }
    }
}
// docs:end
