package io.dedup.examples.live;

import java.util.List;

/** What the shop sends to. An order is a message to each. */
final class Topics {
    /** Bills, in the transaction of the record. */
    static final String ORDERS = "orders";

    /** Mails, which take a second each and can't be rolled back. */
    static final String MAILS = "mails";

    static final List<String> ALL = List.of(ORDERS, MAILS);

    /** The consumer group, and so the scope of the records. */
    static final String GROUP = "live";

    static final String ID_HEADER = "order-id";

    private Topics() {}
}
