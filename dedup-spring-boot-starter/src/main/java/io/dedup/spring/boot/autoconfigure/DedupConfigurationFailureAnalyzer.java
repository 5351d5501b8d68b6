package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupConfigurationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a configuration that is refused as Spring Boot does: what, and what to do. */
final class DedupConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<DedupConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DedupConfigurationException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
    }
}
