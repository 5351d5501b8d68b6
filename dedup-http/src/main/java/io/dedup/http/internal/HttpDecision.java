package io.dedup.http.internal;

/** What happens to a request. */
public sealed interface HttpDecision {
    /** It runs as if its path weren't deduplicated. */
    record Pass() implements HttpDecision {}

    /** It gets this answer, and doesn't run. */
    record Reply(Answer answer) implements HttpDecision {}

    /** Another request with its key is running: wait for its end and claim again, or give this answer. */
    record InFlight(Answer answer) implements HttpDecision {}

    /** It has a usable key: read its content, then claim it. */
    record Claim(String messageId) implements HttpDecision {}

    /** It runs under a claim. */
    record Run(HttpRun run) implements HttpDecision {}
}
