package io.dedup.spring.boot.internal.method;

import io.dedup.adapter.advice.FailureAdvice;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.check.LateResults;
import io.dedup.spring.boot.internal.store.MethodTransactions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Which methods can be deduplicated: those that a proxy can stand in front of, and whose effect has happened, and is durable, when they
 * return.
 */
final class MethodRules {
    private static final String KAFKA_HANDLER = "org.springframework.kafka.annotation.KafkaHandler";
    private static final List<String> OF_BROKERS = List.of(
            "org.springframework.kafka.annotation.KafkaListener",
            "org.springframework.kafka.annotation.KafkaListeners",
            KAFKA_HANDLER,
            "org.apache.rocketmq.spring.annotation.RocketMQMessageListener",
            "org.apache.rocketmq.client.annotation.RocketMQMessageListener");
    private static final String KOTLIN_VOID = "kotlin.Unit";
    private static final String BEAN = "org.springframework.context.annotation.Bean";

    /** Why a result of {@link LateResults} cannot be, and what to do. */
    static final String LATE = ", so its effect may happen after its return, and would count as done"
            + " before. Wait for the effect in the method, or call Deduplicator.executeAsync";

    private MethodRules() {}

    /**
     * Checks the declaration.
     *
     * @throws DedupConfigurationException when it cannot be deduplicated; says why
     */
    static void require(DeduplicatedMethod method) {
        String problem = problem(method);
        if (problem != null) {
            throw refused(method, problem);
        }
    }

