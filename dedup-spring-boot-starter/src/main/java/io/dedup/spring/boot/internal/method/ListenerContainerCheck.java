package io.dedup.spring.boot.internal.method;

import io.dedup.adapter.advice.FailureAdvice;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.store.MethodTransactions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.messaging.handler.HandlerMethod;
import org.springframework.util.ClassUtils;

/** Looks for settings of the containers of RabbitMQ and JMS that would lose messages of deduplicated methods. */
public final class ListenerContainerCheck implements RiskCheck {
    private static final int JMS_CLIENT_ACKNOWLEDGE = 2;

    private final BeanFactory beans;
    private final DeduplicatedMethods methods;

    /** For the containers of an application. */
    public ListenerContainerCheck(BeanFactory beans, DeduplicatedMethods methods) {
        this.beans = beans;
        this.methods = methods;
    }

    /** @throws DedupConfigurationException for what always loses messages, or blocks them */
    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        List<Warning> warnings = new ArrayList<>();
        for (ListenerContainer container : ListenerContainer.all(beans, ListenerContainer.RABBIT)) {
            MethodCalls method = deduplicated(container);
            if (method != null) {
                requireRabbit(container, method);
                warnOfRetries(container, method, warnings);
            }
        }
        for (ListenerContainer container : ListenerContainer.all(beans, ListenerContainer.JMS)) {
            MethodCalls method = deduplicated(container);
            if (method != null) {
                requireJms(container, method);
            }
        }
        return warnings;
    }

    /** One of its methods that is deduplicated; null if there is none. */
    private @Nullable MethodCalls deduplicated(ListenerContainer container) {
        for (HandlerMethod handler : container.handlers()) {
            Object bean = handler.createWithResolvedBean().getBean();
            MethodCalls calls = methods.of(ClassUtils.getUserClass(AopUtils.getTargetClass(bean)), handler.getMethod());
            if (calls != null) {
                return calls;
            }
        }
        return null;
    }

    private static void requireRabbit(ListenerContainer container, MethodCalls method) {
        String mode = String.valueOf(container.setting("acknowledgeMode"));
        if (mode.equals("MANUAL")) {
            throw refused(
                    method,
                    "has to acknowledge its messages itself, but isn't called for duplicates, which nobody would acknowledge",
                    "Set spring.rabbitmq.listener.simple.acknowledge-mode: auto (or that of its container factory, or ackMode of its"
                            + " @RabbitListener): the container then acknowledges when the method has returned.");
        }
        if (mode.equals("NONE")) {
            throw refused(
                    method,
                    "gets messages that RabbitMQ counts as acknowledged when it sends them, so that they are lost if the method"
                            + " fails, its process dies or the store is down",
                    "Set spring.rabbitmq.listener.simple.acknowledge-mode: auto.");
        }
        if (!mode.equals("AUTO")) {
            throw refused(
                    method,
                    "is called by a " + container.type()
                            + ", which isn't known to get a message again whose call fails or is deferred: that of a stream"
                            + " logs the exception and reads on, so that the message is lost",
                    "Set spring.rabbitmq.listener.type: simple or direct (or use such a container factory).");
        }
        requireNoTransaction(container, method);
    }

    private static void warnOfRetries(ListenerContainer container, MethodCalls method, List<Warning> warnings) {
        if (container.setting("adviceChain") instanceof Advice[] advices
                && Arrays.stream(advices).anyMatch(FailureAdvice::repeats)) {
            warnings.add(new Warning(
                    "Listener " + method.name()
                            + " has retries that give up: a message that is deferred until they do, as while"
                            + " an application ends that waits for its store, is rejected, and gone if its queue has no"
                            + " dead-letter exchange",
                    "Set spring.rabbitmq.listener.simple.retry.enabled: false, and let the queue's delivery limit count failures;"
                            + " or give the queue a dead-letter exchange."));
        }
    }

    private static void requireJms(ListenerContainer container, MethodCalls method) {
        boolean transacted = Boolean.TRUE.equals(container.setting("sessionTransacted"));
        boolean byContainer =
                container.setting("sessionAcknowledgeMode") instanceof Integer mode && mode == JMS_CLIENT_ACKNOWLEDGE;
        if (!transacted && !byContainer && !receivesInTransaction(container)) {
            throw refused(
                    method,
                    "reads from a session whose messages are acknowledged before it runs, or although it fails, or have to be"
                            + " acknowledged one by one: they are lost if the method fails, its process dies or the store is"
                            + " down, or nobody acknowledges duplicates",
                    "Set spring.jms.listener.session.transacted: true, which is the default without a JTA transaction manager, or"
                            + " spring.jms.listener.session.acknowledge-mode: client. A container factory of your own that isn't"
                            + " configured by Spring Boot needs setSessionTransacted(true).");
        }
        if (!transacted && byContainer && Boolean.FALSE.equals(container.setting("acknowledgeAfterListener"))) {
            throw refused(
                    method,
                    "has to acknowledge its messages itself, but isn't called for duplicates, which nobody would acknowledge",
                    "Leave acknowledgeAfterListener of its container factory at true: the container then acknowledges when the"
                            + " method has returned.");
        }
        if (!polls(container) && container.setting("taskExecutor") != null) {
            throw refused(
                    method,
                    "runs on another thread than its session: what is acknowledged or committed for one message is so for"
                            + " those that still run, and one of them that fails then is lost",
                    "Remove the task executor of its container factory, and set its concurrency.");
        }
        requireNoTransaction(container, method);
    }

    private static boolean polls(ListenerContainer container) {
        return container.knows("transactionManager");
    }

    /** Whether a rollback of its transaction manager returns the message: one of a database alone doesn't. */
    private static boolean receivesInTransaction(ListenerContainer container) {
        Object manager = container.setting("transactionManager");
        return manager != null && MethodTransactions.mayInclude(manager, container.setting("connectionFactory"));
    }

    private static void requireNoTransaction(ListenerContainer container, MethodCalls method) {
        if (container.setting("transactionManager") != null && !method.leavesTransactions()) {
            throw refused(
                    method,
                    "is called in a transaction of its container. If that were rolled back, the effect would be gone, but recorded as"
                            + " done",
                    "Remove the transaction manager from its container factory. The container acknowledges when the method has"
                            + " returned; put @Transactional on the method for its own transaction.");
        }
    }

    private static DedupConfigurationException refused(MethodCalls method, String problem, String action) {
        return new DedupConfigurationException("Listener " + method.name() + " " + problem + ".", action);
    }
}
