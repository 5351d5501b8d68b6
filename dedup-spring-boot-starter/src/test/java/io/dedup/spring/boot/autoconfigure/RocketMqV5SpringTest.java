package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.annotation.RocketMQMessageListener;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.message.MessageBuilder;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.apache.rocketmq.client.apis.producer.Transaction;
import org.apache.rocketmq.client.apis.producer.TransactionResolution;
import org.apache.rocketmq.client.autoconfigure.ListenerContainerConfiguration;
import org.apache.rocketmq.client.autoconfigure.RocketMQAutoConfiguration;
import org.apache.rocketmq.client.core.RocketMQListener;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** {@code @RocketMQMessageListener}s of the newer client's Spring Boot starter, on a real RocketMQ. */
class RocketMqV5SpringTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final List<String> OUTCOMES = new CopyOnWriteArrayList<>();
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    private static RocketMqServer server;
    private static Producer producer;
    private static ConfigurableApplicationContext context;

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}orders", tag = "*")
    static class Orders implements RocketMQListener {
        @Override
        public ConsumeResult consume(MessageView message) {
            return handle(message);
        }
    }

    /** Its group is FIFO on the server. */
    @Deduplicated(id = "keys")
    @RocketMQMessageListener(topic = "${prefix}steps", consumerGroup = "${prefix}steps", tag = "*")
    static class Steps extends Orders {}

    @Deduplicated(id = "keys")
    @RocketMQMessageListener(topic = "${prefix}trades", consumerGroup = "${prefix}trades", tag = "*")
    static class Trades extends Orders {}

    @RocketMQMessageListener(topic = "${prefix}payments", consumerGroup = "${prefix}payments", tag = "*")
    static class Payments implements RocketMQListener {
        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        @Transactional
        @Deduplicated(id = "keys", mode = DedupMode.TRANSACTIONAL)
        public ConsumeResult consume(MessageView message) {
            jdbc.update("INSERT INTO payment VALUES (?)", body(message));
            return handle(message);
        }
    }

    @RocketMQMessageListener(topic = "${prefix}plain", consumerGroup = "${prefix}plain", tag = "*")
    static class Plain extends Orders {}

    private static ConsumeResult handle(MessageView message) {
        String body = message.getTopic().substring(ID.length()) + ": " + body(message);
        boolean first = !HANDLED.contains(body);
        HANDLED.add(body);
        if (body.contains("throws") && first) {
            throw new IllegalStateException("the first try fails");
        }
        return body.contains("fails") && first ? ConsumeResult.FAILURE : ConsumeResult.SUCCESS;
    }

    private static String body(MessageView message) {
        return StandardCharsets.UTF_8.decode(message.getBody().duplicate()).toString();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration({
        DedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class,
        RocketMqV5SpringDedupAutoConfiguration.class,
        RocketMQAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class
    })
    static class Base {
        @Bean
        DedupListener outcomes() {
            return new Outcomes(OUTCOMES);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Orders.class, Steps.class, Trades.class, Payments.class, Plain.class})
    static class App {}

    @BeforeAll
    static void start() throws Exception {
        server = RocketMqServers.shared();
        for (String topic : List.of("orders", "payments", "plain", "loose")) {
            server.createTopic(ID + topic, TopicType.NORMAL, 1);
            server.createGroup(ID + topic, false, 16, Duration.ofMillis(200));
        }
        server.createTopic(ID + "steps", TopicType.FIFO, 1);
        server.createGroup(ID + "steps", true, 16, Duration.ofMillis(200));
        server.createTopic(ID + "trades", TopicType.TRANSACTION, 1);
        server.createGroup(ID + "trades", false, 16, Duration.ofMillis(200));
        context = run(App.class, "--dedup.strict=true");
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE payment (id varchar(100))"); // no unique key
        producer = ClientServiceProvider.loadService()
                .newProducerBuilder()
                .setClientConfiguration(ClientConfiguration.newBuilder()
                        .setEndpoints(server.endpoints())
                        .enableSsl(false)
                        .build())
                .setTransactionChecker(message -> TransactionResolution.UNKNOWN)
                .setTopics(ID + "orders", ID + "payments", ID + "plain", ID + "steps", ID + "trades")
                .build();
    }

    @AfterAll
    static void stop() throws IOException {
        producer.close();
        context.close();
    }

    @Test
    @DisplayName("By YAML alone: each ID takes effect once; a topic without an entry stays as it is")
    void eachIdTakesEffectOnce() throws Exception {
        send("orders", "a", "fails once");
        send("orders", "c", "throws once");
        await().until(() -> handled("orders").size() == 4);
        send("orders", "a", "duplicate");
        send("orders", "c", "duplicate");
        send("orders", "b", "last");
        awaitOutcomes("duplicate", "orders", 2);
        await().until(() -> handled("orders").contains("last"));
        assertThat(handled("orders"))
                .containsExactlyInAnyOrder("fails once", "fails once", "throws once", "throws once", "last");
        send("plain", "a", "plain");
        send("plain", "a", "plain");
        await().until(() -> handled("plain").size() == 2);
        assertThat(context.getBean(DeduplicatorRegistry.class).listeners())
                .extracting(served -> served.listener().consumer())
                .contains(ID + "orders", ID + "steps", ID + "trades", ID + "payments")
                .doesNotContain(ID + "plain");
    }

    @Test
    @DisplayName(
            "By the annotation alone, FIFO: a failure and a message in flight elsewhere block their message group, and the order is kept")
    void fifo() throws Exception {
        Execution elsewhere = runningElsewhere("steps", "b");
        try {
            for (String each :
                    List.of("a fails once", "a again", "b in flight elsewhere", "c", "a again", "d throws once")) {
                producer.send(message("steps", each.substring(0, 1), each)
                        .setMessageGroup("one")
                        .build());
            }
            awaitOutcomes("deferred", "steps", 3);
            assertThat(handled("steps")).containsExactly("a fails once", "a fails once");
        } finally {
            elsewhere.fail(new IllegalStateException("the other one failed"));
        }
        await().untilAsserted(() -> assertThat(handled("steps"))
                .containsExactly(
                        "a fails once",
                        "a fails once",
                        "b in flight elsewhere",
                        "c",
                        "d throws once",
                        "d throws once"));
        awaitOutcomes("duplicate", "steps", 2);
    }

    /** Claimed by something that isn't the listener. */
    private static Execution runningElsewhere(String topic, String id) {
        Deduplicator dedup = context.getBean(DeduplicatorRegistry.class).listeners().stream()
                .filter(each -> each.listener().byTopic().containsKey(ID + topic))
                .map(each -> each.servedBy().deduplicator())
                .findFirst()
                .orElseThrow();
        Admission.Run admitted = (Admission.Run) DedupAdapter.of(dedup)
                .admit(Delivery.of(dedup.topic(ID + topic), id, null, () -> "elsewhere"), WaitBudget.none());
        admitted.execution().begin();
        return admitted.execution();
    }

    @Test
    @DisplayName("Transactional messages: what is committed twice takes effect once, what is rolled back never")
    void transactionalMessages() throws Exception {
        commit("a", "committed fails once");
        await().until(() -> handled("trades").size() == 2);
        sendInTransaction("b", "rolled back").rollback();
        commit("a", "committed again");
        commit("b", "committed later");
        awaitOutcomes("duplicate", "trades", 1);
        await().until(() -> handled("trades").size() == 3);
        assertThat(handled("trades"))
                .containsExactlyInAnyOrder("committed fails once", "committed fails once", "committed later");
    }

    private static void commit(String key, String body) throws ClientException {
        sendInTransaction(key, body).commit();
    }

    private static Transaction sendInTransaction(String key, String body) throws ClientException {
        Transaction transaction = producer.beginTransaction();
        producer.send(message("trades", key, body).build(), transaction);
        return transaction;
    }

    @Test
    @DisplayName(
            "Transactional mode: the handler's own @Transactional joins, and FAILURE and exceptions undo its effect")
    void transactionalMode() throws Exception {
        send("payments", "a", "fails once");
        send("payments", "b", "throws once");
        await().until(() -> handled("payments").size() == 4);
        send("payments", "a", "fails once");
        send("payments", "b", "throws once");
        awaitOutcomes("duplicate", "payments", 2);
        assertThat(context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM payment", String.class))
                .containsExactlyInAnyOrder("fails once", "throws once");
    }

    @Deduplicated(id = "keys", consumerGroup = "${other:}")
    @RocketMQMessageListener(topic = "${prefix}loose", consumerGroup = "${prefix}loose", tag = "*")
    static class Loose extends Orders {}

    @Test
    @DisplayName("A listener that is no bean is deduplicated by the annotation of its class")
    void noBean() throws Exception {
        ListenerContainerConfiguration registrar = context.getBean(ListenerContainerConfiguration.class);
        registrar.registerContainer("no bean", new Loose(), Loose.class.getAnnotation(RocketMQMessageListener.class));
        registrar.startContainer();
        send("loose", "a", "a");
        send("loose", "a", "a again");
        awaitOutcomes("duplicate", "loose", 1);
        assertThat(handled("loose")).hasSize(1);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Loose.class})
    static class LooseApp {}

    @Test
    @DisplayName("A consumer group beside the listener's own would have no effect, and is refused")
    void otherGroup() {
        String entry = "dedup.listeners.[" + Loose.class.getName() + "].consumer-group";
        String is = "is in consumer group " + ID + "loose, but ";
        assertThat(Refusals.of(() -> run(LooseApp.class, "--" + entry + "=mine")))
                .contains(is, "consumer-group is mine", ".consumer.");
        assertThat(Refusals.of(() -> run(LooseApp.class, "--other=mine")))
                .contains(is, "consumerGroup of its @Deduplicated is mine");
    }

    @Test
    @DisplayName("A simple consumer of a configured topic is refused at start")
    void simpleConsumer() {
        assertThat(Refusals.of(() -> run(
                        Base.class,
                        "--rocketmq.simple-consumer.endpoints=" + server.endpoints(),
                        "--rocketmq.simple-consumer.consumer-group=" + ID + "pulling",
                        "--rocketmq.simple-consumer.tag=*",
                        "--rocketmq.simple-consumer.topic=" + ID + "orders")))
                .contains("RocketMQClientTemplate.receive", "dedup.listeners.simpleConsumerBuilder.enabled: false");
    }

    private static List<String> handled(String topic) {
        String prefix = topic + ": ";
        return HANDLED.stream()
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .toList();
    }

    private static void awaitOutcomes(String outcome, String topic, int count) {
        await().untilAsserted(() -> assertThat(OUTCOMES.stream()
                        .filter((outcome + " " + ID + topic)::equals)
                        .count())
                .isGreaterThanOrEqualTo(count));
    }

    private static MessageBuilder message(String topic, String key, String body) {
        return ClientServiceProvider.loadService()
                .newMessageBuilder()
                .setTopic(ID + topic)
                .setKeys(key)
                .addProperty("order-id", key)
                .setBody(body.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(String topic, String key, String body) throws ClientException {
        Message message = message(topic, key, body).build();
        producer.send(message);
    }

    private static ConfigurableApplicationContext run(Class<?> app, String... settings) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(WebApplicationType.NONE);
        List<String> all = new ArrayList<>(List.of(
                "--spring.autoconfigure.exclude=",
                "--prefix=" + ID,
                "--rocketmq.push-consumer.endpoints=" + server.endpoints(),
                "--spring.datasource.url=jdbc:h2:mem:v5" + ID + ";DB_CLOSE_DELAY=-1",
                "--dedup.store=jdbc",
                "--dedup.jdbc.initialize-schema=always",
                "--dedup.defaults.in-flight-wait=10ms",
                "--dedup.defaults.max-defer-delay=50ms",
                "--dedup.topics.[" + ID + "orders].id=property:order-id"));
        all.addAll(List.of(settings));
        return application.run(all.toArray(String[]::new));
    }
}
