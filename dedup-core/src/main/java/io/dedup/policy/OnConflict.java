package io.dedup.policy;

/** What happens to a message whose ID was seen with another payload. */
public enum OnConflict {
    /** A {@link io.dedup.PayloadConflictException}, which no broker should retry: the message is dead-lettered. The default. */
    FAIL,
    /** The message is acked <b>without its effect</b>; counted. */
    SKIP,
    /** The handler runs <b>unguarded</b>, and the record of the first payload stays as it is; counted. */
    PROCESS
}
