package io.dedup.testservers.kafka;

import io.dedup.testservers.process.Ports;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * Three brokers, each a controller as well. A partition is on all of them, and a record is confirmed when two have it
 * ({@code acks=all}): one of them may die. Thread-safe.
 */
public final class KafkaCluster implements AutoCloseable {

    private static final int SIZE = 3;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration ANSWER = Duration.ofSeconds(20);
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final List<KafkaServer> brokers;

    private KafkaCluster(List<KafkaServer> brokers) {
        this.brokers = brokers;
    }

    static KafkaCluster start() {
        List<Integer> controllerPorts =
                IntStream.range(0, SIZE).mapToObj(i -> Ports.free()).toList();
        String voters = IntStream.range(0, SIZE)
                .mapToObj(i -> (i + 1) + "@127.0.0.1:" + controllerPorts.get(i))
                .collect(Collectors.joining(","));
        KafkaCluster cluster = new KafkaCluster(IntStream.range(0, SIZE)
                .mapToObj(i -> broker(i + 1, controllerPorts.get(i), voters))
                .toList());
        // At once: one alone has no majority, and doesn't get ready.
        CompletableFuture.allOf(cluster.brokers.stream()
                        .map(broker ->
                                CompletableFuture.runAsync(broker::start, command -> new Thread(command).start()))
                        .toArray(CompletableFuture[]::new))
                .join();
        return cluster;
    }

    private static KafkaServer broker(int node, int controllerPort, String voters) {
        int port = Ports.free();
        KafkaServer.Builder builder = KafkaServer.builder().node(node).port(port);
        KafkaSettings.replicated(voters).forEach(builder::setting);
        return builder.setting(
                        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort)
                .build();
    }

    /** In the order of their numbers, from 1. */
    public List<KafkaServer> brokers() {
        return brokers;
    }

    /** The value of {@code bootstrap.servers}, with all brokers. */
    public String bootstrapServers() {
        return brokers.stream().map(KafkaServer::bootstrapServers).collect(Collectors.joining(","));
    }

    /** Creates a topic, each of its partitions on all brokers. */
    public void createTopic(String name, int partitions) {
        new KafkaAddress(bootstrapServers()).createTopic(name, partitions, SIZE, Map.of());
    }

    /** Returns when the other brokers lead all partitions of a broker that was killed or paused. */
    public void awaitTakeover(KafkaServer broker) {
        int node = brokers.indexOf(broker) + 1;
        await(
                "takeover from broker " + node,
                partition -> leads(partition) && partition.leader().id() != node);
    }

    /** Returns when all brokers have all records. */
    public void awaitInSync() {
        await(
                "all replicas in sync",
                partition -> leads(partition) && partition.isr().size() == SIZE);
    }

    private static boolean leads(TopicPartitionInfo partition) {
        Node leader = partition.leader();
        return leader != null && !leader.isEmpty();
    }

    private void await(String what, Predicate<TopicPartitionInfo> holds) {
        long begin = System.nanoTime();
        try (Admin admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                2_000))) {
            while (!holdsForAll(admin, holds)) {
                if (System.nanoTime() - begin > LIMIT.toNanos()) {
                    throw new IllegalStateException("not within " + LIMIT.toSeconds() + " s: " + what);
                }
                TimeUnit.NANOSECONDS.sleep(INTERVAL.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + what, e);
        }
    }

    private static boolean holdsForAll(Admin admin, Predicate<TopicPartitionInfo> holds) throws InterruptedException {
        try {
            Set<String> topics = admin.listTopics(new ListTopicsOptions().listInternal(true))
                    .names()
                    .get(ANSWER.toSeconds(), TimeUnit.SECONDS);
            return admin
                    .describeTopics(topics)
                    .allTopicNames()
                    .get(ANSWER.toSeconds(), TimeUnit.SECONDS)
                    .values()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(holds);
        } catch (ExecutionException | TimeoutException noAnswerYet) {
            return false;
        }
    }

    @Override
    public void close() {
        brokers.forEach(KafkaServer::close);
    }
}
