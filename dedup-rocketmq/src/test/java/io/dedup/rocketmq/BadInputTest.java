package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.io.JsonStringEncoder;

/** IDs and payloads that nobody wants, sent through a real broker: each has its outcome, and nothing is lost. */
class BadInputTest {
    private static final List<String> USABLE = List.of(
            "plain",
            "PLAIN",
            "plain ",
            " plain",
            "x".repeat(10_240),
            "x".repeat(10_239) + "y",
            "nul\0",
            "nul\0\0",
            "nul",
            "ctl\u0001\n\r\t",
            "{}",
            "{a}",
            "*?[a-z]",
            "%_'\";--\\",
            "é",
            "e\u0301",
            "\ud83d\ude00",
            "sha256:abc");
    private static final List<String> UNUSABLE = List.of(
            "{}",
            "{\"id\":\"\"}",
            "{\"id\":\" \"}",
            "{\"id\":null}",
            "{\"id\":{}}",
            "{\"id\":\"\\ud800\"}",
            "{\"id\":",
            "id",
            " ");

    private static Scene scene(int retries, UnaryOperator<DedupPolicy.Builder> changes) {
        return new Scene(TopicType.NORMAL, retries, changes);
    }

    /** Its effects are the bodies. */
    private static void start(Scene scene, boolean push, RocketMqDedupBuilder builder) {
        MessageListener listener = message -> {
            scene.effects.add(StandardCharsets.UTF_8.decode(message.getBody()).toString());
            return ConsumeResult.SUCCESS;
        };
        if (push) {
            scene.start(builder.build(), scene.group, listener);
        } else {
            scene.loop(builder.build(), listener, settings -> settings);
        }
    }

    private static RocketMqDedupBuilder byJson(Scene scene) {
        return RocketMqDedup.builder(scene.dedup).id(RocketMqMessageIds.json("/id"));
    }

    private static String json(String id) {
        return "{\"id\":\"" + new String(JsonStringEncoder.getInstance().quoteAsCharArray(id)) + "\"}";
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("usable IDs are told apart, however odd; unusable ones end in the dead-letter queue; nothing is lost")
    void ids(boolean push) {
        try (Scene scene = scene(1, policy -> policy)) {
            start(scene, push, byJson(scene));
            List<String> bodies =
                    new ArrayList<>(USABLE.stream().map(BadInputTest::json).toList());
            for (int i = 0; i < 2; i++) {
                bodies.forEach(body -> scene.send(scene.message(body).build()));
            }
            UNUSABLE.forEach(body -> scene.send(scene.message(body).build()));
            scene.awaitEffects(bodies.toArray(String[]::new));
            scene.awaitDeadLetters(UNUSABLE.size());
            await().until(() -> scene.events.stream()
                            .filter(event -> event.startsWith("duplicate") || event.startsWith("copy"))
                            .count()
                    >= USABLE.size());
            scene.awaitEffects(bodies.toArray(String[]::new));
        }
    }

    @ParameterizedTest(name = "{0} push={1}")
    @CsvSource({"PROCESS,true", "PROCESS,false", "SKIP,true", "SKIP,false"})
    @DisplayName("a missing ID: run unguarded, or acked without a run, as the policy tells")
    void missingId(OnMissingId policy, boolean push) {
        try (Scene scene = scene(1, changes -> changes.onMissingId(policy))) {
            start(scene, push, byJson(scene));
            scene.send(scene.message("no JSON").build());
            scene.send(scene.message("no JSON").build());
            scene.send(scene.message(json("a")).build());
            if (policy == OnMissingId.PROCESS) {
                scene.awaitEffects("no JSON", "no JSON", json("a"));
            } else {
                scene.awaitEffects(json("a"));
                await().until(() -> scene.count("missing") == 2);
            }
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a message without an ID that is redelivered is one message: rejected each time, as long as the broker delivers it")
    void missingIdLimitCountsMessages(boolean push) {
        try (Scene scene = scene(5, changes -> changes.missingIdLimit(3))) {
            start(scene, push, byJson(scene));
            scene.send(scene.message("no JSON").build());
            await().until(() -> scene.count("missing") == 6);
        }
    }

    @Test
    @DisplayName(
            "while no message of a topic has an ID, the loop returns them for maxWait and a lease; when one has, they are rejected")
    void missingIdsWait() {
        Duration shortest = Duration.ofSeconds(1);
        try (Scene scene =
                scene(20, changes -> changes.missingIdLimit(1).lease(shortest).maxProcessingTime(shortest))) {
            start(scene, false, byJson(scene));
            scene.send(scene.message("no JSON").build());
            await().until(() -> scene.count("deferred null") >= 2);
            assertThat(scene.count("missing")).isZero();
            scene.send(scene.message(json("a")).build());
            scene.awaitEffects(json("a"));
            await().until(() -> scene.count("missing") >= 2); // from now on after the retryDelay
        }
    }

    @ParameterizedTest(name = "{0} push={1}")
    @CsvSource({"FAIL,true", "FAIL,false", "SKIP,true", "SKIP,false"})
    @DisplayName("the same ID with another payload: dead-lettered, or acked without a run, as the policy tells")
    void conflict(OnConflict policy, boolean push) {
        try (Scene scene = scene(1, changes -> changes.fingerprint(true).onConflict(policy))) {
            start(scene, push, scene.builder());
            scene.send(scene.message("first").addProperty("id", "a").build());
            scene.awaitEffects("first");
            scene.send(scene.message("second").addProperty("id", "a").build());
            if (policy == OnConflict.FAIL) {
                scene.awaitDeadLetters(1);
            } else {
                await().until(() -> scene.count("conflict a") == 1);
            }
            scene.awaitEffects("first");
        }
    }
}
