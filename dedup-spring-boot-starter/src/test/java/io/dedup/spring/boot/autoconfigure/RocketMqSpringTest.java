package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
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
import io.dedup.spring.boot.autoconfigure.RetriedHandlers.Retried;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.spring.annotation.ConsumeMode;
import org.apache.rocketmq.spring.annotation.MessageModel;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.autoconfigure.RocketMQAutoConfiguration;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.apache.rocketmq.spring.core.RocketMQPushConsumerLifecycleListener;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.apache.rocketmq.spring.support.RocketMQMessageListenerContainerRegistrar;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** {@code @RocketMQMessageListener}s of rocketmq-spring as a user writes them, on a real RocketMQ. */
class RocketMqSpringTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final int REQUEST_MILLIS = 30_000; // the client's default of 3 s is short for a busy machine
    private static final Map<String, List<String>> HANDLED = new ConcurrentHashMap<>();
    private static final List<String> OUTCOMES = new CopyOnWriteArrayList<>();
    private static final Semaphore GATE = new Semaphore(0);

    private static RocketMqServer server;
    private static DefaultMQProducer producer;
    private static ConfigurableApplicationContext context;

    /** Settings that the annotation has no attributes for. */
    interface Patient extends RocketMQPushConsumerLifecycleListener {
        @Override
        default void prepareStart(DefaultMQPushConsumer consumer) {
            consumer.setMqClientApiTimeout(REQUEST_MILLIS);
            consumer.setPollNameServerInterval(500);
            consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        }
    }

    @RocketMQMessageListener(
            topic = "${prefix}orders",
            consumerGroup = "${prefix}orders",
            delayLevelWhenNextConsume = 1)
    static class Orders implements RocketMQListener<String>, Patient {
        @Override
        public void onMessage(String body) {
            handle("orders", body);
        }
    }

    @Deduplicated(id = "keys")
    @RocketMQMessageListener(
            topic = "${prefix}steps",
            consumerGroup = "${prefix}steps",
            consumeMode = ConsumeMode.ORDERLY,
            suspendCurrentQueueTimeMillis = 50)
    static class Steps implements RocketMQListener<MessageExt>, Patient {
        @Override
        public void onMessage(MessageExt message) {
            handle(message.getTopic().substring(ID.length()), new String(message.getBody(), StandardCharsets.UTF_8));
        }
    }

    @RocketMQMessageListener(
            topic = "${prefix}doors",
            consumerGroup = "${prefix}doors",
            consumeMode = ConsumeMode.ORDERLY,
            maxReconsumeTimes = 1)
    static class Doors extends Steps {}

    /** A value of a body in JSON. */
    record Payment(String id, int amount) {}

    @RocketMQMessageListener(
            topic = "${prefix}payments",
            consumerGroup = "${prefix}payments",
            delayLevelWhenNextConsume = 1)
    static class Payments implements RocketMQListener<Map<String, Object>>, Patient {
        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Override
        @Transactional
        @Deduplicated(id = "json:/id", mode = DedupMode.TRANSACTIONAL)
        public void onMessage(Map<String, Object> payment) {
            jdbc.update("INSERT INTO payment VALUES (?)", payment.get("id"));
            handle("payments", String.valueOf(payment.get("id")));
        }
    }

    @RocketMQMessageListener(
            topic = "${prefix}quotes",
            consumerGroup = "${prefix}quotes",
            replyTimeout = REQUEST_MILLIS)
    static class Quotes implements RocketMQReplyListener<String, String>, Patient {
        @Override
        public String onMessage(String body) {
            handle("quotes", body);
            return body.equals("nothing")
                    ? null
                    : body + " costs " + handled("quotes").size();
        }
    }

    @RocketMQMessageListener(
            topic = "${prefix}seats",
            consumerGroup = "${prefix}seats",
            consumeMode = ConsumeMode.ORDERLY,
            suspendCurrentQueueTimeMillis = 50,
            replyTimeout = REQUEST_MILLIS)
    @Deduplicated(id = "keys")
    static class Seats implements RocketMQReplyListener<Payment, Payment>, Patient {
        @Override
        public Payment onMessage(Payment request) {
            handle("seats", request.id());
            return new Payment(request.id(), handled("seats").size());
        }
    }

    /** Its declaration doesn't show that its first reply comes later. */
    @RocketMQMessageListener(
            topic = "${prefix}prices",
            consumerGroup = "${prefix}prices",
            consumeMode = ConsumeMode.ORDERLY,
            suspendCurrentQueueTimeMillis = 50,
            replyTimeout = REQUEST_MILLIS)
    @Deduplicated(id = "keys")
    static class Prices implements RocketMQReplyListener<String, Object>, Patient {
        @Override
        public Object onMessage(String body) {
            handle("prices", body);
            int run = handled("prices").size();
            return run == 1 ? new CompletableFuture<>() : body + " costs " + run;
        }
    }

    @RocketMQMessageListener(topic = "${prefix}plain", consumerGroup = "${prefix}plain")
    static class Plain implements RocketMQListener<String>, Patient {
        @Override
        public void onMessage(String body) {
            handle("plain", body);
        }
    }

    private static void handle(String topic, String body) {
        List<String> handled = handled(topic);
        handled.add(body);
        if (body.startsWith("slow")) {
            GATE.acquireUninterruptibly();
        }
        if (body.startsWith("fails") && handled.stream().filter(body::equals).count() == 1) {
            throw new IllegalStateException("the first try fails");
        }
    }

    private static List<String> handled(String topic) {
        return HANDLED.computeIfAbsent(topic, unused -> new CopyOnWriteArrayList<>());
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration({
        DedupAutoConfiguration.class,
        RocketMqSpringDedupAutoConfiguration.class,
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
    @Import({
        Base.class,
        Orders.class,
        Steps.class,
        Payments.class,
        Quotes.class,
        Seats.class,
        Prices.class,
        Doors.class,
        Plain.class
    })
    static class App {}

    @BeforeAll
    static void start() throws Exception {
        server = RocketMqServers.shared();
        for (String topic : List.of("orders", "payments", "quotes", "plain", "replayed", "late", "loose", "parted")) {
            server.createTopic(ID + topic, TopicType.NORMAL, 2);
        }
        server.createTopic(ID + "steps", TopicType.FIFO, 1);
        server.createTopic(ID + "seats", TopicType.FIFO, 1);
        server.createTopic(ID + "doors", TopicType.FIFO, 1);
        server.createTopic(ID + "prices", TopicType.FIFO, 1);
        producer = new DefaultMQProducer("producers-" + ID);
        producer.setNamesrvAddr(server.nameServerAddress());
        producer.setSendMsgTimeout(REQUEST_MILLIS);
        producer.setMqClientApiTimeout(REQUEST_MILLIS);
        producer.start();
        context = run(App.class);
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE payment (id varchar(100))"); // no unique key
    }

    @AfterAll
    static void stop() {
        context.close();
        producer.shutdown();
    }

    private static ConfigurableApplicationContext run(Class<?> app, String... settings) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(WebApplicationType.NONE);
        List<String> all = new ArrayList<>(List.of(
                "--spring.autoconfigure.exclude=",
                "--prefix=" + ID,
                "--rocketmq.name-server=" + server.nameServerAddress(),
                "--spring.datasource.url=jdbc:h2:mem:" + ID + ";DB_CLOSE_DELAY=-1",
                "--dedup.store=jdbc",
                "--dedup.jdbc.initialize-schema=always",
                "--dedup.defaults.in-flight-wait=10ms",
                "--dedup.defaults.max-defer-delay=50ms",
                "--dedup.topics.[" + ID + "orders].id=property:order-id",
                "--dedup.topics.[" + ID + "quotes].id=keys"));
        all.addAll(List.of(settings));
        return application.run(all.toArray(String[]::new));
    }

    private static Message message(String topic, String key, String body) {
        Message message = new Message(ID + topic, null, key, body.getBytes(StandardCharsets.UTF_8));
        message.putUserProperty("order-id", key);
        return message;
    }

    private static void send(String topic, String key, String body) throws Exception {
        producer.send(message(topic, key, body));
    }

    private static void awaitHandled(String topic, String... bodies) {
        await().untilAsserted(() -> assertThat(handled(topic)).containsExactlyInAnyOrder(bodies));
    }

    /** At least so many: a message may be deferred more than once. */
    private static void awaitOutcomes(String outcome, String topic, int count) {
        await().untilAsserted(() -> assertThat(OUTCOMES.stream()
                        .filter((outcome + " " + ID + topic)::equals)
                        .count())
                .isGreaterThanOrEqualTo(count));
    }

    @Test
    @DisplayName(
            "By YAML alone: a duplicate, a redelivery after a failure, a copy in flight; a topic without an entry stays as it is")
    void concurrently() throws Exception {
        send("orders", "a", "fails once");
        awaitHandled("orders", "fails once", "fails once");
        send("orders", "a", "duplicate");
        send("orders", "b", "slow");
        await().until(() -> handled("orders").contains("slow"));
        send("orders", "b", "copy in flight");
        send("orders", "c", "last");
        awaitHandled("orders", "fails once", "fails once", "slow", "last");
        awaitOutcomes("deferred", "orders", 1);
        GATE.release();
        awaitOutcomes("duplicate", "orders", 2);
        assertThat(handled("orders")).containsExactlyInAnyOrder("fails once", "fails once", "slow", "last");
        send("plain", "a", "plain");
        send("plain", "a", "plain");
        awaitHandled("plain", "plain", "plain");
        assertThat(context.getBean(DeduplicatorRegistry.class).listeners())
                .extracting(served -> served.listener().consumer())
                .contains(ID + "orders", ID + "steps", ID + "payments", ID + "quotes")
                .doesNotContain(ID + "plain");
    }

    @Test
    @DisplayName("By the annotation of the class alone, orderly: a failure suspends the queue, duplicates are skipped")
    void orderly() throws Exception {
        send("steps", "a", "fails first");
        send("steps", "a", "duplicate");
        send("steps", "b", "second");
        send("steps", "a", "duplicate");
        send("steps", "c", "third");
        await().untilAsserted(() ->
                assertThat(handled("steps")).containsExactly("fails first", "fails first", "second", "third"));
        awaitOutcomes("duplicate", "steps", 2);
    }

    @Test
    @DisplayName("Orderly, in flight elsewhere: its queue waits, nothing is acknowledged, and the order is kept")
    void orderlyInFlight() throws Exception {
        Execution elsewhere = runningElsewhere("doors", "a");
        try {
            send("doors", "a", "in flight elsewhere");
            send("doors", "b", "behind it");
            awaitOutcomes("deferred", "doors", 3);
            assertThat(handled("doors")).doesNotContain("in flight elsewhere", "behind it");
        } finally {
            elsewhere.fail(new IllegalStateException("the other one failed"));
        }
        await().untilAsserted(() -> assertThat(handled("doors")).containsExactly("in flight elsewhere", "behind it"));
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
    @DisplayName(
            "By the annotation of the method, transactional: the handler's own @Transactional joins, its rollback undoes the record")
    void transactional() throws Exception {
        send("payments", "k", "{\"id\":\"fails at first\"}");
        awaitHandled("payments", "fails at first", "fails at first");
        send("payments", "k", "{\"id\":\"fails at first\"}");
        awaitOutcomes("duplicate", "payments", 1);
        assertThat(context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM payment", String.class))
                .containsExactly("fails at first");
    }

    @Test
    @DisplayName("A duplicate request gets the stored reply, without a run of the listener")
    void replies() throws Exception {
        assertThat(request("tea")).isEqualTo("tea costs 1");
        assertThat(request("tea")).isEqualTo("tea costs 1");
        assertThat(handled("quotes")).containsExactly("tea");
        // rocketmq-spring takes a reply that it cannot convert for a failure, and would repeat the effect
        send("quotes", "n", "nothing");
        awaitOutcomes("completed", "quotes", 2);
        send("quotes", "n", "nothing");
        awaitOutcomes("duplicate", "quotes", 2);
        assertThat(handled("quotes")).containsExactly("tea", "nothing");
    }

    private static String request(String body) throws Exception {
        return request("quotes", "q", body);
    }

    private static String request(String topic, String key, String body) throws Exception {
        return new String(
                producer.request(message(topic, key, body), REQUEST_MILLIS).getBody(), StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName(
            "Orderly requests in JSON: a failure suspends the queue until its reply, and a duplicate gets the stored reply")
    void orderlyReplies() throws Exception {
        assertThat(request("seats", "s1", "{\"id\":\"fails at first\",\"amount\":0}"))
                .isEqualTo("{\"id\":\"fails at first\",\"amount\":2}");
        assertThat(request("seats", "s1", "{\"id\":\"sent again\",\"amount\":0}"))
                .isEqualTo("{\"id\":\"fails at first\",\"amount\":2}");
        assertThat(handled("seats")).containsExactly("fails at first", "fails at first");
    }

    @Test
    @DisplayName("A listener that returns a future fails: nothing counts as done before its effect")
    void lateReply() throws Exception {
        assertThat(request("prices", "p", "tea")).isEqualTo("tea costs 2");
        assertThat(handled("prices")).containsExactly("tea", "tea");
    }

    @RocketMQMessageListener(topic = "${prefix}replayed", consumerGroup = "${prefix}${group}")
    @Deduplicated(id = "property:order-id", consumer = "${prefix}replayed")
    static class Replayed implements RocketMQListener<String>, Patient {
        @Override
        public void onMessage(String body) {
            handle("replayed", body);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Replayed.class})
    static class ReplayedApp {}

    @Test
    @DisplayName("A replay from the first offset, by another process and group of the same consumer, has no effect")
    void replay() throws Exception {
        send("replayed", "a", "a");
        send("replayed", "b", "b");
        try (ConfigurableApplicationContext first = run(ReplayedApp.class, "--group=before")) {
            awaitHandled("replayed", "a", "b");
            awaitOutcomes("completed", "replayed", 2);
        }
        try (ConfigurableApplicationContext second = run(ReplayedApp.class, "--group=after")) {
            awaitOutcomes("duplicate", "replayed", 2);
        }
        assertThat(handled("replayed")).containsExactlyInAnyOrder("a", "b");
    }

    @RocketMQMessageListener(topic = "${prefix}late", consumerGroup = "${prefix}late")
    @Deduplicated(id = "spel:body.substring(0, 1)")
    static class Late implements RocketMQListener<String>, Patient {
        @Override
        public void onMessage(String body) {
            handle("late", body);
        }
    }

    @Test
    @DisplayName("A listener whose bean is registered at run time is deduplicated")
    void atRunTime() throws Exception {
        ((GenericApplicationContext) context).registerBean("late", Late.class);
        context.getBean("late");
        context.getBean(RocketMQMessageListenerContainerRegistrar.class).startContainer();
        send("late", "k", "a first");
        send("late", "k", "a second");
        send("late", "k", "b first");
        awaitOutcomes("duplicate", "late", 1);
        await().until(() -> handled("late").size() == 2);
        assertThat(handled("late")).anyMatch(each -> each.startsWith("a")).contains("b first");
    }

    @RocketMQMessageListener(
            topic = "${prefix}loose",
            consumerGroup = "${prefix}loose",
            selectorExpression = "wanted || also")
    @Deduplicated(id = "keys")
    static class Loose implements RocketMQListener<String>, Patient {
        @Override
        public void prepareStart(DefaultMQPushConsumer consumer) {
            Patient.super.prepareStart(consumer);
            consumer.setConsumeMessageBatchMaxSize(8);
        }

        @Override
        public void onMessage(String body) {
            handle("loose", body);
        }
    }

    @Test
    @DisplayName(
            "A listener that is no bean is deduplicated by the annotation of its class; in batches; its tags select as before")
    void noBean() throws Exception {
        RocketMQMessageListenerContainerRegistrar registrar =
                context.getBean(RocketMQMessageListenerContainerRegistrar.class);
        registrar.registerContainer("no bean", new Loose(), Loose.class.getAnnotation(RocketMQMessageListener.class));
        for (String tag : List.of("wanted", "also", "other", "wanted")) {
            Message message = message("loose", tag.equals("other") ? "other" : "a", "a " + tag);
            message.setTags(tag);
            producer.send(message);
        }
        Message last = message("loose", "b", "last");
        last.setTags("also");
        producer.send(last);
        registrar.startContainer();
        awaitOutcomes("duplicate", "loose", 2);
        await().until(() -> handled("loose").contains("last"));
        assertThat(handled("loose")).hasSize(2).noneMatch("a other"::equals);
    }

    @RocketMQMessageListener(topic = "${prefix}parted", consumerGroup = "${prefix}parted")
    @Deduplicated(id = "keys")
    static class Parted implements RocketMQListener<String>, Patient {
        @Override
        public void onMessage(String body) {
            handle("parted", body);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RocketMQAutoConfiguration.class)
    @Import(Parted.class)
    static class ChildApp {}

    @Test
    @DisplayName(
            "A listener of a child context, whose container belongs to the parent, is deduplicated by its annotation")
    void childContext() throws Exception {
        SpringApplicationBuilder child =
                new SpringApplicationBuilder(ChildApp.class).parent(context).web(WebApplicationType.NONE);
        try (ConfigurableApplicationContext started = child.run("--spring.autoconfigure.exclude=")) {
            send("parted", "a", "a");
            send("parted", "a", "a again");
            awaitOutcomes("duplicate", "parted", 1);
            assertThat(handled("parted")).hasSize(1);
        }
    }

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}group", namespace = "one")
    static class InOne extends Orders {}

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}group", namespaceV2 = "two")
    static class InTwo extends Orders {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, InOne.class, InTwo.class})
    static class NamespacesApp {}

    @Test
    @DisplayName("Groups of two namespaces are two consumers: neither takes the other's messages for duplicates")
    void namespaces() {
        try (ConfigurableApplicationContext started = run(NamespacesApp.class)) {
            assertThat(started.getBean(DeduplicatorRegistry.class).listeners())
                    .extracting(
                            served -> served.listener().consumer(),
                            served -> served.listener().byTopic().keySet())
                    .containsExactlyInAnyOrder(
                            tuple("one%" + ID + "group", Set.of(ID + "orders")),
                            tuple("two%" + ID + "group", Set.of(ID + "orders")));
        }
    }

    @RocketMQMessageListener(
            topic = "${prefix}orders",
            consumerGroup = "${prefix}refused",
            messageModel = MessageModel.BROADCASTING)
    static class Broadcasting extends Orders {}

    @RocketMQMessageListener(
            topic = "${prefix}orders",
            consumerGroup = "${prefix}refused",
            consumeMode = ConsumeMode.ORDERLY,
            maxReconsumeTimes = 3)
    static class LimitedBatches extends Orders {
        @Override
        public void prepareStart(DefaultMQPushConsumer consumer) {
            consumer.setConsumeMessageBatchMaxSize(10);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Broadcasting.class})
    static class BroadcastingApp {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, LimitedBatches.class})
    static class LimitedBatchesApp {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import(Base.class)
    static class PullingApp {}

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}refused")
    @Deduplicated(consumerGroup = "${group:}")
    static class Grouped extends Orders {}

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}refused")
    static class Later extends Orders {
        @Async
        @Override
        public void onMessage(String body) {}
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAsync
    @Import({Base.class, Later.class})
    static class LaterApp {}

    @Test
    @DisplayName("An @Async handler, whose messages would be acknowledged before its effect, is refused")
    void async() {
        assertThat(Refusals.of(() -> run(LaterApp.class))).contains("its handler is @Async", ".enabled: false");
    }

    /** What several listeners have in common. */
    abstract static class Answering<R> implements RocketMQReplyListener<String, R>, Patient {
        @Override
        public R onMessage(String body) {
            throw new AssertionError();
        }
    }

    @RocketMQMessageListener(topic = "${prefix}quotes", consumerGroup = "${prefix}refused")
    static class Promising extends Answering<CompletableFuture<String>> {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Promising.class})
    static class PromisingApp {}

    @Test
    @DisplayName("A reply listener that is declared to return a future is refused")
    void promises() {
        assertThat(Refusals.of(() -> run(PromisingApp.class)))
                .contains("its handler returns CompletableFuture", ".enabled: false");
    }

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}refused")
    static class Repeated extends Orders {
        @Retried
        @Override
        public void onMessage(String body) {}
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, RetriedHandlers.class, Repeated.class})
    static class RepeatedApp {}

    @Test
    @DisplayName("A handler that an advice calls again is refused in a transactional mode, and not in mode leased")
    void repeated() {
        String mode = "--dedup.topics.[" + ID + "orders].mode=";
        assertThat(Refusals.of(() -> run(RepeatedApp.class, mode + "transactional")))
                .contains("its handler is called again after a failure", "TwiceRetryInterceptor", ".enabled: false");
        run(RepeatedApp.class, mode + "leased").close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import({Base.class, Grouped.class})
    static class GroupedApp {}

    @Test
    @DisplayName("A consumer group beside the listener's own would have no effect, and is refused")
    void otherGroup() {
        String entry = "dedup.listeners.[" + Grouped.class.getName() + "].consumer-group";
        String is = "is in consumer group " + ID + "refused, but ";
        assertThat(Refusals.of(() -> run(GroupedApp.class, "--" + entry + "=mine")))
                .contains(is, "consumer-group is mine", ".consumer.");
        assertThat(Refusals.of(() -> run(GroupedApp.class, "--group=mine")))
                .contains(is, "consumerGroup of its @Deduplicated is mine");
    }

    @Test
    @DisplayName(
            "Refused at start, with the setting: broadcasting, orderly batches with a limit, pull consumers; not if switched off")
    void refused() {
        assertThat(Refusals.of(() -> run(BroadcastingApp.class)))
                .contains("BROADCASTING", "dedup.listeners.\"[" + Broadcasting.class.getName() + "]\".enabled: false");
        assertThat(Refusals.of(() -> run(LimitedBatchesApp.class)))
                .contains("consumeMessageBatchMaxSize is 10", "maxReconsumeTimes is 3", ".enabled: false");
        assertThat(Refusals.of(() -> run(
                        PullingApp.class,
                        "--rocketmq.pull-consumer.group=" + ID + "pulling",
                        "--rocketmq.pull-consumer.topic=" + ID + "orders")))
                .contains("RocketMQTemplate.receive", "dedup.listeners.defaultLitePullConsumer.enabled: false");
        try (ConfigurableApplicationContext started =
                run(BroadcastingApp.class, "--dedup.listeners.[" + Broadcasting.class.getName() + "].enabled=false")) {
            assertThat(started.getBean(DeduplicatorRegistry.class).listeners()).isEmpty();
        }
    }
}
