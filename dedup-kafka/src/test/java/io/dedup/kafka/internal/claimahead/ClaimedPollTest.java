package io.dedup.kafka.internal.claimahead;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.WatchedStore;
import io.dedup.kafka.internal.Timer;
import io.dedup.kafka.internal.record.Coordinates;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.record.TopicRoles;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimedPollTest {
    private final WatchedStore watched = new WatchedStore(new InMemoryDedupStore());
    private final Deduplicator dedup = Deduplicators.builder(watched.store)
            .consumer("claims")
            .shutdownTimeout(Duration.ZERO) // what is claimed here isn't run
            .build();
    private final DedupAdapter engine = DedupAdapter.of(dedup);
    private final RecordDeliveries deliveries = new RecordDeliveries(
            dedup, record -> String.valueOf(record.value()), Map.of(), new TopicRoles(Map.of()), Coordinates.MARKED);
    private final Timer timer = new Timer();
    private final ClaimedPoll claims = new ClaimedPoll(engine, deliveries, null, new WaitingClaims(engine, timer));

    @AfterEach
    void close() {
        timer.close();
        dedup.close();
    }

    @Test
    @DisplayName(
            "a poll is claimed at its first record's turn: until then the container may drop it, and others may have"
                    + " it")
    void claimedAtTheFirstTurn() {
        List<ConsumerRecord<String, String>> records =
                List.of(new ConsumerRecord<>("orders", 0, 0, "", "a"), new ConsumerRecord<>("orders", 0, 1, "", "b"));
        claims.beforePoll();
        claims.polled(new ConsumerRecords<>(Map.of(new TopicPartition("orders", 0), records), Map.of()));
        assertThat(watched.together("claim")).isEmpty();
        assertThat(engine.inFlight()).isZero();

        Delivery first = deliveries.of(records.get(0));
        assertThat(claims.follows(first)).isFalse();
        assertThat(claims.admit(first, WaitBudget.none())).isInstanceOf(Admission.Run.class);

        assertThat(watched.together("claim")).containsExactly("claim 2");
        assertThat(watched.alone("claim")).isEmpty();
    }
}
