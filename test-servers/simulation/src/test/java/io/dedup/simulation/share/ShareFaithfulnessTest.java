package io.dedup.simulation.share;

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
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;

/** The simulated share consumer and the real one answer the same calls in the same way. */
class ShareFaithfulnessTest {
    private static final int SCRIPTS = Integer.getInteger("simulation.scripts", 12);
    private static final long FIRST = Long.getLong("simulation.first-script", 1);
    /** The broker ignores what is acknowledged before the first record that isn't over. */
    private static final List<Long> ONCE_DIFFERENT = List.of(48535347501925L, 24337625710760L);

    private static final int THREADS = 6;

    @Test
    void scriptsObserveTheSame() throws Exception {
        System.out.println("faithfulness of share groups: " + SCRIPTS + " scripts from " + FIRST);
        Map<String, Object> servers =
                Map.of("bootstrap.servers", KafkaServers.shared().bootstrapServers());
        List<NewTopic> topics = new ArrayList<>();
        List<Long> scripts = new ArrayList<>(ONCE_DIFFERENT);
        LongStream.range(FIRST, FIRST + SCRIPTS).forEach(scripts::add);
        scripts.forEach(each -> topics.add(new NewTopic(topic(each), 1, (short) 1)));
        List<String> differences = new CopyOnWriteArrayList<>();
        AtomicInteger tooSlow = new AtomicInteger();
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Admin admin = Admin.create(servers)) {
            admin.createTopics(topics).all().get();
            List<Callable<Integer>> works = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                works.add(() -> {
                    int done = 0;
                    for (int i = next.getAndIncrement(); i < scripts.size(); i = next.getAndIncrement()) {
                        long seed = scripts.get(i);
                        try (RealShareGroup real = new RealShareGroup(admin, topic(seed))) {
                            ShareScript script = new ShareScript(seed, real);
                            String difference = script.difference();
                            if (script.wasTooSlow()) {
                                tooSlow.incrementAndGet();
                            } else if (difference != null) {
                                differences.add(difference + "\nof script " + seed + "\n\n");
                            }
                        } catch (RuntimeException e) {
                            throw new IllegalStateException("script " + seed, e);
                        }
                        done++;
                    }
                    return done;
                });
            }
            int done = 0;
            for (Future<Integer> each : threads.invokeAll(works)) {
                done += each.get();
            }
            assertThat(done).isEqualTo(scripts.size());
        } finally {
            threads.shutdown();
        }
        System.out.println("faithfulness of share groups: " + tooSlow + " scripts were slower than their locks");
        assertThat(differences).isEmpty();
        assertThat(tooSlow.get())
                .as("scripts that were slower than their locks")
                .isLessThan(SCRIPTS / 2);
    }

    private static String topic(long script) {
        return "faithful-share-" + script;
    }
}
