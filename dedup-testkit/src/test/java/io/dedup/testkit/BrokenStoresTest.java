package io.dedup.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testkit.broken.BrokenStore;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Shows that the contract bites: of each broken store, the group that is about its rule fails. */
@Execution(ExecutionMode.CONCURRENT)
class BrokenStoresTest {
    static List<BrokenStore> brokenStores() {
        return BrokenStore.all();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("brokenStores")
    @DisplayName("a broken store fails the contract")
    void isNoticed(BrokenStore broken) {
        TestExecutionSummary summary = run(broken);

        assertThat(summary.getTestsStartedCount()).as("tests started").isPositive();
        assertThat(summary.getContainersFailedCount())
                .as("groups that didn't open")
                .isZero();
        assertThat(summary.getTestsFailedCount()).as("tests that noticed").isPositive();
    }

    @Test
    @DisplayName("every broken store has a name of its own")
    void names() {
        assertThat(brokenStores().stream().map(BrokenStore::toString)).doesNotHaveDuplicates();
    }

    static List<String> groups() {
        return brokenStores().stream().map(BrokenStore::group).distinct().toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("groups")
    @DisplayName("an intact store passes when it is run the same way")
    void intact(String group) {
        TestExecutionSummary summary = run(new BrokenStore(group, "intact", store -> store));

        assertThat(summary.getTestsSucceededCount()).isPositive();
        assertThat(summary.getTotalFailureCount()).isZero();
    }

    private static TestExecutionSummary run(BrokenStore broken) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(BrokenStoreCase.class))
                .filters(TagFilter.includeTags(broken.group()))
                .configurationParameter(BrokenStoreCase.PARAMETER, broken.toString())
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        CancellationToken enough = CancellationToken.create();
        TestExecutionListener firstFailure = new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                    enough.cancel();
                }
            }
        };
        LauncherFactory.create(LauncherConfig.builder()
                        .enableTestExecutionListenerAutoRegistration(false)
                        .build())
                .execute(LauncherExecutionRequestBuilder.request(request)
                        .listeners(summary, firstFailure)
                        .cancellationToken(enough)
                        .build());
        return summary.getSummary();
    }
}
