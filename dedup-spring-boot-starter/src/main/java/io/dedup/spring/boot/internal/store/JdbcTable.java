package io.dedup.spring.boot.internal.store;

import io.dedup.DedupStoreException;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.JdbcProperties;
import io.dedup.spring.boot.internal.text.YamlNames;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcKeyFormat;
import io.dedup.store.transaction.TransactionalRecords;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
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
    private final boolean routed;
    private @Nullable TransactionalRecords transactions;

    private JdbcTable(
            JdbcProperties properties,
            ConfigurableListableBeanFactory beans,
            CloseOrder order,
            JdbcDedupStore store,
            boolean routed) {
        this.properties = properties;
        this.beans = beans;
        this.order = order;
        this.store = store;
        this.routed = routed;
    }

    /**
     * Opens the store.
     *
     * @param order receives the beans that the table needs
     * @param because which setting needs the table
     * @throws DedupConfigurationException says what to change
     */
    static JdbcTable open(
            JdbcProperties properties, ConfigurableListableBeanFactory beans, CloseOrder order, String because) {
        DataSource dataSource = DatabaseBeans.one(
                DataSource.class,
                properties.getDataSource(),
                "dedup.jdbc.data-source",
                beans,
                because + " needs a table for the records, but ");
        order.closeAfterStores(dataSource);
        try {
            JdbcDedupStore store = JdbcDedupStore.builder(dataSource)
                    .table(properties.getTable())
                    .keyFormat(JdbcKeyFormat.valueOf(properties.getKeyFormat().name()))
                    .attemptRetention(properties.getAttemptRetention())
                    .lockTimeout(properties.getLockTimeout())
                    .queryTimeout(properties.getQueryTimeout())
                    .purgeBatch(properties.getPurgeBatch())
                    .purgeInterval(properties.getPurgeInterval().isZero() ? null : properties.getPurgeInterval())
                    .initializeSchema(InitializeSchema.valueOf(
                            properties.getInitializeSchema().name()))
                    .build();
            return new JdbcTable(properties, beans, order, store, DatabaseBeans.isRouting(dataSource));
        } catch (IllegalArgumentException | IllegalStateException | DedupStoreException e) {
            throw DatabaseFailure.of(e, properties.getDataSource());
        }
    }

    JdbcDedupStore store() {
        return store;
    }

    /** Whether a database is chosen for each of its connections. */
    boolean isRouted() {
        return routed;
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
                transactions = store.transactions(manager)
                        .allowSuspension(properties.isAllowSuspension())
                        .managers(this::managerOf);
            } catch (IllegalArgumentException | IllegalStateException | DedupStoreException e) {
                throw new DedupConfigurationException(
                        property + " needs transactions, but they cannot be opened: "
                                + YamlNames.inYaml(String.valueOf(e.getMessage())),
                        "Set dedup.jdbc.transaction-manager to the bean that opens transactions on the DataSource of the"
                                + " table.",
                        e);
            }
        }
        return transactions;
    }

    /** The transaction manager that a handler's {@code @Transactional} uses; null where that is unknown. */
    private @Nullable TransactionManager managerOf(String name) {
        try {
            if (!name.isEmpty()) {
                return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, name);
            }
            return beans.getBeanNamesForType(TransactionManagementConfigurer.class).length > 0
                    ? null
                    : beans.getBeanProvider(TransactionManager.class).getIfUnique();
        } catch (BeansException e) {
            return null; // Spring reports it when the handler is called
        }
    }

    private PlatformTransactionManager transactionManager(String property) {
        return DatabaseBeans.one(
                PlatformTransactionManager.class,
                properties.getTransactionManager(),
                "dedup.jdbc.transaction-manager",
                beans,
                property + " needs a transaction manager, but ");
    }
}
