package io.dedup.http.internal;

import io.dedup.DedupKey;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Results;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupPolicy;
import io.dedup.step.LeaseLostException;
import io.dedup.text.Causes;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request that runs: its end decides whether its claim is completed, released or left to expire. Thread-safe. */
public final class HttpRun {
    /** The request attribute with the run's context. */
    public static final String CONTEXT = "io.dedup.context";

    private static final Logger log = LoggerFactory.getLogger("io.dedup.http");
    private static final StoredResponseCodec CODEC = new StoredResponseCodec();
    private static final int CLIENT_ERROR = 400;
    private static final int SERVER_ERROR = 500;

    /** Answers about the moment or the caller; they say nothing about the operation. */
    private static final Set<Integer> NEVER_STORED = Set.of(401, 403, 408, 425, 429);

    private final HttpPath path;
    private final DedupPolicy policy;
    private final Execution execution;
    private final Results results;
    private volatile boolean returned;

    HttpRun(HttpPath path, DedupPolicy policy, Execution execution, Results results) {
        this.path = path;
        this.policy = policy;
        this.execution = execution;
        this.results = results;
    }

    public Execution execution() {
        return execution;
    }

    public HttpPath path() {
        return path;
    }

    /**
     * Marks a success, if the response is one and a completion follows: who completes it may be busy for longer than the lease, and a copy
     * must not run meanwhile.
     *
     * @param response makes what is kept of it; null if nothing is known of it
     */
    public void returned(int status, Supplier<@Nullable StoredResponse> response) {
        if (stopped() == null && isSuccess(status)) {
            try {
                byte[] result = kept(response);
                if (result != null) {
                    execution.keepResult(result);
                }
            } finally { // whatever is thrown: the effect has happened
                execution.returned();
                returned = true;
            }
        }
    }

    private boolean isSuccess(int status) {
        return status < CLIENT_ERROR
                || (status < SERVER_ERROR && path.storesClientErrors() && !NEVER_STORED.contains(status));
    }

    /**
     * Settles the run by its response, whatever goes wrong with what is to be kept: the effect may have happened.
     *
     * @param response makes what is kept of it; null if nothing is known of it
     * @return why the client must not get the response; null if it may
     */
    public @Nullable LeaseLostException ended(int status, Supplier<@Nullable StoredResponse> response) {
        LeaseLostException stopped = stopped();
        if (stopped != null) {
            execution.fail(stopped);
            return stopped;
        }
        if (isSuccess(status)) {
            byte[] result = null;
            try {
                result = returned ? null : kept(response);
            } finally { // whatever is thrown: the effect has happened
                execution.succeed(result, WaitBudget.of(policy.inFlightWait()));
            }
        } else {
            execution.fail(new FailedResponseException(status));
        }
        return null;
    }

    /**
     * The failure of a handler that answers although one of its steps has found the lease lost, whatever it answers: a part of its work
     * was left out. Null if there is none.
     */
    public @Nullable LeaseLostException stopped() {
        return HandlerRun.stopped(execution);
    }

    /**
     * The handler may go on, and nobody will know of its end: its claim is renewed until {@code max-processing-time}, but the end of the
     * application doesn't wait for it.
     */
    public void unobserved() {
        path.unobserved(this);
    }

    /** For this long, the claim of a handler that hasn't ended is renewed. */
    public Duration maxProcessingTime() {
        return policy.maxProcessingTime();
    }

    private byte @Nullable [] kept(Supplier<@Nullable StoredResponse> response) {
        try {
            StoredResponse made = response.get();
            return made == null ? null : encoded(made);
        } catch (Throwable e) {
            // Of what is in front of the filter, or no memory: the handler has succeeded all the same.
            log.error(
                    "{}: a response cannot be kept; its request is done",
                    path.requests().pattern(),
                    e);
            return null;
        }
    }

    private byte @Nullable [] encoded(StoredResponse response) {
        DedupKey key = execution.key();
        if (key == null) {
            return null;
        }
        if (response.bodyOmitted()) {
            log.debug(
                    "{}: a response is larger than max-response-size, and isn't kept",
                    path.requests().pattern());
        }
        byte[] bytes = results.encode(key, CODEC, policy.maxResultBytes(), response);
        if (bytes == null && response.body().length > 0) {
            bytes = results.encode(key, CODEC, policy.maxResultBytes(), response.withoutBody());
        }
        return bytes == null ? results.encode(key, CODEC, policy.maxResultBytes(), response.statusOnly()) : bytes;
    }

    /**
     * Releases the claim, because the handler threw.
     *
     * @return whether the claim had been lost before: it isn't known what the one who took it over will do
     */
    public boolean failed(Throwable thrown) {
        return execution.fail(thrown);
    }

    /**
     * Releases the claim of asynchronous work that has failed. A future that was cancelled or has timed out says nothing about its work,
     * which may go on: its claim is left to its lease.
     *
     * @return as {@link #failed}
     */
    public boolean failedLater(Throwable thrown) {
        if (!mayGoOn(thrown)) {
            return failed(thrown);
        }
        abandoned();
        return false;
    }

    /** Whether the work of a future that fails with that may go on. */
    public static boolean mayGoOn(Throwable thrown) {
        Throwable cause = Causes.unwrapped(thrown);
        return cause instanceof CancellationException || cause instanceof TimeoutException;
    }

    /** Leaves the claim to expire with its lease, because the handler is being stopped, but may not have ended. */
    public void abandoned() {
        execution.abandon();
    }

    /** The answer if the handler failed after its claim was lost. */
    public Answer leaseLost() {
        return path.unavailable(policy.maxDeferDelay());
    }

    static @Nullable StoredResponse decode(Results results, DedupKey key, byte @Nullable [] bytes) {
        return bytes == null ? null : results.decode(key, CODEC, bytes);
    }

    /** A response that is a failure. */
    private static final class FailedResponseException extends Exception {
        private static final long serialVersionUID = 1L;

        FailedResponseException(int status) {
            super("the response has status " + status, null, false, false);
        }
    }
}
