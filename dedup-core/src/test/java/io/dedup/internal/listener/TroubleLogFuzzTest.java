package io.dedup.internal.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TroubleLogFuzzTest {
    private static final int INPUTS = 2_000;

    @Test
    @DisplayName("whatever names, IDs and failures hold, what is logged is one capped line")
    void lines() {
        Fuzz.check("log lines", INPUTS, input -> {
            List<String> lines = new ArrayList<>();
            DedupTopics topics = new DedupTopics(name(input), DedupPolicy.defaults(), Map.of());
            DedupTopic topic = topics.topic(name(input));
            DedupKey key = topic.scope().key(name(input));
            DedupListener log = new TroubleLog(topics, "redis", () -> 0, lines::add);

            log.storeError("claim", new DedupStoreException(input.anyText(), null));
            log.missingId(topic, "topic topic, partition 0", Printable.of(input.anyText()));
            log.conflict(key, OnConflict.FAIL);
            log.poison(key, 3);
            log.unguarded(key, topic);
            log.leaseLost(key);
            log.maxProcessingTimeExceeded(key);
            log.completionDropped(key);

            assertThat(lines).hasSize(8);
            lines.forEach(Fuzz::requireLogLine);
        });
    }

    @Test
    @DisplayName("text is printable in all its forms")
    void printable() {
        Fuzz.check("printable text", INPUTS, input -> {
            String text = input.anyText();
            Fuzz.requireLogLine(Printable.of(text));
            assertThat(Printable.of(text)).hasSizeLessThan(600);
            String sentence = Printable.sentence(text);
            Fuzz.requireLogLine(sentence.substring(0, Math.min(sentence.length(), 3_000)));
            Fuzz.requireLogLine(Printable.ofException(new IllegalStateException(text)));
        });
    }

    private static String name(Hostile input) {
        String name = input.text();
        return name.isBlank() ? "blank" : name;
    }
}
