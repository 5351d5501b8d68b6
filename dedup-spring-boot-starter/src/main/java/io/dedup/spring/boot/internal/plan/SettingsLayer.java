package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.PolicyProperties;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One of the places that settings come from, such as an entry of {@code dedup.topics}. A later layer overrides an earlier one.
 *
 * @param path such as {@code dedup.topics.orders}
 */
public record SettingsLayer(String path, PolicyProperties settings) {
    private static final String ANNOTATION = "@Deduplicated of listener ";

    /** The settings of a listener's annotation. */
    static SettingsLayer ofAnnotation(String listener, PolicyProperties settings) {
        return new SettingsLayer(ANNOTATION + listener, settings);
    }

    /** The path of the properties that override this layer: its own, or for an annotation the entry of its listener. */
    String yaml() {
        return path.startsWith(ANNOTATION) ? YamlPath.listener(path.substring(ANNOTATION.length())) : path;
    }

    /** The name of one of its settings. */
    String property(String name) {
        return path.startsWith("@") ? name + " of " + path : path + "." + name;
    }

    /** Whether it has no settings, and so switches nothing on. */
    public boolean isEmpty() {
        return settings.getEnabled() == null && values(settings).allMatch(Objects::isNull);
    }

    /** Whether later layers replace all that it sets, so that it makes no difference where it applies. */
    boolean isOverriddenBy(List<SettingsLayer> later) {
        List<List<@Nullable Object>> theirs =
                later.stream().map(each -> values(each.settings).toList()).toList();
        List<@Nullable Object> mine = values(settings).toList();
        boolean switchesOff = Boolean.FALSE.equals(settings.getEnabled());
        return (!switchesOff || later.stream().anyMatch(each -> each.settings.getEnabled() != null))
                && IntStream.range(0, mine.size())
                        .filter(i -> mine.get(i) != null)
                        .allMatch(i -> theirs.stream().anyMatch(each -> each.get(i) != null));
    }

    /** All but whether it is switched on. */
    private static Stream<@Nullable Object> values(PolicyProperties settings) {
        return Stream.of(
                settings.getId(),
                settings.getWindow(),
                settings.getMode(),
                settings.getLease(),
                settings.getMaxProcessingTime(),
                settings.getInFlightWait(),
                settings.getMaxDeferDelay(),
                settings.getOnStoreFailure(),
                settings.getOnMissingId(),
                settings.getMissingIdLimit(),
                settings.getOnConflict(),
                settings.getMaxDeaths(),
                settings.getFingerprint(),
                settings.getFencingToken(),
                settings.getShadow(),
                settings.getExplainDuplicates(),
                settings.getSenderHeader(),
                settings.getSteps(),
                settings.getTransaction(),
                settings.getTransactionMaxRecords(),
                settings.getTransactionMaxTime());
    }
}
