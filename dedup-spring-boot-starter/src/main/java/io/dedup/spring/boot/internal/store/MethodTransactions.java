package io.dedup.spring.boot.internal.store;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.util.ClassUtils;

/** Whether methods take part in transactions of Spring that their callers have opened. Thread-safe. */
public final class MethodTransactions {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            MethodTransactions.class.getClassLoader());

    private MethodTransactions() {}

    /** Whether this thread is in a transaction. */
    public static boolean isOpen() {
        return PRESENT && Present.isOpen();
    }

    /** Whether the method is declared to run outside its caller's transaction, in one of its own or in none. */
    public static boolean leavesCallers(Method method, Class<?> type) {
        return PRESENT && Present.leavesCallers(method, type);
    }

    /** Whether this advice opens transactions around methods. */
    public static boolean isTransactional(Advice advice) {
        return PRESENT && Present.isTransactional(advice);
    }

    /** Whether a rollback of this manager's transaction undoes what was done with this resource: not if it is that of another one alone. */
    public static boolean mayInclude(Object manager, @Nullable Object resource) {
        return PRESENT && Present.mayInclude(manager, resource);
    }

    /** Loaded only where there are transactions. */
    private static final class Present {
        /** As Spring reads them for its proxies of classes: of methods that aren't public as well. */
        private static final AnnotationTransactionAttributeSource DECLARED =
                new AnnotationTransactionAttributeSource(false);

        static boolean isOpen() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }

        static boolean leavesCallers(Method method, Class<?> type) {
            TransactionAttribute declared = declared(method, type);
            if (declared == null) {
                return false;
            }
            return switch (declared.getPropagationBehavior()) {
                case TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED ->
                    true;
                default -> false;
            };
        }

        private static @Nullable TransactionAttribute declared(Method method, Class<?> type) {
            return DECLARED.getTransactionAttribute(method, type);
        }

        static boolean mayInclude(Object manager, @Nullable Object resource) {
            return !(manager instanceof ResourceTransactionManager local)
                    || (resource != null && TransactionSynchronizationUtils.sameResourceFactory(local, resource));
        }

        static boolean isTransactional(Advice advice) {
            return advice instanceof TransactionInterceptor;
        }
    }
}
