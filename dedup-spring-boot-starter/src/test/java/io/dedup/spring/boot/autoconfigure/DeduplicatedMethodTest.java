package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.MissingMessageIdException;
import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.simp.annotation.SendToUser;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods of beans that something else than Kafka or RocketMQ calls: they take effect once for each ID. */
class DeduplicatedMethodTest {
    private final ApplicationContextRunner app = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, DedupAutoConfiguration.class, DedupMethodAutoConfiguration.class))
            .withPropertyValues("dedup.store=memory");

    private ApplicationContextRunner withDatabase() {
        return app.withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class))
                .withPropertyValues("spring.datasource.generate-unique-name=true");
    }

    record Order(String id, int cents) {}

    static class Billing {
        final List<String> charged = new CopyOnWriteArrayList<>();
        volatile @Nullable RuntimeException failure;
        volatile CountDownLatch running = new CountDownLatch(0);
        volatile CountDownLatch mayEnd = new CountDownLatch(0);

        @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
        public @Nullable String charge(@Nullable Order order) {
            running.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (failure != null) {
                throw failure;
            }
            charged.add(order == null ? "none" : order.id());
            return "charged " + charged.size();
        }

        @Deduplicated(topic = "refunds", consumer = "billing", id = "#customer + '/' + #p1")
        public Optional<String> refund(@Nullable String customer, long number) {
            charged.add(customer + number);
            return Optional.of("refunded");
        }

        @Deduplicated(topic = "reports", consumer = "billing", id = "bean:today")
        public void report() {
            charged.add("report");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BillingApp {
        @Bean
        Billing billing() {
            return new Billing();
        }

        @Bean
        MessageIdExtractor<List<Object>> today() {
            return arguments -> "2026-11-24";
        }
    }

    @Test
    @DisplayName("a method runs once for each ID; a duplicate gets null or an empty Optional")
    void onceForEachId() {
        app.withUserConfiguration(BillingApp.class).run(context -> {
            Billing billing = context.getBean(Billing.class);
            assertThat(billing.charge(new Order("a", 1))).isEqualTo("charged 1");
            assertThat(billing.charge(new Order("a", 1))).isNull();
            assertThat(billing.charge(new Order("b", 1))).isEqualTo("charged 2");
            assertThat(billing.refund("a", 7)).hasValue("refunded");
            assertThat(billing.refund("a", 7)).isEmpty();
            assertThat(billing.refund("a", 8)).hasValue("refunded");
            billing.report();
            billing.report();
            assertThat(target(billing).charged).containsExactly("a", "b", "a7", "a8", "report");
        });
    }

    static class Elsewhere {
        @Deduplicated(topic = "orders", consumer = "elsewhere", id = "#id")
        public void handle(String id) {}
    }

    @Test
    @DisplayName("the consumers of an application share the thread that looks whether leases are to be renewed")
    void sharedThreads() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        app.withUserConfiguration(BillingApp.class).withBean(Elsewhere.class).run(context -> {
            context.getBean(Billing.class).charge(new Order("a", 1));
            context.getBean(Elsewhere.class).handle("a");
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread ->
                            !before.contains(thread) && thread.getName().startsWith("dedup-timer-"))
                    .hasSize(1);
        });
    }

    @Test
    @DisplayName("a method that fails runs again with the next call")
    void failure() {
        app.withUserConfiguration(BillingApp.class).run(context -> {
            Billing billing = context.getBean(Billing.class);
            IllegalStateException failure = new IllegalStateException("declined");
            target(billing).failure = failure;
            assertThatThrownBy(() -> billing.charge(new Order("a", 1))).isSameAs(failure);
            target(billing).failure = null;
            assertThat(billing.charge(new Order("a", 1))).isEqualTo("charged 1");
        });
    }

    @Test
    @DisplayName("a copy of a call that runs for longer than max-wait is deferred, and never returns as if it had run")
    void inFlight() {
        app.withUserConfiguration(BillingApp.class)
                .withPropertyValues("dedup.listeners.[Billing.charge].max-wait=10ms")
                .run(context -> {
                    Billing billing = context.getBean(Billing.class);
                    CountDownLatch running = new CountDownLatch(1);
                    CountDownLatch mayEnd = new CountDownLatch(1);
                    target(billing).running = running;
                    target(billing).mayEnd = mayEnd;
                    var thread = Executors.newSingleThreadExecutor();
                    try {
                        Future<?> first = thread.submit(() -> billing.charge(new Order("a", 1)));
                        running.await();
                        assertThatThrownBy(() -> billing.charge(new Order("a", 1)))
                                .isInstanceOfSatisfying(
                                        CallDeferredException.class,
                                        e -> assertThat(e.reason()).isEqualTo(DeferReason.IN_FLIGHT))
                                .hasMessageContaining("topic orders, method Billing.charge");
                        mayEnd.countDown();
                        first.get();
                    } finally {
                        thread.shutdown();
                    }
                    assertThat(billing.charge(new Order("a", 1))).isNull();
                    assertThat(target(billing).charged).containsExactly("a");
                });
    }

    @Test
    @DisplayName(
            "a copy of a call that still runs waits for its end, but within a request only for in-flight-wait: the client repeats")
    void waits() {
        app.withUserConfiguration(BillingApp.class)
                .withPropertyValues("dedup.listeners.[Billing.charge].in-flight-wait=10ms")
                .run(context -> {
                    Billing billing = context.getBean(Billing.class);
                    CountDownLatch running = new CountDownLatch(1);
                    CountDownLatch mayEnd = new CountDownLatch(1);
                    target(billing).running = running;
                    target(billing).mayEnd = mayEnd;
                    var threads = Executors.newFixedThreadPool(2);
                    try {
                        Future<?> first = threads.submit(() -> billing.charge(new Order("a", 1)));
                        running.await();
                        AtomicReference<Thread> waiting = new AtomicReference<>();
                        Future<?> copy = threads.submit(() -> {
                            waiting.set(Thread.currentThread());
                            return billing.charge(new Order("a", 1));
                        });
                        RequestContextHolder.setRequestAttributes(aRequest());
                        assertThatThrownBy(() -> billing.charge(new Order("a", 1)))
                                .isInstanceOf(CallDeferredException.class);
                        Awaitility.await().until(() -> isWaiting(waiting.get()));
                        mayEnd.countDown();
                        first.get();
                        assertThat(copy.get()).isNull();
                    } finally {
                        RequestContextHolder.resetRequestAttributes();
                        threads.shutdown();
                    }
                    assertThat(target(billing).charged).containsExactly("a");
                });
    }

    static class CallsItself {
        final List<String> effects = new CopyOnWriteArrayList<>();
        private final CallsItself proxied;

        CallsItself(@Lazy CallsItself proxied) {
            this.proxied = proxied;
        }

        @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
        public void charge(String id, String next) {
            effects.add(id);
            if (effects.size() < 3) {
                proxied.charge(next, next);
            }
        }
    }

    @Test
    @DisplayName(
            "a call within the run of its own ID is refused at once: that run cannot end while it waits, and loses its claim")
    void withinItsOwnRun() {
        app.withBean(CallsItself.class)
                .withPropertyValues(
                        "dedup.listeners.[CallsItself.charge].lease=1s",
                        "dedup.listeners.[CallsItself.charge].max-processing-time=1s")
                .run(context -> {
                    CallsItself itself = context.getBean(CallsItself.class);
                    List<String> effects = ((CallsItself) AopProxyUtils.getSingletonTarget(itself)).effects;
                    assertThatThrownBy(() -> itself.charge("a", "a"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("method CallsItself.charge");
                    assertThat(effects).containsExactly("a");
                    itself.charge("a", "b"); // the run that failed was released, and another ID is no problem
                    assertThat(effects).containsExactly("a", "a", "b");
                });
    }

    /** What a servlet's thread has. */
    private static RequestAttributes aRequest() {
        return (RequestAttributes) Proxy.newProxyInstance(
                DeduplicatedMethodTest.class.getClassLoader(),
                new Class<?>[] {RequestAttributes.class},
                (proxy, method, arguments) -> null);
    }

    private static boolean isWaiting(@Nullable Thread thread) {
        return thread != null
                && (thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING);
    }

    @Test
    @DisplayName("a call without an ID is refused, or as its topic's settings say")
    void withoutId() {
        app.withUserConfiguration(BillingApp.class).run(context -> {
            Billing billing = context.getBean(Billing.class);
            assertThatThrownBy(() -> billing.charge(new Order("", 1)))
                    .isInstanceOf(MissingMessageIdException.class)
                    .hasMessageContaining("topic orders, method Billing.charge");
            assertThatThrownBy(() -> billing.charge(null)).isInstanceOf(MissingMessageIdException.class);
            assertThatThrownBy(() -> billing.refund(null, 1))
                    .isInstanceOf(MissingMessageIdException.class)
                    .hasMessageContaining("it has no value for #customer");
            assertThat(target(billing).charged).isEmpty();
        });
        app.withUserConfiguration(BillingApp.class)
                .withPropertyValues("dedup.listeners.[Billing.charge].on-missing-id=process")
                .run(context ->
                        assertThat(context.getBean(Billing.class).charge(null)).isEqualTo("charged 1"));
    }

    @Test
    @DisplayName("it can be switched off for a topic, for a method and altogether")
    void switchedOff() {
        for (String property : List.of("dedup.listeners.[Billing.charge].enabled=false", "dedup.enabled=false")) {
            app.withUserConfiguration(BillingApp.class)
                    .withPropertyValues(property)
                    .run(context -> {
                        Billing billing = context.getBean(Billing.class);
                        billing.charge(new Order("a", 1));
                        billing.charge(new Order("a", 1));
                        assertThat(target(billing).charged).containsExactly("a", "a");
                    });
        }
    }

    @Test
    @DisplayName("settings of the topic and of the method count, and the start table shows the method")
    void settings() {
        try (Logs logs = new Logs()) {
            app.withUserConfiguration(BillingApp.class)
                    .withPropertyValues(
                            "dedup.topics.orders.id=#order.id",
                            "dedup.topics.orders.window=3d",
                            "dedup.listeners.[Billing.charge].consumer=payments")
                    .run(context -> assertThat(
                                    context.getBean(DeduplicatorRegistry.class).listeners())
                            .anySatisfy(each -> {
                                assertThat(each.listener().spec().name()).isEqualTo("Billing.charge");
                                assertThat(each.listener().consumer()).isEqualTo("payments");
                                assertThat(each.listener()
                                                .byTopic()
                                                .get("orders")
                                                .policy()
                                                .window())
                                        .hasToString("PT72H");
                            }));
            assertThat(logs.messages())
                    .anySatisfy(message ->
                            assertThat(message).containsPattern("Billing.charge +payments +orders +#order.id +3d"));
        }
    }

    /** The object behind the proxy, whose fields the methods use. */
    @SuppressWarnings("unchecked")
    private static <T> T target(T proxy) {
        Object target = AopProxyUtils.getSingletonTarget(proxy);
        return target == null ? proxy : (T) target;
    }

    interface Mailing {
        void mail(String id);
    }

    static class SmtpMailing implements Mailing {
        int mails;

        @Override
        @Deduplicated(topic = "mails", consumer = "mailing", id = "#id")
        public void mail(String id) {
            mails++;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyApp {
        @Bean
        @Lazy
        Mailing mailing() {
            return new SmtpMailing();
        }
    }

    @Test
    @DisplayName("a method of a lazy bean, called through an interface")
    void lazyBehindAnInterface() {
        app.withUserConfiguration(LazyApp.class)
                .withPropertyValues(
                        "dedup.listeners.[SmtpMailing.mail].window=1d", "spring.aop.proxy-target-class=false")
                .run(context -> {
                    Mailing mailing = context.getBean(Mailing.class);
                    mailing.mail("a");
                    mailing.mail("a");
                    assertThat(((SmtpMailing) target(mailing)).mails).isEqualTo(1);
                });
    }

    interface Handler<T> {
        void handle(T message);
    }

    abstract static class Base<T> implements Handler<T> {
        final List<T> handled = new CopyOnWriteArrayList<>();

        @Override
        @Deduplicated(topic = "orders", consumer = "base", id = "#p0.id")
        public void handle(T message) {
            handled.add(message);
        }
    }

    static class Inheriting extends Base<Order> {}

    static class Overriding extends Base<Order> {
        @Override
        @Deduplicated(topic = "orders", consumer = "overriding", id = "#p0.id")
        public void handle(Order message) {
            super.handle(message);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Inheriting.class, Overriding.class})
    @DisplayName("a method that is inherited, or called through a generic interface, is claimed once")
    void generics(Class<? extends Base<Order>> type) {
        app.withBean(type).run(context -> {
            Base<Order> bean = context.getBean(type);
            Handler<Order> handler = bean;
            handler.handle(new Order("a", 1));
            handler.handle(new Order("a", 1));
            bean.handle(new Order("a", 1));
            bean.handle(new Order("b", 1));
            assertThat(target(bean).handled).extracting(Order::id).containsExactly("a", "b");
        });
    }

    static class Made implements FactoryBean<Billing> {
        @Override
        public Billing getObject() {
            return new Billing();
        }

        @Override
        public Class<?> getObjectType() {
            return Billing.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FactoryApp {
        @Bean
        Made billing() {
            return new Made();
        }

        @Bean
        MessageIdExtractor<List<Object>> today() {
            return arguments -> "2026-11-24";
        }
    }

    @Test
    @DisplayName("a bean that a FactoryBean makes, and one of a narrower scope")
    void factoriesAndScopes() {
        app.withUserConfiguration(FactoryApp.class).run(context -> {
            Billing billing = context.getBean(Billing.class);
            billing.charge(new Order("a", 1));
            billing.charge(new Order("a", 1));
            assertThat(target(billing).charged).containsExactly("a");
        });
        app.withUserConfiguration(ScopedApp.class).run(context -> {
            context.getBean(Billing.class).charge(new Order("a", 1));
            assertThat(context.getBean(Billing.class).charge(new Order("a", 1))).isNull();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedApp {
        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Billing billing() {
            return new Billing();
        }

        @Bean
        MessageIdExtractor<List<Object>> today() {
            return arguments -> "2026-11-24";
        }
    }

    @Nested
    class Refused {
        @Configuration(proxyBeanMethods = false)
        static class TwoBeans {
            @Bean
            NoConsumer.Fine one() {
                return new NoConsumer.Fine();
            }

            @Bean
            NoConsumer.Fine two() {
                return new NoConsumer.Fine();
            }
        }

        static class MakesBean {
            @Bean
            @Deduplicated(topic = "orders", consumer = "billing", id = "#p0")
            Object listener() {
                return "one of RocketMQ";
            }
        }

        static class TwoMethods {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public void charge(String id) {}

            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public void mail(String id) {}
        }

        static class Primitive {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public int charge(String id) {
                return 1;
            }
        }

        static class Later {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public CompletableFuture<String> charge(String id) {
                return new CompletableFuture<>();
            }
        }

        static class LaterInside {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public Optional<ResponseEntity<Flux<String>>> charge(String id) {
                return Optional.empty();
            }
        }

        static class Streams {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public ResponseEntity<StreamingResponseBody> charge(String id) {
                return ResponseEntity.ok().build();
            }
        }

        abstract static class Generic<T> {
            abstract T charged(String id);

            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public T charge(String id) {
                return charged(id);
            }
        }

        static class LaterByType extends Generic<CompletionStage<String>> {
            @Override
            CompletionStage<String> charged(String id) {
                return new CompletableFuture<>();
            }
        }

        static class LaterOfEach extends Generic<List<? extends Future<?>>> {
            @Override
            List<Future<?>> charged(String id) {
                return List.of();
            }
        }

        static class Comparing<T extends Comparable<T>> {
            @Deduplicated(topic = "compared", consumer = "billing", id = "#id")
            public @Nullable T greatest(String id) {
                return null;
            }
        }

        static class Final {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public final void charge(String id) {}
        }

        static class NoConsumer {
            static class Fine {
                @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
                public void charge(String id) {}
            }

            @Deduplicated(topic = "orders", id = "#id")
            public void charge(String id) {}
        }

        static class Misspelt {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#oder.id")
            public void charge(Order order) {}
        }

        static class Constant {
            @Deduplicated(topic = "orders", consumer = "billing", id = "spel:'x'")
            public void charge(Order order) {}
        }

        static class OfMessages {
            @Deduplicated(topic = "orders", consumer = "billing", id = "header:order-id")
            public void charge(Order order) {}
        }

        static class OfKafka {
            @KafkaListener(topics = "orders")
            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public void charge(String id) {}
        }

        static class AfterCommit {
            @TransactionalEventListener
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public void charge(Order order) {}
        }

        static class BeforeCommit {
            @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public void charge(Order order) {}
        }

        static class Publishes {
            @EventListener
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public String charge(Order order) {
                return "charged";
            }
        }

        static class PublishesAfterCommit {
            @TransactionalEventListener
            @Transactional(propagation = Propagation.NOT_SUPPORTED)
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public List<String> charge(Order order) {
                return List.of("charged");
            }
        }

        static class Replies {
            @SendTo("charged")
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public boolean charge(Order order) {
                return true;
            }
        }

        static class RepliesToUser {
            @SendToUser
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public String charge(Order order) {
                return "charged";
            }
        }

        abstract static class OnEvent<T> {
            @EventListener
            @Deduplicated(topic = "events", consumer = "billing", id = "#order.id")
            public @Nullable T charge(Order order) {
                return null;
            }
        }

        static class PublishesByType extends OnEvent<Order> {}

        static class PublishesNothing extends OnEvent<Void> {}

        static class AcknowledgesKafka {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public void charge(Order order, Acknowledgment acknowledgment) {}
        }

        /** As those of SQS and Pulsar. */
        interface Acknowledgement {
            void acknowledge();
        }

        static class AcknowledgesElsewhere {
            @Deduplicated(topic = "orders", consumer = "billing", id = "#order.id")
            public void charge(Order order, Acknowledgement acknowledgment) {}
        }

        /** A business document. */
        record OrderAcknowledgement(String id) {}

        static class Fine {
            @Deduplicated(topic = "acknowledged", consumer = "billing", id = "#document.id")
            public void charge(OrderAcknowledgement document) {}
        }

        private void refused(Class<?> bean, String... texts) {
            app.withBean(bean).run(context -> {
                Throwable refusal = context.getStartupFailure();
                while (refusal != null && !(refusal instanceof DedupConfigurationException)) {
                    refusal = refusal.getCause();
                }
                assertThat(refusal).isNotNull().hasMessageContainingAll(texts);
            });
        }

        @Test
        @DisplayName("what cannot take effect once is refused at start, with what to change")
        void atStart() {
            refused(
                    TwoMethods.class,
                    "TwoMethods.charge",
                    "TwoMethods.mail",
                    "consumer name billing",
                    "take the messages that the other has handled for duplicates");
            refused(Primitive.class, "Primitive.charge", "returns int");
            refused(Later.class, "Later.charge", "returns CompletableFuture", "executeAsync");
            refused(LaterInside.class, "LaterInside.charge", "Flux", "executeAsync");
            refused(Streams.class, "Streams.charge", "StreamingResponseBody", "executeAsync");
            refused(LaterByType.class, "LaterByType.charge", "CompletionStage", "executeAsync");
            refused(LaterOfEach.class, "LaterOfEach.charge", "Future", "executeAsync");
            refused(Final.class, "Final.charge", "is final");
            refused(NoConsumer.class, "NoConsumer.charge", "has no consumer name");
            refused(Misspelt.class, "there is no argument #oder", "#order");
            refused(Constant.class, "all calls would have the same ID");
            refused(OfMessages.class, "header reads messages of Kafka or RocketMQ");
            refused(OfKafka.class, "is a listener of Kafka");
            refused(MakesBean.class, "MakesBean.listener", "makes a bean");
            refused(TwoBeans.class, "Fine.charge", "two beans, one and two");
            refused(AfterCommit.class, "AfterCommit.charge", "@TransactionalEventListener", "REQUIRES_NEW");
            refused(BeforeCommit.class, "BeforeCommit.charge", "in the transaction of its publisher");
            refused(Publishes.class, "Publishes.charge", "returns String", "@EventListener", "outbox");
            refused(PublishesAfterCommit.class, "PublishesAfterCommit.charge", "returns List", "@EventListener");
            refused(PublishesByType.class, "PublishesByType.charge", "returns Order", "@EventListener");
            refused(Replies.class, "Replies.charge", "returns boolean", "@SendTo");
            refused(RepliesToUser.class, "RepliesToUser.charge", "returns String", "@SendToUser");
            refused(AcknowledgesKafka.class, "AcknowledgesKafka.charge", "type Acknowledgment", "for a duplicate");
            refused(AcknowledgesElsewhere.class, "AcknowledgesElsewhere.charge", "type Acknowledgement");
            app.withBean(Fine.class).run(context -> assertThat(context).hasNotFailed());
            app.withBean(PublishesNothing.class)
                    .run(context -> assertThat(context).hasNotFailed());
            app.withBean(Comparing.class).run(context -> assertThat(context).hasNotFailed());
        }

        /** Its declaration doesn't show what it returns. */
        static class Anything {
            final AtomicReference<@Nullable Object> result = new AtomicReference<>();

            @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
            public @Nullable Object charge(String id) {
                return result.get();
            }
        }

        @Test
        @DisplayName("a result whose effect may happen later fails the call, which doesn't count as done")
        void atRunTime() {
            app.withBean(Anything.class).run(context -> {
                Anything proxied = context.getBean(Anything.class);
                Anything target = target(proxied);
                StreamingResponseBody stream = out -> {};
                for (Object later : List.of(
                        new CompletableFuture<>(),
                        Mono.empty(),
                        stream,
                        ResponseEntity.ok(Mono.empty()),
                        ResponseEntity.ok(stream),
                        Optional.of(new CompletableFuture<>()),
                        Optional.of(ResponseEntity.ok(Flux.empty())))) {
                    target.result.set(later);
                    assertThatThrownBy(() -> proxied.charge("a"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContainingAll("Anything.charge", "topic orders", "executeAsync");
                }
                target.result.set(ResponseEntity.ok("charged"));
                assertThat(proxied.charge("a")).isEqualTo(ResponseEntity.ok("charged"));
                assertThat(proxied.charge("a")).isNull();
            });
        }

        @Configuration(proxyBeanMethods = false)
        static class TooEarly {
            @Bean
            static Early needsBilling(Billing billing) {
                return new Early();
            }

            /** Made before what makes proxies. */
            record Early() implements BeanPostProcessor, PriorityOrdered {
                @Override
                public int getOrder() {
                    return 0;
                }
            }
        }

        @Test
        @DisplayName("a bean that is made before it can have a proxy, so that its calls would pass unseen")
        void notIntercepted() {
            app.withUserConfiguration(BillingApp.class, TooEarly.class)
                    .run(context ->
                            assertThat(context.getStartupFailure()).hasStackTraceContaining("isn't intercepted"));
        }

        static class Forgotten {
            @Deduplicated(id = "#id")
            public void charge(String id) {}
        }

        @Deduplicated(topic = "orders", consumer = "billing", id = "#id")
        static class OnTheClass {
            public void charge(String id) {}
        }

        @Test
        @DisplayName(
                "an annotation with a topic on a class has no effect: it is warned of, and with dedup.strict refused")
        void onTheClass() {
            try (Logs logs = new Logs()) {
                app.withBean(OnTheClass.class)
                        .run(context -> assertThat(context).hasNotFailed());
                assertThat(logs.warnings()).anySatisfy(text -> assertThat(text).contains("OnTheClass", "methods"));
            }
            app.withBean(OnTheClass.class)
                    .withPropertyValues("dedup.strict=true")
                    .run(context -> assertThat(context).hasFailed());
        }

        @Test
        @DisplayName("an annotation that has no effect is warned of, and with dedup.strict refused")
        void noTopic() {
            try (Logs logs = new Logs()) {
                app.withBean(Forgotten.class).run(context -> assertThat(context).hasNotFailed());
                assertThat(logs.warnings())
                        .anySatisfy(text -> assertThat(text).contains("Forgotten.charge", "has no topic"));
            }
            app.withBean(Forgotten.class)
                    .withPropertyValues("dedup.strict=true")
                    .run(context -> assertThat(context).hasFailed());
        }
    }

    @Nested
    class Transactions {
        static class Bookings {
            final JdbcTemplate jdbc;
            volatile boolean fails;

            Bookings(DataSource database) {
                jdbc = new JdbcTemplate(database);
            }

            @Transactional
            @Deduplicated(topic = "bookings", consumer = "ledger", id = "#id")
            public void book(String id) {
                jdbc.update("INSERT INTO booking VALUES (?)", id);
                if (fails) {
                    throw new IllegalStateException("after the insert");
                }
            }

            /** The database has undone the first transaction for another one, as after a deadlock. */
            @Transactional
            @Deduplicated(topic = "undone", consumer = "ledger", id = "#id")
            public void bookAgain(String id) throws SQLException {
                jdbc.update("INSERT INTO booking VALUES (?)", id);
                if (fails) {
                    fails = false;
                    throw new SQLException("deadlock", "40001");
                }
            }

            @Transactional(propagation = Propagation.REQUIRES_NEW)
            @Deduplicated(topic = "own", consumer = "ledger", id = "#id")
            public void bookInItsOwn(String id) {
                jdbc.update("INSERT INTO booking VALUES (?)", id);
            }

            int count() {
                Integer count = jdbc.queryForObject("SELECT count(*) FROM booking", Integer.class);
                return count == null ? -1 : count;
            }
        }

        @Configuration(proxyBeanMethods = false)
        @EnableTransactionManagement
        static class BookingApp {
            @Bean
            Bookings bookings(DataSource database) {
                new JdbcTemplate(database).execute("CREATE TABLE booking (id varchar(50))");
                return new Bookings(database);
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"leased", "transactional", "leased-transactional"})
        @DisplayName("the method's transaction is inside of the claim, and with the record in the transactional modes")
        void modes(String mode) {
            ApplicationContextRunner runner = withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withPropertyValues(
                            "dedup.store=jdbc",
                            "dedup.jdbc.initialize-schema=always",
                            "dedup.listeners.[Bookings.book].mode=" + mode);
            runner.run(context -> {
                Bookings bookings = context.getBean(Bookings.class);
                Bookings target = target(bookings);
                target.fails = true;
                assertThatThrownBy(() -> bookings.book("a")).hasMessage("after the insert");
                assertThat(target.count()).isZero();
                target.fails = false;
                bookings.book("a");
                bookings.book("a");
                assertThat(target.count()).isEqualTo(1);
            });
        }

        /** What else stands in front of the method, behind its deduplication. */
        static final class Audit extends StaticMethodMatcherPointcutAdvisor {
            private static final long serialVersionUID = 1L;
            private static final AtomicInteger CALLS = new AtomicInteger();

            Audit() {
                super((MethodInterceptor) invocation -> {
                    CALLS.incrementAndGet();
                    return invocation.proceed();
                });
                setOrder(Ordered.LOWEST_PRECEDENCE - 1);
            }

            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return method.getName().equals("bookAgain");
            }
        }

        @Test
        @DisplayName(
                "a run whose transaction another one has undone is repeated in place, with all that stands in front of it")
        void undone() {
            withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withBean(
                            Audit.class,
                            Audit::new,
                            definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
                    .withPropertyValues(
                            "dedup.store=jdbc",
                            "dedup.jdbc.initialize-schema=always",
                            "dedup.listeners.[Bookings.bookAgain].mode=transactional")
                    .run(context -> {
                        Audit.CALLS.set(0);
                        Bookings bookings = context.getBean(Bookings.class);
                        Bookings target = target(bookings);
                        target.fails = true;
                        bookings.bookAgain("a");
                        assertThat(target.count()).isEqualTo(1);
                        assertThat(Audit.CALLS).hasValue(2);
                    });
        }

        @Test
        @DisplayName("a call in an open transaction fails: a rollback would undo the effect, but not the record")
        void openTransaction() {
            withDatabase().withUserConfiguration(BookingApp.class).run(context -> {
                Bookings bookings = context.getBean(Bookings.class);
                TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                assertThatThrownBy(() -> outer.executeWithoutResult(status -> bookings.book("a")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Bookings.book (topic bookings) was called in an open transaction");
                outer.executeWithoutResult(status -> {
                    bookings.bookInItsOwn("a");
                    status.setRollbackOnly();
                });
                bookings.bookInItsOwn("a");
                Bookings target = target(bookings);
                assertThat(target.count()).isEqualTo(1);
            });
        }

        record Booked(String id) {}

        static class Mails {
            final JdbcTemplate jdbc;

            Mails(DataSource database) {
                jdbc = new JdbcTemplate(database);
            }

            @TransactionalEventListener
            @Transactional(propagation = Propagation.REQUIRES_NEW)
            @Deduplicated(topic = "booked", consumer = "mails", id = "#event.id()")
            public void inItsOwn(Booked event) {
                jdbc.update("INSERT INTO booking VALUES (?)", "mail of " + event.id());
            }

            @TransactionalEventListener
            @Transactional(propagation = Propagation.NOT_SUPPORTED)
            @Deduplicated(topic = "booked", consumer = "letters", id = "#event.id()")
            public void inNone(Booked event) {
                jdbc.update("INSERT INTO booking VALUES (?)", "letter of " + event.id());
            }
        }

        static class PackagePrivateMails {
            final JdbcTemplate jdbc;

            PackagePrivateMails(DataSource database) {
                jdbc = new JdbcTemplate(database);
            }

            @TransactionalEventListener
            @Transactional(propagation = Propagation.REQUIRES_NEW)
            @Deduplicated(topic = "booked", consumer = "mails", id = "#event.id()")
            void inItsOwn(Booked event) {
                jdbc.update("INSERT INTO booking VALUES (?)", "mail of " + event.id());
            }
        }

        private List<String> publishedTwice(ApplicationContext context) {
            TransactionTemplate publisher = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            for (int i = 0; i < 2; i++) {
                publisher.executeWithoutResult(status -> context.publishEvent(new Booked("a")));
            }
            Bookings target = target(context.getBean(Bookings.class));
            return target.jdbc.queryForList("SELECT id FROM booking ORDER BY id", String.class);
        }

        @Test
        @DisplayName("the transaction of an event's listener counts although the method isn't public, as for Spring")
        void packagePrivate() {
            withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withBean(PackagePrivateMails.class)
                    .run(context -> assertThat(publishedTwice(context)).containsExactly("mail of a"));
        }

        @Test
        @DisplayName(
                "an event's listener may wait with its publisher's connection: a warning, unless its wait is limited")
        void holdsPublisher() {
            ApplicationContextRunner strict = withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withBean(Mails.class)
                    .withPropertyValues("dedup.strict=true", "dedup.listeners.[Mails.inNone].max-wait=2s");
            strict.run(context -> assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("Mails.inItsOwn")
                    .hasStackTraceContaining("thread of its publisher"));
            strict.withPropertyValues("dedup.listeners.[Mails.inItsOwn].max-wait=2s")
                    .run(context -> assertThat(context).hasNotFailed());
        }

        @Test
        @DisplayName("an event's listener after the commit runs once for each event, and its effect is durable")
        void afterCommit() {
            withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withBean(Mails.class)
                    .run(context -> assertThat(publishedTwice(context)).containsExactly("letter of a", "mail of a"));
        }

        @Test
        @DisplayName("a transaction of the method's own is refused in a transactional mode")
        void ownTransaction() {
            withDatabase()
                    .withUserConfiguration(BookingApp.class)
                    .withPropertyValues(
                            "dedup.store=jdbc",
                            "dedup.jdbc.initialize-schema=always",
                            "dedup.listeners.[Bookings.bookInItsOwn].mode=transactional")
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("Bookings.bookInItsOwn")
                            .hasStackTraceContaining("REQUIRES_NEW"));
        }

        @Configuration(proxyBeanMethods = false)
        @EnableTransactionManagement(order = 0)
        static class OuterTransactions {
            @Bean
            Bookings bookings(DataSource database) {
                return new Bookings(database);
            }
        }

        @Test
        @DisplayName("transactions around the claim are refused at start")
        void transactionOutside() {
            withDatabase()
                    .withUserConfiguration(OuterTransactions.class)
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("commits after its success is recorded"));
        }
    }

    static class Background {
        final CountDownLatch ended = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @Async
        @Deduplicated(topic = "mails", consumer = "mailing", id = "#id")
        public void mail(String id) throws InterruptedException {
            mayEnd.await();
            ended.countDown();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncApp {
        @Bean
        Background background() {
            return new Background();
        }
    }

    @Test
    @DisplayName("an @Async method is done when it has ended, not when its caller has handed it over")
    void async() {
        app.withUserConfiguration(AsyncApp.class).run(context -> {
            Background background = context.getBean(Background.class);
            background.mail("a"); // returns at once
            var registry = context.getBean(DeduplicatorRegistry.class);
            var dedup = DedupAdapter.of(registry.deduplicators().get(0).deduplicator());
            Awaitility.await().until(() -> dedup.inFlight() == 1);
            Background target = target(background);
            target.mayEnd.countDown();
            target.ended.await();
            Awaitility.await().until(() -> dedup.inFlight() == 0);
        });
    }

    @Test
    @DisplayName("a deferral that no caller hears of is logged as what it is: the effect never happens")
    void asyncGivesUp() {
        try (Logs logs = new Logs()) {
            app.withUserConfiguration(AsyncApp.class)
                    .withPropertyValues("dedup.listeners.[Background.mail].max-wait=10ms")
                    .run(context -> {
                        Background background = context.getBean(Background.class);
                        background.mail("a");
                        var registry = context.getBean(DeduplicatorRegistry.class);
                        var dedup =
                                DedupAdapter.of(registry.deduplicators().get(0).deduplicator());
                        Awaitility.await().until(() -> dedup.inFlight() == 1);
                        background.mail("a");
                        Awaitility.await()
                                .untilAsserted(() -> assertThat(logs.messages())
                                        .anySatisfy(text -> assertThat(text)
                                                .contains("Nothing calls method Background.mail again")));
                        target(background).mayEnd.countDown();
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsyncInside {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static AsyncAnnotationAdvisor asyncAdvisor() {
            AsyncAnnotationAdvisor advisor = new AsyncAnnotationAdvisor();
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE); // by default it is the first
            return advisor;
        }

        @Bean
        Background background() {
            return new Background();
        }
    }

    @Test
    @DisplayName("@Async inside of the claim is refused at start: its effect would count as done before it happens")
    void asyncInside() {
        app.withUserConfiguration(AsyncInside.class)
                .run(context ->
                        assertThat(context.getStartupFailure()).hasStackTraceContaining("returns before its effect"));
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyAsyncInside {
        @Bean
        @Lazy
        Background background() {
            return new Background();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeAsyncInside {
        @Bean
        @Scope("prototype")
        Background background() {
            return new Background();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedAsyncInside {
        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Background background() {
            return new Background();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyAsyncAdvisor {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static AsyncAnnotationAdvisor asyncAdvisor() {
            return AsyncInside.asyncAdvisor();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {LazyAsyncInside.class, PrototypeAsyncInside.class, ScopedAsyncInside.class})
    @DisplayName("of a bean that isn't made at start, each call is refused before its ID is claimed")
    void asyncInsideOfLateBeans(Class<?> beans) {
        app.withUserConfiguration(EarlyAsyncAdvisor.class, beans).run(context -> {
            Background background = context.getBean(Background.class);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> background.mail("a"))
                        .isInstanceOf(DedupConfigurationException.class)
                        .hasMessageContaining("returns before its effect");
            }
            assertThat(context.getBean(DedupStores.class)
                            .store()
                            .find(DedupScope.of("mailing", "mails").key("a")))
                    .isEmpty();
        });
    }
}
