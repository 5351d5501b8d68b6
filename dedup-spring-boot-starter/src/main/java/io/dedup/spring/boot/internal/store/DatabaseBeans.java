package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Finds and looks at the bean of the application's database, where Kafka may have one of the same type. */
final class DatabaseBeans {
    private static final Logger log = LoggerFactory.getLogger(DatabaseBeans.class);

    private static final List<String> ROUTING = List.of(
            "org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource",
            "com.baomidou.dynamic.datasource.DynamicRoutingDataSource");

    private DatabaseBeans() {}

    /**
     * The bean that is named, or the only one, or the primary one.
     *
     * @param name null when the property isn't set
     * @param property names the bean
     * @param because the beginning of the error: what needs the bean, and "but"
     * @throws DedupConfigurationException when there is none, or more than one
     */
    static <T> T one(
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
                        property + " is " + name + ", but there is no " + type.getSimpleName() + " bean of this name.",
                        "Set " + property + " to one of " + names(type, beans) + ".",
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
                    because + "the only " + type.getSimpleName() + " bean is Kafka's.",
                    "Define one for the database: a JpaTransactionManager if handlers write with JPA, otherwise a"
                            + " JdbcTransactionManager on the DataSource. Spring Boot creates none beside Kafka's, which it created because of spring.kafka.producer.transaction-id-prefix.");
        }
        if (candidates.isEmpty()) {
            throw new DedupConfigurationException(
                    because + "there is no " + type.getSimpleName() + " bean.",
                    "Configure one (spring.datasource.url, with spring-boot-jdbc on the class path), or use another"
                            + " dedup.store.");
        }
        throw new DedupConfigurationException(
                because + "there are several " + type.getSimpleName() + " beans: " + names(type, beans) + ".",
                "Set " + property + " to the name of one of them, or make one @Primary.");
    }

    /** Its transaction manager is one as well, and never the one of a database. */
    private static boolean isOfKafka(Object bean) {
        return bean.getClass().getName().startsWith("org.springframework.kafka.");
    }

    private static List<String> names(Class<?> type, ConfigurableListableBeanFactory beans) {
        return List.of(beans.getBeanNamesForType(type));
    }

    /** Whether it, or what it wraps, chooses a database for each connection. */
    static boolean isRouting(DataSource dataSource) {
        for (String name : ROUTING) {
            try {
                Class<?> type = ClassUtils.forName(name, DatabaseBeans.class.getClassLoader());
                if (type.isInstance(dataSource) || dataSource.isWrapperFor(type)) {
                    return true;
                }
            } catch (ClassNotFoundException | SQLException | RuntimeException | LinkageError e) {
                log.debug("No {}, as far as its wrappers tell", name, e);
            }
        }
        return false;
    }
}
