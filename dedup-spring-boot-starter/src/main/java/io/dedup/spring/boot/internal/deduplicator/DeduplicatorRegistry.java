package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.engine.Deduplicators;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.plan.ListenerSpec;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The deduplicators of an application: one for each consumer, and one more for each listener that treats a topic in its own
 * way. Thread-safe.
 */
public final class DeduplicatorRegistry implements AutoCloseable {
    /** What serves requests, as {@link ServingDeduplicator#broker} names it. */
    public static final String HTTP = "HTTP";

    private final DeduplicatorFactory factory;
    private final List<ServingDeduplicator> deduplicators = new ArrayList<>();
    private final List<DeduplicatedListener> listeners = new ArrayList<>();

    public DeduplicatorRegistry(DeduplicatorFactory factory) {
        this.factory = factory;
    }

    /**
     * Finds the deduplicator that serves a listener, and remembers that it does.
     *
     * @param check throws to reject the listener, which is then not remembered
     * @throws DedupConfigurationException when it can't be served; says what to change
     */
    public synchronized DeduplicatedListener serve(
            String broker, PlannedListener listener, Consumer<ServingDeduplicator> check) {
        requireOneGroup(broker, listener);
        ServingDeduplicator serving = deduplicators.stream()
                .filter(each -> each.serves(broker, listener))
                .findFirst()
                .orElseGet(() -> open(broker, listener));
        check.accept(serving);
        DeduplicatedListener added = new DeduplicatedListener(listener, serving);
        listeners.add(added);
        return added;
    }

    /**
     * Opens one deduplicator for all of these, which have one consumer name.
     *
     * @throws DedupConfigurationException when one can't be served; says what to change
     */
    public synchronized ServingDeduplicator serveTogether(String broker, List<PlannedListener> together) {
        Map<String, TopicPlan> topics = new LinkedHashMap<>();
        together.forEach(each -> topics.putAll(each.byTopic()));
        PlannedListener first = together.get(0);
        ServingDeduplicator serving =
                open(broker, new PlannedListener(first.spec(), first.consumer(), first.named(), topics, null));
        for (PlannedListener each : together) {
            requireOneGroup(broker, each);
            listeners.add(new DeduplicatedListener(each, serving));
        }
        return serving;
    }

    /** The listener is no longer there. Its deduplicator stays, for listeners that are made later. */
    public synchronized void forget(DeduplicatedListener gone) {
        listeners.remove(gone);
    }

    /**
     * Two groups under one consumer name would each take what the other has handled for duplicates. This is what a move from one
     * broker to the other needs, but nobody else does, so both listeners have to name their consumer.
     */
    private void requireOneGroup(String broker, PlannedListener listener) {
        for (DeduplicatedListener each : listeners) {
            PlannedListener other = each.listener();
            boolean sameBroker = each.servedBy().broker().equals(broker);
            boolean sameGroup = sameBroker
                    && Objects.equals(other.spec().group(), listener.spec().group());
            if (!other.consumer().equals(listener.consumer()) || sameGroup || !other.overlaps(listener)) {
                continue;
            }
            if (isOfHttp(broker, each) && (sameBroker || !other.named() || !listener.named())) {
                throw withRequests(each, broker, listener, sameBroker);
            }
            if (sameBroker || !other.named() || !listener.named()) {
                throw twoGroups(each, broker, listener, sameBroker);
            }
            if (!other.canShareRecords(listener)) {
                throw new DedupConfigurationException(
                        both(each, broker, listener)
                                + ", but with different settings. A message that one of them has handled would be no duplicate for"
                                + " the other one.",
                        "Give both listeners the same mode, fingerprint and shadow."
                                + (isOfHttp(broker, each)
                                        ? " Paths of dedup.http have mode leased, and their fingerprints can't be compared"
                                                + " with those of messages."
                                        : ""));
            }
        }
    }

    private static boolean isOfHttp(String broker, DeduplicatedListener other) {
        return broker.equals(HTTP) || other.servedBy().broker().equals(HTTP);
    }

    private static DedupConfigurationException withRequests(
            DeduplicatedListener other, String broker, PlannedListener listener, boolean sameBroker) {
        boolean path = broker.equals(HTTP);
        String ofPath =
                "dedup.http.paths." + (path ? listener.spec() : other.listener().spec()).name();
        String ofListener =
                "dedup.listeners." + (path ? other.listener().spec() : listener.spec()).name() + ".consumer";
        String rename = "Set " + ofPath + ".consumer or " + ofPath + ".topic to another name.";
        return new DedupConfigurationException(
                both(other, broker, listener)
                        + (sameBroker
                                ? ". Each would take the requests that the other has handled for duplicates."
                                : ". If the request handler publishes a message with the key as its ID, the listener would take that"
                                        + " message for a duplicate, and its effect would be lost."),
                sameBroker
                        ? rename
                        : rename + " Only if the request handler itself does what the listener does, so that whichever"
                                + " comes first does it: set " + ofPath + ".same-effect-as-listeners: true, and set "
                                + ofListener + " to " + listener.consumer() + ".");
    }

    private static DedupConfigurationException twoGroups(
            DeduplicatedListener other, String broker, PlannedListener listener, boolean sameBroker) {
        String name = listener.spec().name();
        String rename =
                "Set dedup.listeners." + name + ".consumer to another name. Changing a consumer name forgets windows.";
        String join = " If both brokers bring the same messages, as while you move from one to the other, set both"
                + " dedup.listeners." + other.listener().spec().name() + ".consumer and dedup.listeners." + name
                + ".consumer to " + listener.consumer() + ": each message then takes effect once.";
        return new DedupConfigurationException(
                both(other, broker, listener)
                        + ". Each would take the messages that the other has handled for duplicates, and skip them.",
                sameBroker ? rename : rename + join);
    }

    private static String both(DeduplicatedListener other, String broker, PlannedListener listener) {
        ListenerSpec one = other.listener().spec();
        ListenerSpec two = listener.spec();
        return "Listeners " + one.name() + " (" + other.servedBy().broker() + ", group " + one.group() + ") and "
                + two.name()
                + " (" + broker + ", group " + two.group() + ") read the same topics under the consumer name "
                + listener.consumer();
    }

    private ServingDeduplicator open(String broker, PlannedListener listener) {
        ServingDeduplicator opened = factory.open(broker, listener);
        deduplicators.add(opened);
        factory.announce(opened.deduplicator());
        return opened;
    }

    /** The listeners that are deduplicated. */
    public synchronized List<DeduplicatedListener> listeners() {
        return List.copyOf(listeners);
    }

    /** All deduplicators. */
    public synchronized List<ServingDeduplicator> deduplicators() {
        return List.copyOf(deduplicators);
    }

    /** After the adapters, and before the stores. All of them wait within one {@code dedup.shutdown-timeout}. */
    @Override
    public void close() {
        Deduplicators.closeAll(
                deduplicators().stream().map(ServingDeduplicator::deduplicator).toList());
    }
}
