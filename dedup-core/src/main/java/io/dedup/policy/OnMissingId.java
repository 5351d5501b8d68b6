package io.dedup.policy;

/** What happens to a message without a usable ID. */
public enum OnMissingId {
    /** A {@link io.dedup.MissingMessageIdException}, which no broker should retry: the message is dead-lettered. The default. */
    FAIL,
    /** The handler runs <b>unguarded</b>; counted. */
    PROCESS,
    /** The message is acked <b>without its effect</b>; counted. */
    SKIP
}
