package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.DltHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/** An application as a user writes it, on a real Kafka, Redis and PostgreSQL, shared by the tests of this module. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class TestApp {
    static final List<String> TOPICS =
            List.of("orders", "payments", "plain", "batches", "clicks", "raw", "retried", "never", "stuck", "doomed");

    private static @Nullable ConfigurableApplicationContext shared;
    private static final String PREFIX = "app-" + UUID.randomUUID().toString().substring(0, 8) + "-";

    /** What the listeners were given, by topic without the prefix. */
    public static final Map<String, List<String>> HANDLED = new ConcurrentHashMap<>();

    private final JdbcTemplate jdbc;

    public TestApp(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** The name of a topic on the broker. */
    public static String topic(String name) {
        return PREFIX + name;
    }

    /** The group of the listeners that name none. */
    public static String group() {
        return PREFIX + "group";
    }

    /** Started once; ends with the JVM. */
    public static synchronized ConfigurableApplicationContext shared() {
        if (shared != null) {
            return shared;
        }
        SqlDatabase database = PostgresServers.newDatabase();
        for (String topic : TOPICS) {
            KafkaServers.shared().createTopic(topic(topic), 1, Map.of("retention.ms", "3600000"));
        }
        List<String> arguments = new ArrayList<>(List.of(
                "--prefix=" + PREFIX,
                "--server.port=0",
                "--spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers(),
                "--spring.kafka.consumer.group-id=" + group(),
                "--spring.kafka.consumer.auto-offset-reset=earliest",
                "--spring.data.redis.host=" + RedisServers.shared().host(),
                "--spring.data.redis.port=" + RedisServers.shared().port(),
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.dedup.access=unrestricted",
                "--management.endpoint.deduperasure.access=unrestricted",
                "--management.endpoint.health.show-details=always",
                "--management.endpoint.health.probes.enabled=true",
                "--management.endpoint.health.group.readiness.include=readinessState,dedup",
                "--dedup.store=tiered",
                "--dedup.redis.namespace=" + PREFIX,
                "--dedup.redis.command-timeout=20s", // a busy machine
                "--dedup.jdbc.initialize-schema=always",
                "--dedup.defaults.window=2h",
                "--dedup.topics.[" + topic("orders") + "].id=header:order-id",
                "--dedup.topics.[" + topic("orders") + "].explain-duplicates=true",
                "--dedup.topics.[" + topic("orders") + "].sender-header=host",
                "--dedup.topics.payments.topic=" + topic("payments"),
                "--dedup.topics.payments.id=json:/payment/id",
                "--dedup.topics.payments.mode=transactional",
                "--dedup.topics.batches.pattern=" + topic("batch.*"),
                "--dedup.topics.batches.id=key",
                "--dedup.topics.raw.topic=" + topic("raw"),
                "--dedup.topics.raw.id=key",
                "--dedup.listeners.retried.id=key",
                "--dedup.listeners.retried.mode=leased",
                "--dedup.listeners.doomed.id=key",
                "--dedup.listeners.doomed.mode=leased",
                "--dedup.listeners.stuck.id=key",
                "--dedup.listeners.stuck.mode=leased"));
        SpringApplication application = new SpringApplication(TestApp.class);
        ConfigurableApplicationContext context = application.run(arguments.toArray(String[]::new));
        context.getBean(JdbcTemplate.class)
                .execute("CREATE TABLE payment (id varchar(100), amount int)"); // no unique key
        shared = context;
        return context;
    }

    /** Sends and waits for the broker's answer. */
    public static void send(String topic, @Nullable String key, String value, String... headers) {
        KafkaTemplate<String, String> template = template();
        ProducerRecord<String, String> record = new ProducerRecord<>(topic(topic), key, value);
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        template.send(record).orTimeout(60, TimeUnit.SECONDS).join();
    }

    @SuppressWarnings("unchecked")
    private static KafkaTemplate<String, String> template() {
        return shared().getBean(KafkaTemplate.class);
    }

    /** What the listeners of a topic were given so far. */
    public static List<String> handled(String topic) {
        return HANDLED.computeIfAbsent(topic, unused -> new CopyOnWriteArrayList<>());
    }

    public static final Duration LIMIT = Duration.ofMinutes(3);

    @KafkaListener(id = "orders", idIsGroup = false, topics = "${prefix}orders")
    void order(String value) {
        handled("orders").add(value);
    }

    @KafkaListener(id = "payments", idIsGroup = false, topics = "${prefix}payments")
    void payment(String value) {
        jdbc.update("INSERT INTO payment VALUES (?, 1)", value);
        handled("payments").add(value);
        if (value.contains("fail")
                && handled("payments").stream().filter(value::equals).count() == 1) {
            throw new IllegalStateException("the first try fails, its row must be gone");
        }
    }

    @KafkaListener(id = "plain", idIsGroup = false, topics = "${prefix}plain")
    void plain(String value) {
        handled("plain").add(value);
    }

    @KafkaListener(id = "batches", idIsGroup = false, topics = "${prefix}batches", batch = "true")
    void batch(List<String> values) {
        handled("batches").addAll(values);
    }

    @Deduplicated(id = "header:tenant + key", window = "30m", mode = DedupMode.LEASED)
    @KafkaListener(id = "clicks", idIsGroup = false, topics = "${prefix}clicks")
    void click(String value) {
        handled("clicks").add(value);
    }

    @Deduplicated(enabled = false)
    @KafkaListener(id = "raw", idIsGroup = false, topics = "${prefix}raw")
    void raw(String value) {
        handled("raw").add(value);
    }

    @QuickRetries(attempts = "2")
    @KafkaListener(id = "retried", topics = "${prefix}retried")
    void retried(String value) {
        handled("retried").add(value);
        if (handled("retried").size() == 1) {
            throw new IllegalStateException("the first try fails");
        }
    }

    @QuickRetries(attempts = "3")
    @KafkaListener(id = "doomed", topics = "${prefix}doomed")
    void doomed(String value) {
        handled("doomed").add(value);
        if (value.startsWith("bad")) {
            throw new IllegalStateException("every try fails");
        }
    }

    @DltHandler
    void deadLetter(String value) {
        handled("dead letters").add(value);
    }

    @KafkaListener(id = "stuck", idIsGroup = false, topics = "${prefix}stuck")
    public void stuck(String value) throws InterruptedException {
        handled("stuck").add(value);
        if (value.startsWith("wait")) {
            GATE.acquire();
        }
    }

    public static final Semaphore GATE = new Semaphore(0);
}
