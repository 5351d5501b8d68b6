package io.dedup.ledger.rocketmq.plan;

/** How a handler receives messages. */
public enum ClientKind {
    PUSH("push consumer", false),
    PUSH_FIFO("push consumer, FIFO", true),
    SIMPLE("simple consumer", false),
    SIMPLE_GROUPS("simple consumer, message groups", true),
    REMOTING("older client, concurrently", false),
    REMOTING_ORDERLY("older client, orderly", true);

    private final String title;
    private final boolean lanes;

    ClientKind(String title, boolean lanes) {
        this.title = title;
        this.lanes = lanes;
    }

    String title() {
        return title;
    }

    /** Whether each message is in a message group, or in a queue that keeps its order. */
    public boolean lanes() {
        return lanes;
    }

    /** Whether it is the client that talks to name server and brokers itself. */
    public boolean isRemoting() {
        return this == REMOTING || this == REMOTING_ORDERLY;
    }

    boolean isPush() {
        return this == PUSH || this == PUSH_FIFO;
    }

    boolean isSimple() {
        return this == SIMPLE || this == SIMPLE_GROUPS;
    }
}
