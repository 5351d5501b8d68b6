package io.dedup.mutants.killer;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Calls one test method, in its own class, in classes nested in it, and in those that it inherits. */
final class TestCall implements TestExecutionListener {
    private final String method;
    private final Consumer<TestCall> whenFailed;
    private int passed;
    private int skipped;
    private @Nullable Throwable failure;

    private TestCall(String method, Consumer<TestCall> whenFailed) {
        this.method = method;
        this.whenFailed = whenFailed;
    }

    /**
     * Calls it.
     *
     * @param selector such as {@code io.dedup.CloseTest#claimedTooLate}
     * @param whenFailed gets the first failure at once; a method may have many invocations, each with its own timeouts
     */
    static TestCall of(String selector, Consumer<TestCall> whenFailed) {
        int hash = selector.indexOf('#');
        TestCall call = new TestCall(selector.substring(hash + 1), whenFailed);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(selector.substring(0, hash)))
                .filters((PostDiscoveryFilter) call::isWanted)
                // A test that hangs is ended by the parent process, which knows whether that counts as killed.
                .configurationParameter("junit.jupiter.execution.timeout.default", "30 m")
                .build();
        LauncherFactory.create().execute(request, call);
        return call;
    }

    private FilterResult isWanted(TestDescriptor test) {
        return FilterResult.includedIf(test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName().equals(method))
                .orElse(false));
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (isFirstFailure(test, result)) {
            whenFailed.accept(this);
        }
    }

    private synchronized boolean isFirstFailure(TestIdentifier test, TestExecutionResult result) {
        boolean first = result.getStatus() == Status.FAILED && failure == null;
        if (first) {
            failure = result.getThrowable().orElseGet(AssertionError::new);
        }
        if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) {
            passed++;
        }
        if (result.getStatus() == Status.ABORTED) {
            skipped++;
        }
        return first;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        skipped++;
    }

    synchronized TestEnd end() {
        if (failure != null) {
            return TestEnd.FAILED;
        }
        if (passed > 0) {
            return TestEnd.PASSED;
        }
        return skipped > 0 ? TestEnd.SKIPPED : TestEnd.NOT_FOUND;
    }

    /** What the test said when it failed, in one line. */
    synchronized String message() {
        return failure == null ? "" : failure.toString().replaceAll("\\s+", " ").strip();
    }
}
