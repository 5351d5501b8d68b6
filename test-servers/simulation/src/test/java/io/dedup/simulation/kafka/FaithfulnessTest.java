package io.dedup.simulation.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.kafka.KafkaServers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

/** The simulated consumer and the real one answer the same calls in the same way. */
class FaithfulnessTest {
    private static final int SCRIPTS = Integer.getInteger("simulation.scripts", 60);
    private static final long FIRST = Long.getLong("simulation.first-script", 1);
    private static final int THREADS = 6;
    private static final int PARTITIONS = 2;

    @Test
    void scriptsObserveTheSame() throws Exception {
        System.out.println("faithfulness: " + SCRIPTS + " scripts from " + FIRST);
        List<NewTopic> topics = new ArrayList<>();
        for (int i = 0; i < SCRIPTS; i++) {
            topics.add(new NewTopic(topic(i), PARTITIONS, (short) 1));
        }
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", KafkaServers.shared().bootstrapServers()))) {
            admin.createTopics(topics).all().get();
        }
        List<String> differences = new CopyOnWriteArrayList<>();
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Callable<Integer>> works = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            String transactionalId = "faithfulness-" + thread;
            works.add(() -> {
                int done = 0;
                try (RealWorld.Clients clients = new RealWorld.Clients(transactionalId)) {
                    for (int i = next.getAndIncrement(); i < SCRIPTS; i = next.getAndIncrement()) {
                        compare(i, clients, differences);
                        done++;
                    }
                }
                return done;
            });
        }
        int done = 0;
        for (Future<Integer> each : threads.invokeAll(works)) {
            done += each.get();
        }
        threads.shutdown();
        assertThat(differences).isEmpty();
        assertThat(done).isEqualTo(SCRIPTS);
    }

    private static String topic(int script) {
        return "faithful-" + (FIRST + script);
    }

    private static void compare(int script, RealWorld.Clients clients, List<String> differences) {
        String topic = topic(script);
        List<String> real;
        List<String> simulated;
        try (RealWorld world = new RealWorld(topic, PARTITIONS, clients)) {
            real = Script.run(FIRST + script, topic, PARTITIONS, world);
            simulated =
                    Script.run(FIRST + script, topic, PARTITIONS, new SimulatedWorld(topic, PARTITIONS, world.taken()));
        } catch (RuntimeException e) {
            throw new IllegalStateException("script " + (FIRST + script), e);
        }
        if (!real.equals(simulated)) {
            int same = 0;
            while (real.get(same).equals(simulated.get(same))) {
                same++;
            }
            differences.add("script " + (FIRST + script) + "\nreal:      " + real.get(same) + "\nsimulated: "
                    + simulated.get(same) + "\nafter:\n" + String.join("\n", real.subList(0, same)) + "\n\n");
        }
    }
}
