package io.dedup.testkit.replay;

import static io.dedup.testkit.replay.FakeTopic.GROUP;
import static io.dedup.testkit.replay.FakeTopic.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.privacy.IdHashing;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an assertion that nothing of some kind happened must have seen first. */
class ReplayAssertTest {
    private final Timeline timeline = new Timeline();
    private final List<String> effects = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Deduplicator dedup = dedup(plain -> plain);

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private Deduplicator dedup(UnaryOperator<DeduplicatorBuilder> settings) {
        Deduplicator built = settings.apply(Deduplicators.builder(new InMemoryDedupStore())
                        .consumer(GROUP)
                        .listener(timeline))
                .build();
        open.add(built);
        return built;
    }

    /** The user's listener. */
    private void handle(String id) {
        try {
            var unused = dedup.execute(dedup.key(TOPIC, id), context -> effects.add(id));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private TopicReplay replay(FakeTopic topic) {
        TopicReplay replay = new TopicReplay(topic, timeline, null, null, Duration.ofMinutes(1));
        open.add(replay);
        return replay;
    }

    private TopicReplay replayWithEffects(FakeTopic topic) {
        TopicReplay replay = new TopicReplay(topic, timeline, null, () -> effects, Duration.ofMinutes(1));
        open.add(replay);
        return replay;
    }

    private static void refused(ThrowingCallable assertion, String... parts) {
        var refusal = assertThatThrownBy(assertion).isInstanceOf(AssertionError.class);
        for (String part : parts) {
            refusal.hasMessageContaining(part);
        }
    }

    @Test
    @DisplayName("IDs that are hashed are known to the replay, without a setting")
    void hashedIds() {
        dedup = dedup(builder -> builder.idHashing(IdHashing.of(new byte[IdHashing.MIN_KEY_BYTES])));
        TopicReplay replay = replay(new FakeTopic(this::handle).send("a", "b"));

        ReplayReport report = replay.all().bySendingAgain();

        report.assertThat()
                .handledOncePerId()
                .ackedDuplicates()
                .deferredNothing()
                .ranNothingUnguarded();
        assertThat(report.timeline("a"))
                .extracting(Timeline.Event::kind)
                .containsExactly(
                        Timeline.Kind.CLAIMED,
                        Timeline.Kind.COMPLETED,
                        Timeline.Kind.ACKED,
                        Timeline.Kind.SENT_AGAIN,
                        Timeline.Kind.DUPLICATE,
                        Timeline.Kind.ACKED);

        timeline.deferred(dedup.key(TOPIC, "b"), DeferReason.IN_FLIGHT, Duration.ZERO);
        timeline.unguarded(dedup.key(TOPIC, "a"), dedup.topic(TOPIC));
        refused(() -> replay.report().assertThat().deferredNothing(), "1 message deferred", "\"b\": t-0@1");
        refused(() -> replay.report().assertThat().ranNothingUnguarded(), "handled without deduplication", "\"a\"");
    }

    @Test
    @DisplayName("a replay whose extractor finds other IDs than the listener's has seen nothing of its messages")
    void otherIds() {
        TopicReplay replay = replay(new FakeTopic(id -> handle("other-" + id)).send("a"));

        refused(
                () -> replay.report().assertThat().deferredNothing(),
                "1 message on the topic, but the deduplicator has reported others only (the extractor of ids(...)",
                "\"a\": t-0@0");
        for (ReplayReport report :
                List.of(replay.all().bySendingAgain(), replay.all().byRewinding())) {
            refused(
                    () -> report.assertThat().deferredNothing(),
                    "1 message sent again or rewound, but not reported by the deduplicator since",
                    "\"a\": t-0@0");
            refused(() -> report.assertThat().deferredOnly(), "not reported by the deduplicator since");
            refused(() -> report.assertThat().ranNothingUnguarded(), "not reported by the deduplicator since");
            refused(() -> report.assertThat().ackedDuplicates(), "not reported by the deduplicator since");
        }
    }

    @Test
    @DisplayName("a copy that never came to the deduplicator is named, although its original did")
    void copyFiltered() {
        TopicReplay replay = replay(new FakeTopic(id -> {
                    if (!effects.contains("b") || !id.equals("b")) {
                        handle(id);
                    }
                })
                .send("a", "b"));

        replay.report().assertThat().handledOncePerId().deferredNothing();
        replay.ids("a").bySendingAgain().assertThat().ranNothingUnguarded().deferredNothing();
        refused(
                () -> replay.all().bySendingAgain().assertThat().deferredNothing(),
                "1 message sent again or rewound",
                "\"b\"");
    }

    @Test
    @DisplayName("messages in which the deduplicator found no ID aren't passed over, although the replay found one")
    void missingIds() {
        TopicReplay replay = replay(new FakeTopic(this::handle).send("a"));
        replay.report().assertThat().ranNothingUnguarded();
        timeline.missingId(dedup.topic("another"), "another-0@0", "it has no header \"id\"");
        timeline.unguarded(null, dedup.topic("another"));
        replay.report().assertThat().ranNothingUnguarded();

        timeline.missingId(dedup.topic(TOPIC), "t-0@7", "it has no header \"id\"");
        timeline.unguarded(null, dedup.topic(TOPIC));

        refused(
                () -> replay.report().assertThat().ranNothingUnguarded(),
                "found no usable ID in messages of topic t",
                "t-0@7: it has no header \"id\"");
        refused(() -> replay.report().assertThat().deferredNothing(), "found no usable ID");
        refused(() -> replay.report().assertThat().deferredOnly(), "found no usable ID");
    }

    @Test
    @DisplayName("effects of an earlier test don't stand for a handler that never ran in this one")
    void effectsOfAnEarlierTest() {
        FakeTopic topic = new FakeTopic(this::handle).send("a", "b");
        timeline.clear(); // as before the next test, or in the next run of it
        topic.send("a", "b", "a");
        TopicReplay replay = replayWithEffects(topic);

        for (ReplayReport report : List.of(
                replay.report(), replay.all().bySendingAgain(), replay.all().byRewinding())) {
            refused(
                    () -> report.assertThat().handledOncePerId(),
                    "2 messages sent since the test began, and never handled in it",
                    "\"a\": t-0@0",
                    "Use new message IDs in each test");
            report.assertThat().lostNothing().ackedDuplicates(); // what a test of old messages may say
            assertThat(report.handled("a")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("a test that replays only an earlier one's messages, or sends new ones as well, is right")
    void earlierMessages() {
        FakeTopic topic = new FakeTopic(this::handle).send("a", "b");
        timeline.clear();
        TopicReplay replay = replayWithEffects(topic);

        replay.all().bySendingAgain().assertThat().handledOncePerId().ackedDuplicates();
        replay.all().times(2).byRewinding().assertThat().handledOncePerId().ackedDuplicates();

        topic.send("a", "c", "c");
        replay.all().bySendingAgain().assertThat().handledOncePerId().ackedDuplicates();
    }
}
