package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.PlannedPath;
import java.util.Objects;

/**
 * Refuses listeners and paths that would share the records of a topic by chance. Under one consumer name, each would take what the other
 * has handled for a duplicate.
 */
final class SharedRecords {
    private SharedRecords() {}

    /**
     * Checks two listeners. A move from one broker to the other needs records that both share, but nobody else does, so both listeners
     * have to name their consumer.
     *
     * @throws DedupConfigurationException says what to change
     */
    static void requireIntended(DeduplicatedListener known, String broker, PlannedListener listener) {
        PlannedListener other = known.listener();
        boolean sameBroker = known.servedBy().broker().equals(broker);
        boolean sameGroup = sameBroker
                && Objects.equals(other.spec().group(), listener.spec().group());
        if (!other.consumer().equals(listener.consumer()) || sameGroup || !other.overlaps(listener)) {
            return;
        }
        String both = "Listeners " + named(known.servedBy().broker(), other) + " and " + named(broker, listener)
                + " read the same topics under the consumer name " + listener.consumer();
        if (sameBroker || !other.named() || !listener.named()) {
            throw twoGroups(both, other.spec(), listener, sameBroker);
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
        String both = path.property() + " and listener " + named(broker, listener) + " have the same topic, "
                + path.topic() + ", under the consumer name " + path.consumer();
        if (!path.sameEffectAsListeners() || !listener.named()) {
            throw new DedupConfigurationException(
                    both
                            + ". If the request handler publishes a message with the key as its ID, the listener would take that"
                            + " message for a duplicate, and its effect would be lost.",
                    rename(path)
                            + " Only if the request handler itself does what the listener does, so that whichever comes first does"
                            + " it: set " + path.property()
                            + ".same-effect-as-listeners: true, and set dedup.listeners."
                            + listener.spec().name() + ".consumer to " + listener.consumer() + ".");
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
            String both, ListenerSpec other, PlannedListener listener, boolean sameBroker) {
        String name = listener.spec().name();
        String rename =
                "Set dedup.listeners." + name + ".consumer to another name. Changing a consumer name forgets windows.";
        String join = " If both brokers bring the same messages, as while you move from one to the other, set both"
                + " dedup.listeners." + other.name() + ".consumer and dedup.listeners." + name + ".consumer to "
                + listener.consumer() + ": each message then takes effect once.";
        return new DedupConfigurationException(
                both + ". Each would take the messages that the other has handled for duplicates, and skip them.",
                sameBroker ? rename : rename + join);
    }

    private static String named(String broker, PlannedListener listener) {
        ListenerSpec spec = listener.spec();
        return spec.name() + " (" + broker + ", group " + spec.group() + ")";
    }
}
