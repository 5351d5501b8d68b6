package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.text.Printable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DecoratingProxy;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Checks by a handler's annotations whether it runs outside the transaction of its record: Spring's
 * {@code @Transactional}, or Jakarta's, which Spring supports too.
 *
 * @param own opens the transactions of the records
 * @param managers finds a transaction manager by its name, and the default one by the empty name; null if unknown
 */
public record HandlerCheck(
        DataSource dataSource, TransactionManager own, Function<String, @Nullable TransactionManager> managers) {
    private static final Set<String> OUTSIDE = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");
    /** Uses a transaction if there is one, and asks its manager for nothing. */
    private static final String SUPPORTS = "SUPPORTS";

    private static final String JAKARTA = "jakarta.transaction.Transactional";

    /**
     * The content of an annotation.
     *
     * @param text for messages
     * @param propagation the name of Spring's propagation, or of Jakarta's type; both use the same names
     * @param manager the name of the transaction manager; empty if none is given
     */
    private record Declared(String text, String propagation, String manager) {}

    /** The rest of a sentence that starts with the handler's name; null if there is no problem. */
    @Nullable
    public String problem(Object handler, HandlerMethod handles) {
        Method method = ReflectionUtils.findMethod(
                handles.declaredIn(), handles.name(), handles.parameterTypes().toArray(Class<?>[]::new));
        Declared declared = method == null ? null : declared(handler, method);
        if (declared == null) {
            return null;
        }
        if (OUTSIDE.contains(declared.propagation())) {
            return "is " + declared.text()
                    + ", which runs outside the transaction of its record: a crash between the two commits would lose or"
                    + " double its effect. Use the default propagation, REQUIRED, which joins that transaction";
        }
        TransactionManager manager = managers.apply(declared.manager());
        if (manager == null) {
            return null;
        }
        String which = declared.manager().isEmpty()
                ? "by the default transaction manager"
                : "by transaction manager " + Printable.of(declared.manager());
        DataSource others = dataSourceOf(manager);
        if (others != null && DataSources.target(others) != DataSources.target(dataSource)) {
            return "is @Transactional " + which
                    + ", which uses another DataSource than the table of records: its effect and its record would not commit"
                    + " together. Use the transaction manager of the records, or keep the table in the handler's database";
        }
        if (mayJoin(manager) || declared.propagation().equals(SUPPORTS)) {
            return null;
        }
        return "is @Transactional " + which
                + ", which doesn't join the transaction of its record, but would suspend it: each message would fail. Use one"
                + " transaction manager for both, that of JPA if there is one (Spring Boot: dedup.jdbc.transaction-manager)";
    }

    /** Whether a transaction of the own manager counts as open for the other one: by the object that it is bound to. */
    private boolean mayJoin(TransactionManager manager) {
        return manager == own
                || !(manager instanceof ResourceTransactionManager others)
                || !(own instanceof ResourceTransactionManager ours)
                || TransactionSynchronizationUtils.sameResourceFactory(ours, others.getResourceFactory());
    }

    private static @Nullable Declared declared(Object handler, Method method) {
        Class<?> type =
                handler instanceof DecoratingProxy proxy ? proxy.getDecoratedClass() : ClassUtils.getUserClass(handler);
        for (AnnotatedElement each : List.of(ClassUtils.getMostSpecificMethod(method, type), type)) {
            Declared declared = declared(each); // an annotation of the method replaces that of the class
            if (declared != null) {
                return declared;
            }
        }
        return null;
    }

    private static @Nullable Declared declared(AnnotatedElement annotated) {
        Transactional spring = AnnotatedElementUtils.findMergedAnnotation(annotated, Transactional.class);
        if (spring != null) {
            return new Declared(
                    "@Transactional(propagation = " + spring.propagation() + ")",
                    spring.propagation().name(),
                    spring.transactionManager());
        }
        AnnotationAttributes jakarta =
                AnnotatedElementUtils.findMergedAnnotationAttributes(annotated, JAKARTA, false, false);
        if (jakarta == null) {
            return null;
        }
        String type = jakarta.getEnum("value").name();
        return new Declared("@" + JAKARTA + "(" + type + ")", type, "");
    }

    /**
     * The data source of JDBC's, JPA's and Hibernate's managers, which have the same getter; null for other managers.
     */
    private static @Nullable DataSource dataSourceOf(TransactionManager manager) {
        try {
            return manager.getClass().getMethod("getDataSource").invoke(manager) instanceof DataSource known
                    ? known
                    : null;
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return null; // unknown, so not rejected
        }
    }
}
