package io.dedup;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Describes the current run to its handler. Thread-safe; valid only until the handler has returned. */
public interface DedupContext {
    /**
     * The key of the message; null if the message has no usable ID and runs because of
     * {@link io.dedup.policy.OnMissingId#PROCESS}.
     */
    @Nullable
    DedupKey key();

    /**
     * Whether a claim or a record protects this run. False if a policy runs the handler without deduplication, and in
     * shadow mode.
     */
    boolean guarded();

    /**
     * The number of this attempt, starting at 1; 0 if the run is unguarded. A number above 1 means that an earlier
     * attempt may have started and may have had effects. What the number 1 guarantees depends on the mode:
     *
     * <ul>
     *   <li>{@link io.dedup.policy.DedupMode#LEASED} and {@link io.dedup.policy.DedupMode#LEASED_TRANSACTIONAL}: no
     *       earlier guarded attempt started within the store's attempt retention, unless the message was done and its
     *       window has ended, an operator deleted its record, or the store lost its data.
     *   <li>{@link io.dedup.policy.DedupMode#TRANSACTIONAL}: nothing; the number is always 1.
     *   <li>{@link io.dedup.policy.DedupMode#TIERED}: nothing; the front store may have been down or may have lost the
     *       record.
     * </ul>
     *
     * <p>A number above 1 does not prove that an earlier attempt started. A process that crashes with claims made together or
     * ahead leaves all of them, and which of their handlers had started is not known: after one crash, every message of the poll
     * that was not done yet has attempt 2. To see only attempts that started, claim each message at its turn
     * ({@code claimAhead(false)} of the Kafka adapter).
     *
     * <p>In the three transactional modes, what a failed attempt wrote in its transaction was rolled back; its other
     * effects remain.
     */
    int attempt();

    /**
     * The fencing token: a number that grows with every claim of this key, or 0 if the run is unguarded or the policy
     * disables tokens. A resource that remembers the highest token it has seen can reject writes with a lower one.
     * Tokens of different keys cannot be compared.
     *
     * <p>Present the token to the resource <b>before reading</b> from it, and again with the write. If the resource
     * compares tokens only at the write, a paused run can still write between another run's read and write, and that
     * other run then overwrites the change. For SQL, with one row for each message ID:
     *
     * <pre>{@code
     * -- before the read, committed at once; if no row changed, a later run has begun: throw
     * UPDATE fence SET token = :token WHERE message_id = :id AND token <= :token;
     * -- with the write, in its transaction; if no row is found: throw
     * SELECT 1 FROM fence WHERE message_id = :id AND token = :token FOR UPDATE;
     * }</pre>
     *
     * <p>A token stops late runs of one message. If several messages change a resource, compare a version with the write as well.
     *
     * <p>See Martin Kleppmann, <i>How to do distributed locking</i> (2016).
     */
    long fencingToken();

    /**
     * Whether another consumer may be handling this message: the store reported that the claim is lost, or the lease
     * expired by this process's clock before it could be renewed. A handler that reads true before its effect should
     * throw. False if the run is unguarded.
     */
    boolean leaseLost();

    /**
     * The time until the lease expires by this process's clock if it is not renewed again; zero if the claim is lost or
     * the run is unguarded.
     */
    Duration leaseRemaining();

    /**
     * Runs a step of the handler whose effect is outside of this process, such as a call to another service. Its result is
     * kept with the message; if an earlier attempt has kept it, the function does not run, and the kept result is returned. So
     * another attempt goes on where this one stops.
     *
     * <pre>{@code
     * Charge charge = context.step("charge", Charge.class, () -> cards.charge(order, context.stepKey("charge")));
     * context.step("reserve", () -> warehouse.reserve(order, charge.id()));
     * context.step("mail", () -> mails.send(order));
     * }</pre>
     *
     * <p>If the function throws, nothing is kept, and the exception reaches the handler. <b>If the process crashes after the
     * function and before its result is kept, this step runs again</b>, and only this one: pass {@link #stepKey} to the callee,
     * or look at {@link #attempt}. Kept steps end when the message is done, when its record is deleted, and after the store's
     * attempt retention.
     *
     * <p>Names identify steps, not their order: a step with another name is another step, and a kept one that no longer occurs
     * is ignored. A name can be used once in a run, unless its function threw. Steps of one run may run in several threads.
     *
     * <p>Takes one round trip to the store if the function runs, and none otherwise. A run that is not {@link #guarded} runs
     * the function and keeps nothing.
     *
     * @param name 1 to {@value io.dedup.step.StepLog#MAX_NAME_BYTES} bytes of UTF-8 without control characters
     * @param type of the result; classes other than text, numbers, booleans, enums, {@code UUID}, {@code Instant} and
     *     {@code byte[]} need a {@link io.dedup.step.StepCodec}
     * @return the result of the function, or of an earlier attempt's
     * @throws io.dedup.step.LeaseLostException if another consumer may be handling the message; let it end the handler
     * @throws io.dedup.step.StepResultException if an earlier attempt's result cannot be returned
     * @throws UnsupportedOperationException in the transactional modes, in a Spring transaction, and if the store cannot keep
     *     steps; the function has not run then
     * @throws IllegalArgumentException if the name cannot be used, or the result's class cannot be encoded; the function has not run
     *     then
     * @throws IllegalStateException if this run has used the name, has too many steps, or has ended; the function has not run
     *     then
     */
    <T> T step(String name, Class<T> type, Supplier<? extends T> function);

    /** As {@link #step(String, Class, Supplier)}, with a codec for this step's result. */
    <T> T step(String name, ResultCodec<T> codec, Supplier<? extends T> function);

    /** As {@link #step(String, Class, Supplier)}, without a result. */
    void step(String name, Runnable function);

    /**
     * Returns a key that identifies a step of this message: the same in every attempt, and another one for every other message,
     * consumer and step. Pass it to a service that recognizes repeated requests, for example as its {@code Idempotency-Key}. It
     * consists of 43 ASCII letters, digits, hyphens and underscores, and does not reveal the message ID.
     *
     * @throws IllegalArgumentException if the name cannot be used for a step
     * @throws IllegalStateException if the message has no usable ID
     */
    String stepKey(String name);
}
