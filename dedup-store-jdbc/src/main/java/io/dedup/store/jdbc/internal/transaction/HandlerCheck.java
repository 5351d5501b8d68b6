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
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Sees by a handler's annotations whether it runs outside of the transaction that its record commits with: by Spring's
 * {@code @Transactional}, or Jakarta's, which Spring takes as well.
 *
 * @param managers finds a transaction manager by its name, and the one of those that name none by the empty name; null where it
 *     isn't known
 */
public record HandlerCheck(DataSource dataSource, Function<String, @Nullable TransactionManager> managers) {
    private static final Set<String> OUTSIDE = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");
    private static final String JAKARTA = "jakarta.transaction.Transactional";

    /**
     * What an annotation says.
     *
     * @param text for messages
     * @param propagation the name of Spring's propagation, or of Jakarta's type, which are the same
     * @param manager the name of the transaction manager; empty where none is named
     */
    private record Declared(String text, String propagation, String manager) {}

    /** What goes on from the handler's name; null where nothing speaks against it. */
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
        DataSource others = dataSourceOf(managers.apply(declared.manager()));
        if (others == null || DataSources.target(others) == DataSources.target(dataSource)) {
            return null;
        }
        String which = declared.manager().isEmpty()
                ? "by the default transaction manager"
                : "by transaction manager " + Printable.of(declared.manager());
        return "is @Transactional " + which
                + ", which uses another DataSource than the table of records: its effect and its record would not commit"
                + " together. Use the transaction manager of the records, or keep the table in the handler's database";
    }

    private static @Nullable Declared declared(Object handler, Method method) {
        Class<?> type =
                handler instanceof DecoratingProxy proxy ? proxy.getDecoratedClass() : ClassUtils.getUserClass(handler);
        for (AnnotatedElement each : List.of(ClassUtils.getMostSpecificMethod(method, type), type)) {
            Declared declared = declared(each); // a method's is instead of its class's
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

    /** Of the managers that know one: JDBC's, JPA's and Hibernate's have the same getter. Null of the others. */
    private static @Nullable DataSource dataSourceOf(@Nullable TransactionManager manager) {
        if (manager == null) {
            return null;
        }
        try {
            return manager.getClass().getMethod("getDataSource").invoke(manager) instanceof DataSource known
                    ? known
                    : null;
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return null; // what can't be seen isn't refused
        }
    }
}