    private static @Nullable String problem(DeduplicatedMethod method) {
        if (isOfAdapter(method)) {
            return "is a listener of Kafka or RocketMQ, whose topics are known. Leave out the topic";
        }
        if (makesBean(method)) {
            return "makes a bean. Leave out the topic, if that is a listener of RocketMQ; otherwise annotate the bean's method";
        }
        int modifiers = method.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            return "is " + Modifier.toString(modifiers & (Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL))
                    + ", so Spring cannot intercept its calls";
        }
        Class<?> late = LateResults.declared(method.method(), method.type());
        if (late != null) {
            return "returns " + late.getSimpleName() + LATE;
        }
        Class<?> result = result(method);
        String sending = Caller.sendsResult(method);
        if (sending != null
                && result != void.class
                && result != Void.class
                && !result.getName().equals(KOTLIN_VOID)) {
            return "returns " + result.getSimpleName()
                    + ", which is sent or published when the call has already counted as done ("
                    + sending
                    + "). If that fails, or the process dies, the repeated call is a duplicate, and the result is"
                    + " never sent. Send it within the method, or write it to an outbox there, and return nothing";
        }
        if (result.isPrimitive() && result != void.class) {
            return "returns " + result + ", but there is no value for a duplicate. Return "
                    + "the object type instead, which" + " may be null";
        }
        Class<?> acknowledging = AcknowledgingParameters.first(method.method());
        if (acknowledging != null) {
            return "has a parameter of type " + acknowledging.getSimpleName()
                    + ", with which it can acknowledge its message. It isn't called for a duplicate, which nobody would"
                    + " acknowledge then. Remove the parameter, and let the container acknowledge when the method has returned";
        }
        return Caller.isTransactionalEvent(method) ? problemOfTransactionalEvent(method) : null;
    }

    private static Class<?> result(DeduplicatedMethod method) {
        return ResolvableType.forMethodReturnType(method.method(), method.type())
                .resolve(method.method().getReturnType());
    }

    /** Spring calls it while its publisher's transaction is bound to the thread, also when that has ended. */
    private static @Nullable String problemOfTransactionalEvent(DeduplicatedMethod method) {
        if (Caller.isAsync(method) || MethodTransactions.leavesCallers(method.method(), method.type())) {
            return null;
        }
        return Caller.isBeforeCommit(method)
                ? "is a @TransactionalEventListener in the transaction of its publisher: if that were rolled back, the effect would"
                        + " be gone, but recorded as done. Use the phase AFTER_COMMIT"
                : "is a @TransactionalEventListener, which Spring calls with the ended transaction still bound to the thread:"
                        + " what it writes to a database may never be committed, but would be recorded as done. Add"
                        + " @Transactional(propagation = Propagation.REQUIRES_NEW) if it writes to a database, and"
                        + " NOT_SUPPORTED if it doesn't";
    }

    /**
     * Checks that the adapter of a broker's listener reads the annotation.
     *
     * @throws DedupConfigurationException when it doesn't
     */
    static void requireRead(DeduplicatedMethod method) {
        if (isAnnotated(method.method(), List.of(KAFKA_HANDLER))) {
            throw refused(
                    method,
                    "is a @KafkaHandler, one of the methods of one listener, whose annotations aren't read. Annotate the class");
        }
    }

    /** Whether something else reads the annotation, which then doesn't need a topic. */
    static boolean isOfAdapter(DeduplicatedMethod method) {
        return isAnnotated(method.method(), OF_BROKERS) || isAnnotatedClass(method.type());
    }

    /** Whether it makes a bean that may be a listener of RocketMQ. */
    static boolean makesBean(DeduplicatedMethod method) {
        return isAnnotated(method.method(), List.of(BEAN));
    }

    /** Whether a class is annotated as if it were a method, and isn't a listener of a broker with an adapter. */
    static boolean hasUselessTopic(Class<?> type) {
        Deduplicated annotation = AnnotatedElementUtils.findMergedAnnotation(type, Deduplicated.class);
        return annotation != null
                && !annotation.topic().isEmpty()
                && !isAnnotatedClass(type)
                && Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                        .noneMatch(method -> isAnnotated(method, OF_BROKERS));
    }

    private static boolean isAnnotated(Method method, List<String> names) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        return names.stream().anyMatch(annotations::isPresent);
    }

    private static boolean isAnnotatedClass(Class<?> type) {
        MergedAnnotations annotations = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        return OF_BROKERS.stream().anyMatch(annotations::isPresent);
    }

    /**
     * Checks that calls of a bean get to the interceptor, and what else intercepts them.
     *
     * @throws DedupConfigurationException when effects would happen unnoticed, or later than they are recorded
     */
    static void requireIntercepted(DeduplicatedMethod method, Object bean) {
        List<Advisor> advisors = advisors(bean);
        int own = -1;
        for (int i = 0; i < advisors.size() && own < 0; i++) {
            own = advisors.get(i) instanceof DeduplicatedMethodAdvisor ? i : -1;
        }
        if (own < 0) {
            throw refused(
                    method,
                    "isn't intercepted: Spring made its bean before it could be given a proxy. A bean post-processor or another"
                            + " early bean depends on it");
        }
        for (int i = 0; i < advisors.size(); i++) {
            Advisor advisor = advisors.get(i);
            if (i < own && MethodTransactions.isTransactional(advisor.getAdvice()) && applies(advisor, method)) {
                throw refused(
                        method,
                        "runs in a transaction that is opened before its ID is claimed and commits after its success is"
                                + " recorded. Give @EnableTransactionManagement a higher order than "
                                + DeduplicatedMethodAdvisor.ORDER + "; the default is right");
            }
            if (i > own && FailureAdvice.repeats(advisor.getAdvice()) && applies(advisor, method)) {
                throw refused(
                        method,
                        "is retried within one claim: in a transactional mode the tries would share one transaction, which commits"
                                + " what the failed ones have written, and a call whose failure @Recover has taken would count as"
                                + " done. Give the retries (@EnableRetry; resilience4j.retry.retry-aspect-order) an order in front of "
                                + DeduplicatedMethodAdvisor.ORDER + ", so that each try is a call of its own");
            }
            if (i > own
                    && FailureAdvice.replaces(advisor.getAdvice(), method.method(), method.type())
                    && applies(advisor, method)) {
                throw refused(
                        method,
                        "has a fallback method within its claim: a call whose failure that has taken would count as done, and in a"
                                + " transactional mode what it had written would be committed. Put the fallback on a bean that the"
                                + " method calls; or give the aspect (such as"
                                + " resilience4j.circuitbreaker.circuit-breaker-aspect-order) an order in front of "
                                + DeduplicatedMethodAdvisor.ORDER
                                + ", where the fallback also gets a CallDeferredException, which it has to pass on");
            }
            if (advisor.getAdvice() instanceof AsyncExecutionInterceptor && applies(advisor, method)) {
                if (i > own) {
                    throw refused(
                            method,
                            "returns before its effect, because @Async is inside of its deduplication. Leave the order of"
                                    + " @EnableAsync at its default");
                }
                if (Caller.of(method) == Caller.BROKER) {
                    throw refused(
                            method,
                            "is @Async, so its container acknowledges the message before its effect has happened: if it fails"
                                    + " or is deferred, or its process dies, the message is lost. Remove @Async, and set the"
                                    + " concurrency of the container");
                }
            }
        }
    }

    private static boolean applies(Advisor advisor, DeduplicatedMethod method) {
        return !(advisor instanceof PointcutAdvisor pointcut)
                || pointcut.getPointcut().getMethodMatcher().matches(method.method(), method.type());
    }

    /** From the outside to the inside, also where a proxy has a proxy. */
    private static List<Advisor> advisors(Object bean) {
        List<Advisor> all = new ArrayList<>();
        Object each = bean;
        while (each instanceof Advised advised) {
            all.addAll(List.of(advised.getAdvisors()));
            each = AopProxyUtils.getSingletonTarget(each);
        }
        return all;
    }

    static DedupConfigurationException refused(DeduplicatedMethod method, String problem) {
        return new DedupConfigurationException(
                "Method " + method.name() + " cannot be deduplicated: it " + problem + ".",
                "Change the method, or remove @Deduplicated.");
    }
}
