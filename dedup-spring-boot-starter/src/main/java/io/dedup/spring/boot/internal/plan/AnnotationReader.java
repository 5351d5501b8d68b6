package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.PolicyProperties;
import io.dedup.spring.boot.internal.text.WindowConverter;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.util.function.UnaryOperator;

/** Reads {@link Deduplicated} as if it were properties. */
final class AnnotationReader {
    private final UnaryOperator<String> placeholders;

    /**
     * A reader.
     *
     * @param placeholders resolves <code>${...}</code>
     */
    AnnotationReader(UnaryOperator<String> placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * The annotation's values.
     *
     * @throws DedupConfigurationException names the attribute and the listener
     */
    SettingsLayer read(Deduplicated annotation, String listener) {
        PolicyProperties settings = new PolicyProperties();
        SettingsLayer layer = SettingsLayer.ofAnnotation(listener, settings);
        if (!annotation.enabled() || annotation.consumerGroup().isEmpty()) { // naming a group switches nothing on
            settings.setEnabled(annotation.enabled());
        }
        if (!annotation.id().isEmpty()) {
            settings.setId(placeholders.apply(annotation.id()));
        }
        if (annotation.mode().length > 1) {
            throw new DedupConfigurationException(
                    layer.property("mode") + " has " + annotation.mode().length + " values, but takes one.",
                    "Remove all but one of them.");
        }
        if (annotation.mode().length == 1) {
            settings.setMode(annotation.mode()[0]);
        }
        if (!annotation.window().isEmpty()) {
            try {
                settings.setWindow(new WindowConverter().convert(placeholders.apply(annotation.window())));
            } catch (IllegalArgumentException e) {
                throw new DedupConfigurationException(
                        layer.property("window") + " is invalid: " + YamlNames.inYaml(String.valueOf(e.getMessage())),
                        "Change the window in the annotation.",
                        e);
            }
        }
        return layer;
    }
}
