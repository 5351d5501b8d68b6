package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.JdbcProperties;
import io.dedup.spring.boot.internal.text.YamlNames;
import io.dedup.store.DedupStoreException;
import io.dedup.store.TransactionalRecords;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.support.ResourceTransactionManager;

/** The table of records in the application's database. Thread-safe. */
final class JdbcTable {
    private final JdbcProperties properties;
    private final ConfigurableListableBeanFactory beans;
    private final CloseOrder order;
    private final JdbcDedupStore store;
    private @Nullable TransactionalRecords transactions;

    private JdbcTable(
            JdbcProperties properties, ConfigurableListableBeanFactory beans, CloseOrder order, JdbcDedupStore store) {
        this.properties = properties;
        this.beans = beans;
        this.order = order;
        this.store = store;
    }

    /**
     * Opens the store.
     *
     * @param order is told of the beans that the table needs
     * @param because what asks for it
     * @throws DedupConfigurationException says what to change
     */
    static JdbcTable open(
            JdbcProperties properties, ConfigurableListableBeanFactory beans, CloseOrder order, String because) {
        DataSource dataSource = one(
                DataSource.class,
                properties.getDataSource(),
                "dedup.jdbc.data-source",
                beans,
                because + " asks for a table of records, and ");
        order.closeAfterStores(dataSource);
        try {
            JdbcDedupStore store = JdbcDedupStore.builder(dataSource)
                    .table(properties.getTable())
                    .attemptRetention(properties.getAttemptRetention())
                    .lockTimeout(properties.getLockTimeout())
                    .queryTimeout(properties.getQueryTimeout())
                    .purgeInterval(properties.getPurgeInterval().isZero() ? null : properties.getPurgeInterval())
                    .initializeSchema(InitializeSchema.valueOf(
                            properties.getInitializeSchema().name()))
                    .build();
            return new JdbcTable(properties, beans, order, store);
        } catch (IllegalArgumentException | IllegalStateException | DedupStoreException e) {
            throw DatabaseFailure.of(e, properties.getDataSource());
        }
    }

    JdbcDedupStore store() {
        return store;
    }

    synchronized TransactionalRecords transactions(String property) {
        if (transactions == null) {
            PlatformTransactionManager manager = transactionManager(property);
            order.closeAfterStores(manager);
            if (manager
                    instanceof
                    ResourceTransactionManager of) { // such as an EntityManagerFactory, which it may have looked up
                order.closeAfterStores(of.getResourceFactory());
            }
            try {
                transactions = store.transactions(manager).managers(this::managerOf);
            } catch (IllegalArgumentException | IllegalStateException | DedupStoreException e) {
                throw new DedupConfigurationException(
                        property + " asks for transactions, which can't be opened: "
                                + YamlNames.inYaml(String.valueOf(e.getMessage())),
                        "Set dedup.jdbc.transaction-manager to the bean that opens transactions on the DataSource of the"
                                + " table.",
                        e);
            }
        }
        return transactions;
    }

    /** The one that a handler's {@code @Transactional} gets; null where that can't be told. */
    private @Nullable TransactionManager managerOf(String name) {
        try {
            if (!name.isEmpty()) {
                return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, name);
            }
            return beans.getBeanNamesForType(TransactionManagementConfigurer.class).length > 0
                    ? null
                    : beans.getBeanProvider(TransactionManager.class).getIfUnique();
        } catch (BeansException e) {
            return null; // Spring will say so, when the handler is called
        }
    }

    private PlatformTransactionManager transactionManager(String property) {
        return one(
                PlatformTransactionManager.class,
                properties.getTransactionManager(),
                "dedup.jdbc.transaction-manager",
                beans,
                property + " asks for a transaction, and ");
    }

    /** The bean that is named, or the only one, or the primary one. */
    private static <T> T one(
            Class<T> type,
            @Nullable String name,
            String property,
            ConfigurableListableBeanFactory beans,
            String because) {
        if (name != null) {
            try {
                return beans.getBean(name, type);
            } catch (NoSuchBeanDefinitionException e) {
                throw new DedupConfigurationException(
                        property + " names " + name + ", and there is no such bean",
                        "Change " + property + " to one of " + names(type, beans) + ".",
                        e);
            }
        }
        T only = beans.getBeanProvider(type).getIfUnique();
        if (only != null && !isOfKafka(only)) {
            return only;
        }
        List<T> candidates = new ArrayList<>();
        for (T each : beans.getBeansOfType(type).values()) {
            if (!isOfKafka(each)) {
                candidates.add(each);
            }
        }
        if (candidates.size() == 1) {
            return candidates.get(0);
        }
        if (candidates.isEmpty() && only != null) {
            throw new DedupConfigurationException(
                    because + "the only " + type.getSimpleName() + " bean is Kafka's",
                    "Define one of the database, such as a JdbcTransactionManager on the DataSource: Spring Boot makes none"
                            + " beside Kafka's, which it made because of spring.kafka.producer.transaction-id-prefix.");
        }
        if (candidates.isEmpty()) {
            throw new DedupConfigurationException(
                    because + "there is no " + type.getSimpleName() + " bean",
                    "Configure one (spring.datasource.url, with spring-boot-jdbc on the class path), or use another"
                            + " dedup.store.");
        }
        throw new DedupConfigurationException(
                because + "there are several " + type.getSimpleName() + " beans: " + names(type, beans),
                "Set " + property + " to the name of one of them, or make one @Primary.");
    }

    /** Its transaction manager is one as well, and never the one of a database. */
    private static boolean isOfKafka(Object bean) {
        return bean.getClass().getName().startsWith("org.springframework.kafka.");
    }

    private static List<String> names(Class<?> type, ConfigurableListableBeanFactory beans) {
        return List.of(beans.getBeanNamesForType(type));
    }
}
