package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.store.StoredRecord;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.process.ChildJvm;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A consumer that is killed in a handler: the broker gives its messages to another one. */
class KillTest {
    /** Another JVM has to start beside the tests that run at the same time, on two cores. */
    private static final Duration STARTED = Duration.ofMinutes(5);

    private final List<String> output = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"push", "simple"})
    @DisplayName("kill -9 before the effect: another consumer runs the message once, and nothing that was done before")
    void killed(String kind) throws Exception {
        String redis = RedisServers.shared().uri();
        try (Scene scene = new Scene(
                TopicType.NORMAL,
                20,
                policy -> policy,
                RedisDedupStore.builder()
                        .uri(redis)
                        .commandTimeout(Scene.COLD_CLIENT)
                        .build())) {
            scene.send("a", "b", "hang", "c");
            Process killed = start(kind, scene.server.endpoints(), scene.topic, scene.group, redis);
            try {
                await().atMost(STARTED)
                        .until(() -> output.contains("HANGS")
                                && Stream.of("a", "b", "c").allMatch(id -> isDone(scene, id)));
            } finally {
                killed.destroyForcibly().waitFor();
            }
            if (kind.equals("push")) {
                scene.start(message -> effect(scene, Scene.id(message)));
            } else {
                scene.loop(message -> effect(scene, Scene.id(message)));
            }
            scene.send("a", "b", "hang", "c"); // and the producer sends them again
            // The proxy notices a push consumer's death in 11 to 24 s.
            await().untilAsserted(() -> assertThat(effects(scene)).contains("a", "b", "hang", "c"));
            await().until(() -> scene.duplicates("hang") >= 1);
            assertThat(effects(scene)).containsExactlyInAnyOrder("a", "b", "hang", "c");
            assertThat(scene.effects).containsExactly("hang");
        }
    }

    private static boolean isDone(Scene scene, String id) {
        return scene.store
                .find(scene.key(id))
                .filter(found -> found.state() == StoredRecord.State.DONE)
                .isPresent();
    }

    private static ConsumeResult effect(Scene scene, String id) {
        scene.effects.add(id);
        return ConsumeResult.SUCCESS;
    }

    /** Of both processes. */
    private List<String> effects(Scene scene) {
        List<String> all = new CopyOnWriteArrayList<>(scene.effects);
        output.stream()
                .filter(line -> line.startsWith("EFFECT "))
                .map(line -> line.substring("EFFECT ".length()))
                .forEach(all::add);
        return all;
    }

    private Process start(String... arguments) throws IOException {
        Process process = ChildJvm.start(ConsumerProgram.class, arguments);
        Thread reader = new Thread(() -> process.inputReader().lines().forEach(output::add), "output");
        reader.setDaemon(true);
        reader.start();
        return process;
    }
}
