package io.dedup.store.transaction;

/** The result of a commit. */
public sealed interface CommitResult {
    /** The transaction is committed and durable. */
    record Committed() implements CommitResult {}

    /** The transaction was rolled back. */
    record RolledBack(Throwable cause) implements CommitResult {}

    /** The answer was lost: the transaction may or may not be committed. */
    record Unknown(Throwable cause) implements CommitResult {}
}
