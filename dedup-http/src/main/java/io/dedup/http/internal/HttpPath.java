package io.dedup.http.internal;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.PayloadConflictException;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.text.Printable;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The requests of one path: checks their keys, and claims them. Thread-safe. */
public final class HttpPath {
    private final PathSettings settings;
    private final DedupTopic topic;
    private final DedupAdapter dedup;
    private final String header;
    private final Answers answers;
    private final ResponseHeaders headers;
    private final Semaphore waiting;
    private final Set<HttpRun> unobserved = ConcurrentHashMap.newKeySet();

    /** @param waiting limits how many threads of the server wait for requests in flight, whose work may need one */
    public HttpPath(PathSettings settings, Deduplicator deduplicator, HttpSettings http, Semaphore waiting) {
        this.settings = settings;
        this.topic = deduplicator.topic(settings.topic());
        this.dedup = DedupAdapter.of(deduplicator);
        this.header = http.header();
        this.answers = new Answers(http.header(), http.documentation());
        this.headers = new ResponseHeaders(http.headersNotReplayed());
        this.waiting = waiting;
    }

    MatchedRequests requests() {
        return settings.requests();
    }

    boolean storesClientErrors() {
        return settings.storeClientErrors();
    }

    /** In bytes. */
    public int maxRequestSize() {
        return settings.maxRequestSize();
    }

    /** In bytes. */
    public int maxResponseSize() {
        return settings.maxResponseSize();
    }

    public ResponseHeaders headers() {
        return headers;
    }

    /** Whether the principal decides about the message ID. */
    public boolean needsPrincipal() {
        return settings.scopeBy().needsPrincipal();
    }

    /** Whether requests are compared; otherwise their content isn't read. */
    public boolean comparesRequests() {
        return settings.fingerprint() && !topic.policy().shadow();
    }

    /** Threads that may block, for runs that end on one that must not. */
    public Executor settlements() {
        return dedup.settlements();
    }

    void unobserved(HttpRun run) {
        unobserved.removeIf(other -> other.execution().isOverdue());
        unobserved.add(run);
    }

    /** Leaves claims to expire whose runs would never end. */
    void close() {
        unobserved.forEach(HttpRun::abandoned);
    }

    /** What happens to a request by its headers. */
    public HttpDecision check(HttpCall call) {
        KeyHeader key = KeyHeader.parse(call.headers().apply(header));
        boolean shadow = topic.policy().shadow();
        if (key.key() == null) {
            boolean missing = call.headers().apply(header).isEmpty();
            return shadow || (missing && !settings.required())
                    ? new HttpDecision.Pass()
                    : new HttpDecision.Reply(answers.badKey(String.valueOf(key.problem())));
        }
        ClientScope.Missing missing = settings.scopeBy().missing(call);
        if (missing != null) {
            return shadow ? new HttpDecision.Pass() : new HttpDecision.Reply(answers.badClient(missing));
        }
        return new HttpDecision.Claim(settings.scopeBy().messageId(call, key.key()));
    }

    /**
     * Refuses a request that is received within a transaction: if that were rolled back, the effect would be gone, but recorded as done.
     *
     * @throws IllegalStateException if it is open
     */
    public void requireOutsideOfTransaction(boolean open) {
        if (open && !topic.policy().shadow()) {
            throw new IllegalStateException("A request for " + requests().pattern()
                    + " was received in an open transaction. If that were rolled back, the effect would be gone, but recorded as done."
                    + " Open the transaction behind the filter that deduplicates, best in the handler");
        }
    }

    /** Answers a request whose content is larger than its limit. */
    public Answer tooLarge() {
        return answers.tooLarge();
    }

    /** Claims the request. Blocks for a call of the store, and for {@code in-flight-wait} if not too many are waiting. */
    public HttpDecision claim(HttpCall call, String messageId, @Nullable Fingerprint fingerprint) {
        HttpDecision now = claimNow(call, messageId, fingerprint);
        if (!(now instanceof HttpDecision.InFlight inFlight)) {
            return now;
        }
        if (inFlightWait().isZero() || !waiting.tryAcquire()) {
            return new HttpDecision.Reply(inFlight.answer());
        }
        try {
            HttpDecision later = claim(call, messageId, fingerprint, WaitBudget.of(inFlightWait()));
            return later instanceof HttpDecision.InFlight still ? new HttpDecision.Reply(still.answer()) : later;
        } finally {
            waiting.release();
        }
    }

    /** Claims the request, and doesn't wait for another one. Blocks for a call of the store. */
    public HttpDecision claimNow(HttpCall call, String messageId, @Nullable Fingerprint fingerprint) {
        return claim(call, messageId, fingerprint, WaitBudget.none());
    }

    public Duration inFlightWait() {
        return topic.policy().inFlightWait();
    }

    /** Whether a request with this ID runs in this process. Doesn't block. */
    public boolean isHandling(String messageId) {
        return dedup.isHandling(topic.scope().key(messageId));
    }

    private HttpDecision claim(HttpCall call, String messageId, @Nullable Fingerprint fingerprint, WaitBudget budget) {
        DedupKey key = topic.scope().key(messageId);
        Delivery delivery =
                new Delivery(topic, key, null, fingerprint, () -> call.method() + " " + Printable.of(call.path()));
        Admission admission = dedup.admit(delivery, budget);
        if (admission instanceof Admission.Run run) {
            return new HttpDecision.Run(new HttpRun(this, topic.policy(), run.execution(), dedup.results()));
        }
        Answer answer = answer(admission, key);
        return admission instanceof Admission.Defer defer && defer.reason() == DeferReason.IN_FLIGHT
                ? new HttpDecision.InFlight(answer)
                : new HttpDecision.Reply(answer);
    }

    private Answer answer(Admission admission, DedupKey key) {
        if (admission instanceof Admission.Duplicate duplicate) {
            return answers.replay(
                    HttpRun.decode(dedup.results(), key, duplicate.done().result()));
        }
        if (admission instanceof Admission.Defer defer) {
            return defer.reason() == DeferReason.IN_FLIGHT
                    ? answers.inFlight(defer.retryAfter())
                    : answers.unavailable(defer.retryAfter());
        }
        if (admission instanceof Admission.Reject reject && reject.cause() instanceof PayloadConflictException) {
            return answers.conflict();
        }
        return answers.refused();
    }

    Answer unavailable(Duration retryAfter) {
        return answers.unavailable(retryAfter);
    }
}
