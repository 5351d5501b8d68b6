package io.dedup.spring.boot.internal.integration;

import io.dedup.adapter.advice.FailureAdvice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.integration.handler.CompositeMessageHandler;
import org.springframework.integration.handler.ReactiveMessageHandlerAdapter;
import org.springframework.integration.handler.advice.HandleMessageAdvice;

/**
 * Which handlers can be deduplicated by an advice: those whose effect has happened when they return, and that throw if it hasn't. Fields
 * are read by their names, because they have no getters, and some of their classes differ between the two lines of Spring Integration.
 */
final class HandlerRules {
    private HandlerRules() {}

    /**
     * Why a handler cannot; null if it can.
     *
     * @param handler as it is called, with its proxies
     * @param own the advice, which is around those of the handler that come after it, and around all that the handler calls itself with
     */
    static @Nullable String problem(Object handler, Advice own, boolean transactional) {
        return problem(handler, advices(handler, own), transactional);
    }

    /** The advices inside of one, from the outside to the inside; null for all. */
    static List<Advice> advices(Object handler, @Nullable Advice outer) {
        List<Advice> inside = new ArrayList<>();
        boolean isInside = outer == null;
        for (Object each = handler; each instanceof Advised advised; each = AopProxyUtils.getSingletonTarget(each)) {
            for (Advisor advisor : advised.getAdvisors()) {
                if (isInside) {
                    inside.add(advisor.getAdvice());
                }
                isInside |= advisor.getAdvice().equals(outer);
            }
        }
        return inside;
    }

    private static @Nullable String problem(Object handler, List<Advice> advices, boolean transactional) {
        Object target = target(handler);
        if (target instanceof ReactiveMessageHandlerAdapter || Boolean.TRUE.equals(field(target, "async"))) {
            return "is asynchronous, so its effect may happen after the message counts as done. Wait for the effect in the handler, and"
                    + " set async to false";
        }
        List<Advice> inside = new ArrayList<>(advices);
        if (field(target, "adviceChain") instanceof Collection<?> chain) {
            chain.stream()
                    .filter(Advice.class::isInstance)
                    .map(Advice.class::cast)
                    .filter(each ->
                            !(each instanceof HandleMessageAdvice)) // which are around the handler, or not at all
                    .forEach(inside::add);
        }
        for (Advice advice : inside) {
            String problem = problem(advice, transactional);
            if (problem != null) {
                return problem;
            }
        }
        if (target instanceof CompositeMessageHandler chain) {
            return chain.getHandlers().stream()
                    .flatMap(each -> Stream.ofNullable(problem(each, advices(each, null), transactional)))
                    .findFirst()
                    .orElse(null);
        }
        return null;
    }

    private static @Nullable String problem(Advice advice, boolean transactional) {
        Advice called = field(advice, "delegate") instanceof Advice delegate ? delegate : advice;
        String name = called.getClass().getSimpleName();
        boolean takesFailures = field(called, "recoveryCallback") != null
                || field(called, "recoverer") != null
                || Boolean.TRUE.equals(field(called, "trapException"))
                || Boolean.TRUE.equals(field(called, "returnFailureExpressionResult"));
        if (takesFailures) {
            return "has an advice (" + name
                    + ") that takes its failures, inside of its deduplication: a message that it has taken would"
                    + " count as done without its effect, and its replay would be dropped. Take failures further out, as in the error"
                    + " channel of the source";
        }
        return transactional && FailureAdvice.repeats(called)
                ? "has an advice (" + name
                        + ") that calls it again after a failure, within the one transaction of a transactional"
                        + " mode: what the failed call has written would be committed by the next one. Let the source deliver the message"
                        + " again, with a new transaction for each try; or use mode leased"
                : null;
    }

    private static Object target(Object handler) {
        Object target = AopProxyUtils.getSingletonTarget(handler);
        return target == null ? handler : target(target);
    }

    private static @Nullable Object field(Object of, String name) {
        DirectFieldAccessor fields = new DirectFieldAccessor(of);
        return fields.isReadableProperty(name) ? fields.getPropertyValue(name) : null;
    }
}
