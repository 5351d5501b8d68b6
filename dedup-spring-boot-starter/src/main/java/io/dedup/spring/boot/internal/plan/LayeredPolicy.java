package io.dedup.spring.boot.internal.plan;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.PolicyProperties;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes a policy of layers, the most general first. */
public final class LayeredPolicy {
    private LayeredPolicy() {}

    /**
     * The policy.
     *
     * @param defaultMode where no layer says one
     * @throws DedupConfigurationException names the property
     */
    public static DedupPolicy of(List<SettingsLayer> layers, DedupMode defaultMode) {
        DedupPolicy.Builder builder = DedupPolicy.builder()
                .settingNames(new YamlNames(layers.get(layers.size() - 1).yaml()))
                .mode(defaultMode);
        layers.forEach(layer -> apply(layer, builder));
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            String paths = layers.stream().map(SettingsLayer::path).collect(Collectors.joining(", "));
            throw new DedupConfigurationException(
                    layers.get(layers.size() - 1).path() + ": " + YamlNames.inYaml(String.valueOf(e.getMessage())),
                    "Change one of these settings. They come from " + paths + "; a later one overrides an earlier one.",
                    e);
        }
    }

    private static void apply(SettingsLayer layer, DedupPolicy.Builder builder) {
        PolicyProperties from = layer.settings();
        set(layer, "mode", from.getMode(), builder::mode);
        set(layer, "window", from.getWindow(), (Window value) -> builder.window(value));
        set(layer, "lease", from.getLease(), builder::lease);
        set(layer, "max-processing-time", from.getMaxProcessingTime(), builder::maxProcessingTime);
        set(layer, "in-flight-wait", from.getInFlightWait(), builder::inFlightWait);
        set(layer, "max-defer-delay", from.getMaxDeferDelay(), builder::maxDeferDelay);
        set(layer, "on-store-failure", from.getOnStoreFailure(), builder::onStoreFailure);
        set(layer, "on-missing-id", from.getOnMissingId(), builder::onMissingId);
        set(layer, "missing-id-limit", from.getMissingIdLimit(), builder::missingIdLimit);
        set(layer, "on-conflict", from.getOnConflict(), builder::onConflict);
        set(layer, "max-deaths", from.getMaxDeaths(), builder::maxDeaths);
        set(layer, "transaction", from.getTransaction(), builder::transaction);
        set(layer, "transaction-max-records", from.getTransactionMaxRecords(), builder::transactionMaxRecords);
        set(layer, "transaction-max-time", from.getTransactionMaxTime(), builder::transactionMaxTime);
        set(layer, "fingerprint", from.getFingerprint(), builder::fingerprint);
        set(layer, "fencing-token", from.getFencingToken(), builder::fencingToken);
        set(layer, "steps", from.getSteps(), builder::steps);
        set(layer, "explain-duplicates", from.getExplainDuplicates(), builder::explainDuplicates);
        set(layer, "shadow", from.getShadow(), builder::shadow);
    }

    private static <T> void set(SettingsLayer layer, String name, @Nullable T value, Consumer<T> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
        } catch (IllegalArgumentException e) {
            throw new DedupConfigurationException(
                    layer.property(name) + " is invalid: " + YamlNames.inYaml(String.valueOf(e.getMessage())),
                    "Change " + layer.property(name) + ".",
                    e);
        }
    }
}
