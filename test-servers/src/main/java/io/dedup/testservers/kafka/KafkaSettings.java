package io.dedup.testservers.kafka;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a broker for tests differs from one for production. */
final class KafkaSettings {

    static final String LOGBACK = """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%d %level %logger{0} %msg%n</pattern></encoder>
              </appender>
              <logger name="kafka.server.KafkaRaftServer" level="INFO"/>
              <root level="WARN"><appender-ref ref="console"/></root>
            </configuration>
            """;

    private KafkaSettings() {}

    static Map<String, String> defaults(String host, int port, int controllerPort) {
        Map<String, String> settings = new LinkedHashMap<>(common());
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@" + host + ":" + controllerPort);
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        settings.put("listeners", "PLAINTEXT://" + host + ":" + port + ",CONTROLLER://" + host + ":" + controllerPort);
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        return settings;
    }

    /** What is different where there are three of them. */
    static Map<String, String> replicated(String voters) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("controller.quorum.voters", voters);
        for (String topic :
                List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic", "default")) {
            settings.put(topic + ".replication.factor", "3");
        }
        settings.put("transaction.state.log.min.isr", "2");
        settings.put("share.coordinator.state.topic.min.isr", "2");
        settings.put("min.insync.replicas", "2");
        return settings;
    }

    /** What a broker in a container takes as well. */
    static Map<String, String> common() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "3");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "3");
        // Without these, share groups silently deliver nothing.
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("share.coordinator.state.topic.num.partitions", "3");
        settings.put("default.replication.factor", "1");
        settings.put("min.insync.replicas", "1");
        settings.put("auto.create.topics.enable", "false");
        settings.put("group.initial.rebalance.delay.ms", "0");
        // A commit per record would wait for it each time.
        settings.put("group.coordinator.append.linger.ms", "0");
        // Crash tests wait for these.
        settings.put("group.min.session.timeout.ms", "1000");
        settings.put("group.consumer.min.session.timeout.ms", "1000");
        settings.put("group.consumer.min.heartbeat.interval.ms", "200");
        settings.put("group.share.min.record.lock.duration.ms", "1000");
        settings.put("group.share.min.session.timeout.ms", "1000");
        settings.put("group.share.min.heartbeat.interval.ms", "200");
        // After a kill, the broker's new run is let in when its old run's session is over.
        settings.put("broker.session.timeout.ms", "5000");
        settings.put("broker.heartbeat.interval.ms", "500");
        settings.put("log.retention.ms", "-1");
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        return settings;
    }
}
