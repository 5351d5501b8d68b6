package io.dedup.testkit.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Passes a run to the test, and closes it after the test. */
final class FaultPlanExtension implements ParameterResolver, AfterTestExecutionCallback {
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
