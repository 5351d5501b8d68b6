package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.migration.ImportedId;
import io.dedup.testservers.PauselessClock;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** What was imported has the scope and the IDs that a listener looks for. */
class ImportedTest {
    @Test
    @DisplayName("a listener does not handle what was imported for its consumer and topic")
    void notHandled() throws Exception {
        try (Scene scene = new Scene()) {
            Instant secondAgo = PauselessClock.get().instant().minusSeconds(1);
            assertThat(scene.dedup
                            .importDone(
                                    scene.topic,
                                    Stream.of(ImportedId.of("m0", secondAgo), ImportedId.of("m2", secondAgo)))
                            .imported())
                    .isEqualTo(2);
            for (int i = 0; i < 4; i++) {
                scene.sendTo(0, "m" + i);
            }

            var container = scene.start(scene.container(AckMode.RECORD, (MessageListener<String, String>)
                    record -> scene.effect().accept(record)));
            scene.awaitAllCommitted();
            container.stop();

            assertThat(scene.effects).containsExactly("m1", "m3");
            assertThat(scene.events).contains("duplicate m0", "duplicate m2");
        }
    }
}
