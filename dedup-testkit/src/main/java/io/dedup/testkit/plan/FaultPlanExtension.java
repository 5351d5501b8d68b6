package io.dedup.testkit.plan;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Passes a run to the test, limits its time, and closes it after the test. */
final class FaultPlanExtension implements ParameterResolver, InvocationInterceptor, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace HERE = ExtensionContext.Namespace.create(FaultPlanExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == FaultRun.class
                && AnnotationSupport.isAnnotated(parameter.getDeclaringExecutable(), FaultPlan.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        FaultPlan plan = AnnotationSupport.findAnnotation(parameter.getDeclaringExecutable(), FaultPlan.class)
                .orElseThrow();
        FaultRun run =
                new FaultRun(PlanSettings.of(plan.seed(), plan.messages(), plan.times(), List.of(plan.faults())));
        context.getStore(HERE).put(FaultRun.class, run);
        return run;
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        @Nullable FaultRun run = context.getStore(HERE).get(FaultRun.class, FaultRun.class);
        Optional<Timeout> limit = AnnotationSupport.findAnnotation(method.getExecutable(), Timeout.class);
        if (run == null || !limit.equals(Optional.of(FaultPlan.class.getAnnotation(Timeout.class)))) {
            var unused = test.proceed(); // JUnit has a limit for it
        } else {
            proceed(test, run.settings(), run.settings().limit());
        }
    }

    /** Interrupts a test that takes too long: JUnit's own limit is a constant, but a plan is as long as its settings say. */
    static void proceed(Invocation<Void> test, PlanSettings settings, Duration limit) throws Throwable {
        Thread thread = Thread.currentThread();
        AtomicBoolean over = new AtomicBoolean();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread made = new Thread(work, "fault-plan-limit");
            made.setDaemon(true);
            return made;
        });
        try {
            var unused = timer.schedule(
                    () -> {
                        over.set(true);
                        thread.interrupt();
                    },
                    limit.toNanos(),
                    TimeUnit.NANOSECONDS);
            var unusedResult = test.proceed();
        } catch (Throwable e) {
            if (over.get()) {
                TimeoutException timeout = new TimeoutException("The fault plan took longer than " + limit
                        + ", the limit for times=" + settings.times() + " and messages=" + settings.messages()
                        + ". To allow more, put JUnit's @Timeout on the test method, for example @Timeout(value = 3, unit ="
                        + " TimeUnit.HOURS)");
                timeout.initCause(e);
                throw timeout;
            }
            throw e;
        } finally {
            timer.shutdownNow();
            if (over.get()) {
                boolean unused = Thread.interrupted(); // processes are still to be ended
            }
        }
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        @Nullable FaultRun run = context.getStore(HERE).remove(FaultRun.class, FaultRun.class);
        boolean played = run != null && run.wasPlayed();
        boolean passed = context.getExecutionException().isEmpty();
        if (run != null) {
            run.close();
            if (passed) {
                run.deleteOutput();
            }
        }
        if (!played && passed) {
            throw new AssertionError(
                    "The test hasn't played its fault plan: take a FaultRun as a parameter and call play() on it");
        }
    }
}
