package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Kafka's transactions and the database's, as Spring Boot configures them; decided before a broker is asked. */
class TransactionsTest {
    private static final String PREFIX = "spring.kafka.producer.transaction-id-prefix=tx-";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    DedupAutoConfiguration.class,
                    KafkaDedupAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.generate-unique-name=true",
                    "spring.kafka.listener.auto-startup=false",
                    "dedup.store=jdbc",
                    "dedup.checks.broker=false",
                    "dedup.topics.orderEvents.id=key");

    private final ApplicationContextRunner leased =
            runner.withUserConfiguration(Listener.class).withPropertyValues("dedup.topics.orderEvents.mode=leased");
    private final ApplicationContextRunner transactional =
            runner.withPropertyValues("dedup.topics.orderEvents.mode=transactional");

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        @KafkaListener(id = "billing", topics = "orderEvents")
        void orders(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ErrorHandler {
        @Bean
        DefaultErrorHandler errorHandler() {
            return new DefaultErrorHandler();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DatabaseManager {
        @Bean
        JdbcTransactionManager database(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoManagers {
        @Bean
        JdbcTransactionManager first(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcTransactionManager reporting() {
            return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:reporting"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Chained {
        @Bean
        @Primary // before the one that Spring Boot makes
        @SuppressWarnings({"deprecation", "removal"})
        KafkaAwareTransactionManager<Object, Object> chained(
                ProducerFactory<Object, Object> producers, DataSource dataSource) {
            KafkaTransactionManager<Object, Object> kafka = new KafkaTransactionManager<>(producers);
            kafka.setTransactionSynchronization(KafkaTransactionManager.SYNCHRONIZATION_ALWAYS);
            return new org.springframework.kafka.transaction.ChainedKafkaTransactionManager<>(
                    new JdbcTransactionManager(dataSource), kafka);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Outside {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @KafkaListener(id = "billingListener", topics = "orderEvents")
        void onOrder(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {
        @Transactional("reporting")
        @KafkaListener(id = "billing", topics = "orderEvents")
        void onOrder(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class ByName {
        @Transactional("first")
        @KafkaListener(id = "billing", topics = "orderEvents")
        void onOrder(String order) {}
    }

    private static FailureAnalysis failure(ApplicationContextRunner runner) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        runner.run(context -> analysis[0] = analysis(context.getStartupFailure()));
        return analysis[0];
    }

    @Test
    @DisplayName("mode LEASED in Kafka's transactions, which a prefix alone switches on, starts")
    void leasedInKafkaTransactions() {
        leased.withPropertyValues(PREFIX).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("a transactional mode in Kafka's transactions is refused, with the property that switches them on")
    void transactionalInKafkaTransactions() {
        FailureAnalysis failure = failure(transactional
                .withUserConfiguration(Listener.class, DatabaseManager.class)
                .withPropertyValues(PREFIX));
        assertThat(failure.getDescription()).contains("outbox").contains("kafkaAwareTransactionManager");
        assertThat(failure.getAction())
                .contains("spring.kafka.producer.transaction-id-prefix")
                .contains("dedup.listeners.billing.enabled: false");
    }

    @Test
    @DisplayName("an error handler in Kafka's transactions is refused, with what to set instead")
    void errorHandlerInKafkaTransactions() {
        assertThat(failure(leased.withUserConfiguration(ErrorHandler.class).withPropertyValues(PREFIX))
                        .getDescription())
                .contains("set afterRollbackProcessor");
    }

    @Test
    @DisplayName("a chain of both managers is refused")
    void chained() {
        assertThat(failure(leased.withUserConfiguration(Chained.class).withPropertyValues(PREFIX))
                        .getDescription())
                .contains("ChainedKafkaTransactionManager");
    }

    @Test
    @DisplayName("Kafka's manager isn't taken for the database's, of which Spring Boot makes none beside it")
    void onlyKafkas() {
        FailureAnalysis failure =
                failure(transactional.withUserConfiguration(Listener.class).withPropertyValues(PREFIX));
        assertThat(failure.getDescription()).contains("the only PlatformTransactionManager bean is Kafka's");
        assertThat(failure.getAction())
                .contains("JdbcTransactionManager")
                .contains("spring.kafka.producer.transaction-id-prefix");
    }

    @Test
    @DisplayName("names of the application's own stay as they are in what is said of a listener")
    void names() {
        assertThat(failure(transactional.withUserConfiguration(Outside.class)).getDescription())
                .contains("Cannot deduplicate listener container billingListener")
                .contains("topic orderEvents has mode transactional")
                .contains(".onOrder is @Transactional(propagation = REQUIRES_NEW)");
    }

    @Test
    @DisplayName("a handler whose @Transactional names a manager of another DataSource is refused")
    void otherManager() {
        ApplicationContextRunner two = transactional
                .withUserConfiguration(TwoManagers.class)
                .withPropertyValues("dedup.jdbc.transaction-manager=first");
        assertThat(failure(two.withUserConfiguration(Elsewhere.class)).getDescription())
                .contains("transaction manager \"reporting\", which uses another DataSource");
        two.withUserConfiguration(ByName.class)
                .run(context -> assertThat(context).hasNotFailed());
        two.withUserConfiguration(Listener.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
