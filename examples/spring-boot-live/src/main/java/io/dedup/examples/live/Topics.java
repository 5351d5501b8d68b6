package io.dedup.examples.live;

import java.util.List;

/** The topics that the shop sends to, and who reads them. An order is one message to each topic. */
final class Topics {
    /** The consumer charges the customer, in the transaction of the record. */
    static final String ORDERS = "orders";

    /** The consumer sends a mail, which takes two seconds and cannot be rolled back. */
    static final String MAILS = "mails";

    static final List<String> ALL = List.of(ORDERS, MAILS);

    /** The consumer group with dedup, and so the scope of its records. */
    static final String GROUP = "live";

    /** The consumer group whose listener is the same, but not deduplicated. */
    static final String PLAIN_GROUP = "live-without-dedup";

    static final Subscription ORDERS_WITH_DEDUP = new Subscription(ORDERS, GROUP, "charge");
    static final Subscription ORDERS_WITHOUT_DEDUP = new Subscription(ORDERS, PLAIN_GROUP, "charge_without_dedup");
    static final Subscription MAILS_WITH_DEDUP = new Subscription(MAILS, GROUP, "mail");

    static final List<Subscription> SUBSCRIPTIONS = List.of(ORDERS_WITH_DEDUP, ORDERS_WITHOUT_DEDUP, MAILS_WITH_DEDUP);

    static final String ID_HEADER = "order-id";

    private Topics() {}

    /**
     * One listener of the consumer.
     *
     * @param table where the listener writes one row per effect
     */
    record Subscription(String topic, String group, String table) {}
}
