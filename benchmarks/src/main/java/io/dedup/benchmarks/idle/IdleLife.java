package io.dedup.benchmarks.idle;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;

/** What the application goes through, with a line on the standard output for each step. */
final class IdleLife {
    private static final int IDS = 1_000;
    private static final int COLLECTIONS = 4;
    private static final long SETTLE_MILLIS = 2_000;

    private final ConfigurableApplicationContext context;

    IdleLife(ConfigurableApplicationContext context) {
        this.context = context;
    }

    void run(long started, int idleSeconds, int copies) throws Exception {
        awaitPartitions();
        report("started", started);
        if (idleSeconds > 0) {
            TimeUnit.SECONDS.sleep(idleSeconds);
            report("idle", 0);
        }
        if (copies > 0) {
            send(copies, 1);
            report("copies", copies);
            send(copies, 2);
            report("copies", 2L * copies);
        }
    }

    private void awaitPartitions() throws InterruptedException {
        Collection<MessageListenerContainer> containers =
                context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainers();
        while (!containers.stream().allMatch(IdleLife::hasPartition)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean hasPartition(MessageListenerContainer container) {
        Collection<?> partitions = container.getAssignedPartitions();
        return partitions != null && !partitions.isEmpty();
    }

    /** The heap is that of what lives: a few collections, since some references need more than one. */
    private static void report(String step, long value) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(SETTLE_MILLIS);
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        System.out.println(new IdleReport(
                        step,
                        value,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                        ManagementFactory.getThreadMXBean().getThreadCount())
                .line());
    }

    /** Many copies of the same messages to the first listener. Returns when it has taken all. */
    private void send(int copies, int round) throws Exception {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", context.getEnvironment().getRequiredProperty("spring.kafka.bootstrap-servers"));
        List<Future<?>> sent = new ArrayList<>();
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < copies; i++) {
                sent.add(producer.send(new ProducerRecord<>(IdleApplication.TOPIC + 0, "id-" + i % IDS, "copy")));
            }
            sent.add(producer.send(
                    new ProducerRecord<>(IdleApplication.TOPIC + 0, "last-" + round, IdleApplication.LAST)));
            for (Future<?> each : sent) {
                each.get();
            }
        }
        context.getBean(IdleApplication.TOPIC + 0, IdleListener.class).awaitLast();
    }
}
