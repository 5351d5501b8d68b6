package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Explains two mistakes in the properties of topics and listeners that Spring Boot reports by its own terms: a name with dots
 * without brackets ("left unbound"), and text in place of the settings of an entry ("no converter found").
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DedupPropertiesFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("dedup");

    /** Below {@code dedup.topics.<name>}. */
    private static final int FIRST_SETTING = 3;

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        if (!ROOT.equals(cause.getName()) && !ROOT.isAncestorOf(cause.getName())) {
            return null;
        }
        UnboundConfigurationPropertiesException unbound =
                findCause(rootFailure, UnboundConfigurationPropertiesException.class);
        if (unbound != null) {
            return unknown(List.copyOf(unbound.getUnboundProperties()), cause);
        }
        return findCause(rootFailure, ConverterNotFoundException.class) == null
                ? null
                : textForSettings(innermost(cause).getName().toString(), cause);
    }

    /** The exception of the entry itself, whose causes are of the conversion. */
    private static BindException innermost(BindException cause) {
        BindException innermost = cause;
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof BindException bind) {
                innermost = bind;
            }
        }
        return innermost;
    }

    private static FailureAnalysis unknown(List<ConfigurationProperty> unbound, Throwable cause) {
        List<String> problems = new ArrayList<>();
        List<String> actions = new ArrayList<>();
        for (ConfigurationProperty each : unbound) {
            problems.add(each.getName() + (each.getOrigin() == null ? "" : " (" + each.getOrigin() + ")"));
            String withBrackets = withBrackets(each.getName());
            if (withBrackets != null) {
                actions.add(withBrackets);
            }
        }
        String meant = actions.isEmpty()
                ? "Correct"
                : "A name with dots, slashes or underscores needs brackets. Did you mean " + String.join(", ", actions)
                        + "? Otherwise correct";
        return new FailureAnalysis(
                "There are no such settings of dedup: " + String.join(", ", problems) + ".",
                meant + " or remove them; all settings are in docs/properties.md.",
                cause);
    }

    /** The path if all but its last part is the name of a topic or a listener; null if the path is too short for that. */
    private static @Nullable String withBrackets(ConfigurationPropertyName name) {
        int last = name.getNumberOfElements() - 1;
        if (last <= FIRST_SETTING) {
            return null;
        }
        StringBuilder entry = new StringBuilder();
        for (int i = FIRST_SETTING - 1; i < last; i++) {
            entry.append(entry.isEmpty() ? "" : ".").append(name.getElement(i, Form.ORIGINAL));
        }
        String setting = "." + name.getElement(last, Form.DASHED);
        return switch (name.getElement(1, Form.DASHED)) {
            case "topics" -> YamlPath.topic(entry.toString()) + setting;
            case "listeners" -> YamlPath.listener(entry.toString()) + setting;
            default -> null;
        };
    }

    private static FailureAnalysis textForSettings(String name, Throwable cause) {
        return new FailureAnalysis(
                name + " is text, but has settings of its own.",
                name.startsWith("dedup.topics")
                        ? "Write them below it, for example " + name + ": { id: \"header:order-id\", window: 7d }."
                        : "Write them below it; all settings are in docs/properties.md.",
                cause);
    }
}
