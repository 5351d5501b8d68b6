package io.dedup.ledger.applications.plan;

import io.dedup.ledger.plan.Message;

/** A message as its payload: handlers of some rows see nothing else of it. */
public final class Text {
    private static final String SEPARATOR = ";";

    private Text() {}

    /** What {@link #message} takes. */
    public static String of(Message message) {
        return message.id() + SEPARATOR + message.value();
    }

    /** From a payload. */
    public static Message message(String text) {
        String[] parts = text.split(SEPARATOR, 2);
        return Message.of(parts[0], parts[1]);
    }
}
