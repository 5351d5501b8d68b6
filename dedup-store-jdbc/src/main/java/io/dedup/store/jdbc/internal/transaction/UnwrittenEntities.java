package io.dedup.store.jdbc.internal.transaction;

import jakarta.persistence.EntityManager;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Refuses to commit where a handler's entities would never be written. Spring lends an entity manager in every transaction,
 * also in one that JPA takes no part in, and nobody flushes that one. Reading with it is fine. Thread-safe.
 */
final class UnwrittenEntities {
    /** The logger of the public type, which applications configure. */
    private static final Logger log = LoggerFactory.getLogger("io.dedup.store.jdbc.JdbcTransactions");

    private static final boolean JPA = isPresent("org.springframework.orm.jpa.EntityManagerHolder");
    private static final boolean HIBERNATE = isPresent("org.hibernate.Session");

    private final Set<Object> warned = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, UnwrittenEntities.class.getClassLoader());
    }

    /**
     * Called within a transaction when only its end remains.
     *
     * @throws IllegalStateException if entities were changed that the commit would not write
     */
    void refuse() {
        if (JPA) {
            TransactionSynchronizationManager.getResourceMap().forEach((factory, bound) -> {
                if (bound instanceof EntityManagerHolder holder && holder.isSynchronizedWithTransaction()) {
                    refuse(factory, holder);
                }
            });
        }
    }

    private void refuse(Object factory, EntityManagerHolder holder) {
        EntityManager entities;
        try {
            entities = holder.getEntityManager();
        } catch (IllegalStateException e) {
            return; // it holds a stateless session, which keeps nothing for later
        }
        if (!entities.isOpen() || entities.isJoinedToTransaction()) {
            return;
        }
        if (!HIBERNATE || !(entities.getDelegate() instanceof Session session)) {
            if (warned.add(factory)) {
                log.warn(
                        "A handler used {} within a transaction that JPA takes no part in: what it has only read is fine, but"
                                + " entities that it has changed are not written, and this cannot be seen. Open the records'"
                                + " transactions with the JpaTransactionManager of that factory (Spring Boot:"
                                + " dedup.jdbc.transaction-manager)",
                        factory);
            }
            return;
        }
        // Whoever holds changes back must flush them, whichever transaction manager it is.
        if (session.getHibernateFlushMode() != FlushMode.MANUAL && session.isDirty()) {
            throw new IllegalStateException(
                    "The handler has changed entities in a transaction that JPA takes no part in, so the commit would not write"
                            + " them. Open the records' transactions with the JpaTransactionManager of the handler's"
                            + " EntityManagerFactory (Spring Boot: dedup.jdbc.transaction-manager), or write with JDBC");
        }
    }
}
