package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.PlannedPath;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Refuses listeners and paths that would share the records of a topic by chance. Under one consumer name, each would take what the other
 * has handled for a duplicate.
 */
final class SharedRecords {
    /** Between these a group may move. Others share nothing by names alone: one may call the other, or pass its messages on. */
    private static final Set<String> MESSAGE_BROKERS = Set.of("Kafka", "RocketMQ");

    private SharedRecords() {}

    /**
     * Checks two listeners. A move from one broker or cluster to another needs records that both share, but nobody else does, so both
     * listeners have to name their consumer.
     *
     * @throws DedupConfigurationException says what to change
     */
    static void requireIntended(DeduplicatedListener known, String broker, PlannedListener listener) {
        PlannedListener other = known.listener();
        if (!other.consumer().equals(listener.consumer()) || !other.overlaps(listener)) {
            return;
        }
        String itsBroker = known.servedBy().broker();
        boolean elsewhere = !itsBroker.equals(broker) || other.spec().isElsewhere(listener.spec());
        boolean sameGroup = !elsewhere
                && Objects.equals(other.spec().group(), listener.spec().group());
        String both = "Listeners " + named(itsBroker, other, elsewhere) + " and " + named(broker, listener, elsewhere)
                + " read the same topics under the consumer name " + listener.consumer();
        boolean mayMove = elsewhere && MESSAGE_BROKERS.containsAll(List.of(itsBroker, broker));
        if (!sameGroup && !(mayMove && other.named() && listener.named())) {
            throw twoGroups(both, other.spec(), listener, mayMove);
        }
        if (!other.canShareRecords(listener)) {
            throw differentSettings(both, "Give both listeners the same mode, fingerprint and shadow.");
        }
    }

    /**
     * Checks a path and a listener.
     *
     * @throws DedupConfigurationException says what to change
     */
    static void requireIntended(PlannedPath path, String broker, PlannedListener listener) {
        if (!path.consumer().equals(listener.consumer()) || !listener.overlaps(path)) {
            return;
        }
        String both = path.property() + " and listener " + named(broker, listener, false) + " have the same topic, "
                + path.topic() + ", under the consumer name " + path.consumer();
        if (!path.sameEffectAsListeners() || !listener.named()) {
            throw new DedupConfigurationException(
                    both
                            + ". If the request handler publishes a message with the key as its ID, the listener would take that"
                            + " message for a duplicate, and its effect would be lost.",
                    rename(path)
                            + " Only if the request handler itself does what the listener does, so that whichever comes first does"
                            + " it: set " + path.property()
                            + ".same-effect-as-listeners: true, and set "
                            + YamlPath.listener(listener.spec().name()) + ".consumer to " + listener.consumer() + ".");
        }
        if (!listener.canShareRecords(path)) {
            throw differentSettings(
                    both,
                    "Give the listener's topic mode leased, no fingerprint, and the same shadow as the path: their fingerprints"
                            + " cannot be compared.");
        }
    }

    /**
     * Checks two paths.
     *
     * @throws DedupConfigurationException says what to change
     */
    static void requireNone(PlannedPath known, PlannedPath path) {
        if (known.consumer().equals(path.consumer()) && known.topic().equals(path.topic())) {
            throw new DedupConfigurationException(
                    known.property() + " and " + path.property() + " have the same topic, " + path.topic()
                            + ", under the consumer name " + path.consumer()
                            + ". Each would take the requests that the other has handled for duplicates.",
                    rename(path));
        }
    }

    private static String rename(PlannedPath path) {
        return "Set " + path.property() + ".consumer or " + path.property() + ".topic to another name.";
    }

    private static DedupConfigurationException differentSettings(String both, String action) {
        return new DedupConfigurationException(
                both
                        + ", but with different settings. A message that one of them has handled would be no duplicate for the other"
                        + " one.",
                action);
    }

    private static DedupConfigurationException twoGroups(
            String both, ListenerSpec other, PlannedListener listener, boolean mayMove) {
        String name = listener.spec().name();
        String rename = "Set " + YamlPath.listener(name)
                + ".consumer to another name. Changing a consumer name forgets windows.";
        String join = " If both bring the same messages, as while you move from one broker to the other, set both"
                + " " + YamlPath.listener(other.name()) + ".consumer and " + YamlPath.listener(name) + ".consumer to "
                + listener.consumer() + ": each message then takes effect once.";
        return new DedupConfigurationException(
                both + ". Each would take the messages that the other has handled for duplicates, and skip them.",
                mayMove ? rename + join : rename);
    }

    private static String named(String broker, PlannedListener listener, boolean withCluster) {
        ListenerSpec spec = listener.spec();
        String cluster = withCluster && spec.cluster() != null ? " at " + spec.cluster() : "";
        return spec.name() + " (" + broker + cluster + ", group " + spec.group() + ")";
    }
}
