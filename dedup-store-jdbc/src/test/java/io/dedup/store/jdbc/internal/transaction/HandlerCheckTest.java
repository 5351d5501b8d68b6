package io.dedup.store.jdbc.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.jdbc.support.Scene;
import io.dedup.store.transaction.HandlerMethod;
import jakarta.persistence.EntityManagerFactory;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** K11 What a handler's annotations tell of its transaction, before it starts. */
class HandlerCheckTest {
    private final Scene scene = new Scene(JdbcDialect.H2);

    @AfterEach
    void stop() {
        scene.close();
    }

    private @Nullable String problem(JdbcTransactions transactions, Object handler, Class<?> of) {
        try {
            Method method = of.getMethod("accept", Object.class);
            return transactions.outside(
                    handler,
                    new HandlerMethod(
                            method.getDeclaringClass(), method.getName(), List.of(method.getParameterTypes())));
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private @Nullable String problem(Object handler) {
        return problem(scene.transactions, handler, Consumer.class);
    }

    static class Plain implements Consumer<Object> {
        @Override
        public void accept(Object message) {}
    }

    static class Joins implements Consumer<Object> {
        @Override
        @Transactional
        public void accept(Object message) {}
    }

    static class New implements Consumer<Object> {
        @Override
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void accept(Object message) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class OfClass implements Consumer<Object> {
        @Override
        public void accept(Object message) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class MethodFirst implements Consumer<Object> {
        @Override
        @Transactional
        public void accept(Object message) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Transactional(propagation = Propagation.NEVER)
    @interface Alone {}

    static class Meta implements Consumer<Object> {
        @Override
        @Alone
        public void accept(Object message) {}
    }

    static class Jakarta implements Consumer<Object> {
        @Override
        @jakarta.transaction.Transactional(jakarta.transaction.Transactional.TxType.REQUIRES_NEW)
        public void accept(Object message) {}
    }

    static class JakartaJoins implements Consumer<Object> {
        @Override
        @jakarta.transaction.Transactional
        public void accept(Object message) {}
    }

    static class Named implements Consumer<Object> {
        @Override
        @Transactional("reporting")
        public void accept(Object message) {}
    }

    static class Supports implements Consumer<Object> {
        @Override
        @Transactional(transactionManager = "reporting", propagation = Propagation.SUPPORTS)
        public void accept(Object message) {}
    }

    /** Nobody knows what it manages. */
    static class Unknown implements TransactionManager {}

    @Test
    @DisplayName(
            "a transaction of its own, or none, is seen on the method or the class, by Spring's annotation or Jakarta's")
    void propagation() {
        assertThat(problem(new Plain())).isNull();
        Consumer<Object> lambda = message -> {};
        assertThat(problem(lambda)).isNull();
        assertThat(problem(new Joins())).isNull();
        assertThat(problem(new MethodFirst())).isNull();
        assertThat(problem(new JakartaJoins())).isNull();
        assertThat(problem(new New())).startsWith("is @Transactional(propagation = REQUIRES_NEW)");
        assertThat(problem(new OfClass())).contains("NOT_SUPPORTED");
        assertThat(problem(new Meta())).contains("NEVER");
        assertThat(problem(new Jakarta()))
                .startsWith("is @jakarta.transaction.Transactional(REQUIRES_NEW)")
                .contains("Use the default propagation, REQUIRED");
    }

    @Test
    @DisplayName("also behind a proxy, be it of the class or of its interface")
    void proxies() {
        ProxyFactory ofInterface = new ProxyFactory(new New());
        assertThat(problem(ofInterface.getProxy())).contains("REQUIRES_NEW");
        ProxyFactory ofClass = new ProxyFactory(new Jakarta());
        ofClass.setProxyTargetClass(true);
        Object proxy = ofClass.getProxy();
        assertThat(problem(proxy)).contains("REQUIRES_NEW");
        assertThat(problem(scene.transactions, proxy, proxy.getClass())).contains("REQUIRES_NEW");
    }

    private JdbcTransactions by(Map<String, TransactionManager> managers) {
        return scene.transactions.managers(managers::get);
    }

    private static JpaTransactionManager jpa(DataSource dataSource) {
        JpaTransactionManager manager = new JpaTransactionManager();
        manager.setDataSource(dataSource);
        manager.setEntityManagerFactory((EntityManagerFactory) Proxy.newProxyInstance(
                EntityManagerFactory.class.getClassLoader(),
                new Class<?>[] {EntityManagerFactory.class},
                (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                }));
        return manager;
    }

    @Test
    @DisplayName("a manager of another DataSource is seen by its name, or as the one of those that name none")
    void managers() {
        DataSource other = new DelegatingDataSource(scene.database.pool());
        for (TransactionManager elsewhere :
                new TransactionManager[] {new DataSourceTransactionManager(other), jpa(other)}) {
            JdbcTransactions two = by(Map.of("reporting", elsewhere, "", scene.manager));
            assertThat(problem(two, new Named(), Consumer.class))
                    .startsWith(
                            "is @Transactional by transaction manager \"reporting\", which uses another DataSource");
            assertThat(problem(two, new Joins(), Consumer.class)).isNull();
            assertThat(problem(two.allowSuspension(true), new Named(), Consumer.class))
                    .isNull();
            assertThat(problem(by(Map.of("", elsewhere)), new Joins(), Consumer.class))
                    .contains("by the default transaction manager");
        }
        assertThat(problem(by(Map.of("reporting", scene.manager)), new Named(), Consumer.class))
                .isNull();
        assertThat(problem(by(Map.of()), new Named(), Consumer.class)).isNull();
        assertThat(problem(new Named())).isNull();
    }

    @Test
    @DisplayName("another manager of the same DataSource is let through only if it joins the transaction")
    void managersOfTheSame() {
        DataSource proxy = new LazyConnectionDataSourceProxy(scene.pool);
        for (TransactionManager apart :
                new TransactionManager[] {new DataSourceTransactionManager(proxy), jpa(proxy)}) {
            JdbcTransactions two = by(Map.of("reporting", apart));
            assertThat(problem(two, new Named(), Consumer.class))
                    .startsWith("is @Transactional by transaction manager \"reporting\", which doesn't join");
            assertThat(problem(two, new Supports(), Consumer.class)).isNull();
        }
        TransactionManager joins = new DataSourceTransactionManager(scene.pool);
        ProxyFactory wrapped = new ProxyFactory(joins);
        for (TransactionManager each :
                new TransactionManager[] {joins, (TransactionManager) wrapped.getProxy(), new Unknown()}) {
            assertThat(problem(by(Map.of("reporting", each)), new Named(), Consumer.class))
                    .isNull();
        }
    }
}
