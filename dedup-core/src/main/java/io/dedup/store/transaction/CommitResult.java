package io.dedup.store.transaction;

/** What became of a commit. */
public sealed interface CommitResult {
    /** Everything is durable. */
    record Committed() implements CommitResult {}

    /** Nothing of it happened. */
    record RolledBack(Throwable cause) implements CommitResult {}

    /** The answer got lost: it may be durable, or may not. */
    record Unknown(Throwable cause) implements CommitResult {}
}
