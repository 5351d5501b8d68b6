package io.dedup.internal.listener;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.dedup.Deduplicator;
import io.dedup.logged.OwnLines;
import io.dedup.support.DeduplicatorTestBase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DuplicateLogTest extends DeduplicatorTestBase {
    private final Logger logger = (Logger) LoggerFactory.getLogger(Deduplicator.class);
    private final OwnLines lines = OwnLines.of(Deduplicator.class);

    @BeforeEach
    void listen() {
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void stopListening() {
        lines.close();
        logger.setLevel(null);
    }

    private List<String> lines() {
        return lines.events().stream()
                .filter(event -> event.getLevel() == Level.DEBUG)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    @DisplayName(
            "each duplicate that is skipped is a line at DEBUG, which names the message and says when it was handled")
    void skipped() {
        Deduplicator dedup = deduplicator();
        for (int i = 0; i < 3; i++) {
            dedup.execute(key("o-1"), context -> "");
        }
        assertThat(lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .startsWith("Skipped a duplicate: message ID \"o-1\" (consumer \"billing\", topic \"" + TOPIC
                                + "\") was handled at 20"));
    }

    @Test
    @DisplayName("so is a copy within a batch")
    void inBatch() {
        deduplicator().executeAll(List.of("o-1", "o-1"), DeduplicatorTestBase::key, items -> {});
        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("Skipped a duplicate: the first message with ID \"o-1\" (")
                .endsWith(") is in the same batch");
    }

    @Test
    @DisplayName("K1 an ID can neither begin a line of its own nor fill the log")
    void hostile() {
        Deduplicator dedup = deduplicator();
        for (int i = 0; i < 2; i++) {
            dedup.execute(key("a\n12:00 INFO all is well" + "x".repeat(200)), context -> "");
        }
        assertThat(lines())
                .singleElement()
                .asString()
                .doesNotContain("\n")
                .hasSizeLessThan(300)
                .contains("a\\u000a12:00");
    }
}
