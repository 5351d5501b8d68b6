package io.dedup.http.internal.reactive;

import io.dedup.http.internal.Answer;
import io.dedup.http.internal.BodyCapture;
import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.StoredResponse;
import io.dedup.step.LeaseLostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Holds a response back until all that is behind the filter has ended, and its request is recorded. What is larger than the limit, or is
 * flushed piece by piece, as streams and events are, goes to the client at once.
 */
final class CapturingServerResponse extends ServerHttpResponseDecorator {
    private static final int OK = 200;

    private final HttpRun run;
    private final Set<String> headersBefore = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final BodyCapture body;
    private final AtomicBoolean settling = new AtomicBoolean();
    private volatile boolean passing;
    /** What is kept of content that is being sent. */
    private byte[] last = {};

    private volatile boolean streamEnded;
    private volatile boolean streamFailed;
    /** What the handler's content failed with when its status had been sent. An exception handler may make an end of it all the same. */
    private volatile @Nullable Throwable failedTooLate;

    private volatile @Nullable LeaseLostException stopped;

    /** Whether the handler has made all of it. */
    private volatile boolean handed;
    /** Completes when what is held may be sent. */
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    /** The end of content that is held or being sent. */
    private volatile @Nullable CompletableFuture<Void> sending;
    /** Sends a response without content. */
    private volatile @Nullable Mono<Void> completion;

    /** The handler's headers as they were sent. Servers add their own then, such as the encoding of what they compress. */
    private volatile @Nullable Map<String, List<String>> headersSent;

    CapturingServerResponse(ServerHttpResponse response, HttpRun run) {
        super(response);
        this.run = run;
        this.body = new BodyCapture(run.path().maxResponseSize());
        response.getHeaders().forEach((name, values) -> headersBefore.add(name));
        response.beforeCommit(() -> Mono.fromRunnable(() -> headersSent = made()));
    }

    /** Whether the caller is the one to settle the run. */
    boolean beginSettling() {
        return settling.compareAndSet(false, true);
    }

    /** Marks a success, before a thread is there that records it. */
    void returned() {
        if (!settling.get() && failedTooLate == null) {
            run.returned(status(), this::stored);
        }
    }

    /** Settles the run by its status, or by the failure that came too late for one, if nobody has. Blocks for a call of the store. */
    void settle() {
        int status = status(); // if it throws, it isn't known whether this is a success, and nobody has settled the run
        if (beginSettling()) {
            Throwable failure = failedTooLate;
            if (failure != null && run.stopped() == null) {
                run.failedLater(failure);
            } else {
                stopped = run.ended(status, this::stored);
            }
        }
    }

    private void noteFailure(Throwable thrown) {
        if (passing && failedTooLate == null) {
            failedTooLate = thrown;
        }
    }

    /** Sends what is held, or what is in its place because the lease was lost, when the run is settled. */
    CompletableFuture<Void> send() {
        CompletableFuture<Void> begun = sending;
        if (begun != null) {
            settled.complete(null);
            return begun;
        }
        Mono<Void> end = completion;
        if (stopped != null && !isSent()) {
            end = super.writeWith(Mono.fromSupplier(this::leaseLost));
        }
        return (end == null ? Mono.<Void>empty() : end).toFuture();
    }

    /** What is held isn't sent: something behind the filter has failed. What has been sent is cut off. */
    void drop(Throwable thrown) {
        settled.completeExceptionally(thrown);
        if (handed && !isSent()) {
            removeMade();
        }
    }

    /** Puts the answer to a lost lease in place of what the handler has made. */
    private DataBuffer leaseLost() {
        Answer answer = run.leaseLost();
        removeMade();
        IdempotencyKeyWebFilter.writeHead(answer, this);
        return bufferFactory().wrap(answer.body());
    }

    private void removeMade() {
        HttpHeaders headers = getHeaders();
        made().keySet()
                .forEach(name -> headers.put(name, List.of())); // remove has another parameter in Spring Framework 6
        headers.clearContentHeaders();
    }

    /** Whether the client has got a part of it. */
    boolean isSent() {
        return super.isCommitted();
    }

    /** As it is for those who make it. */
    @Override
    public boolean isCommitted() {
        return handed || super.isCommitted();
    }

    /**
     * For the handler, and for what is around it, the content is written when it is made. It is sent when all of them have ended and the
     * run is settled. If its client goes away, the handler goes on to its end.
     */
    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> content) {
        return Mono.deferContextual(context -> handed ? Mono.empty() : begin(content, context));
    }

    private Mono<Void> begin(Publisher<? extends DataBuffer> content, ContextView context) {
        CompletableFuture<Void> made = new CompletableFuture<>();
        ContinuedContent continued = new ContinuedContent(Flux.defer(() -> held(content, made)), made, this);
        CompletableFuture<Void> written = super.writeWith(continued)
                .doOnError(e -> continued.detach())
                .contextWrite(own -> own.putAll(context))
                .toFuture();
        sending = written;
        var unused = written.whenComplete((nothing, error) -> {
            if (error == null) {
                made.complete(null);
            } else if (!made.isDone() && !continued.isDetached()) {
                sending = null; // its failure is answered now
                made.completeExceptionally(error);
            }
        });
        return Mono.fromFuture(made).doOnCancel(() -> {
            written.cancel(true);
            continued.giveUp();
        });
    }

    /**
     * Nothing until the content is complete and the run is settled, or it gets larger than the limit. Then its last byte waits: a client
     * that knows the length has the whole response with it.
     */
    private Flux<DataBuffer> held(Publisher<? extends DataBuffer> content, CompletableFuture<Void> made) {
        if (!passing) {
            body.clear(); // of content that has failed, and whose failure is answered now
        }
        Flux<DataBuffer> exceeding = Flux.from(content)
                .doOnError(this::noteFailure)
                .<DataBuffer>handle((buffer, sink) -> {
                    byte[] bytes = new byte[buffer.readableByteCount()];
                    buffer.read(bytes);
                    DataBufferUtils.release(buffer);
                    if (passing) {
                        sink.next(bufferFactory().wrap(exceptLast(bytes)));
                    } else if (body.fits(bytes.length)) {
                        body.append(bytes, 0, bytes.length);
                    } else {
                        byte[] before = body.toByteArray();
                        body.append(bytes, 0, bytes.length); // which drops it
                        passing = true;
                        byte[] both = new byte[before.length + bytes.length];
                        System.arraycopy(before, 0, both, 0, before.length);
                        System.arraycopy(bytes, 0, both, before.length, bytes.length);
                        sink.next(bufferFactory().wrap(exceptLast(both)));
                    }
                });
        Flux<DataBuffer> whole = exceeding.doOnComplete(() -> {
            handed = true;
            made.complete(null);
        });
        return whole.concatWith(Mono.fromFuture(settled, true).thenMany(Flux.defer(() -> {
            LeaseLostException lost = stopped;
            if (lost != null) { // what has been sent is cut off
                return passing || isSent() ? Flux.error(lost) : Flux.just(leaseLost());
            }
            byte[] rest = passing ? last : body.toByteArray();
            return rest.length == 0 ? Flux.empty() : Flux.just(bufferFactory().wrap(rest));
        })));
    }

    /** The byte that was kept before, and all of these but the last, which is kept now. */
    private byte[] exceptLast(byte[] bytes) {
        if (bytes.length == 0) {
            return bytes;
        }
        byte[] sent = Arrays.copyOf(last, last.length + bytes.length - 1);
        System.arraycopy(bytes, 0, sent, last.length, bytes.length - 1);
        last = new byte[] {bytes[bytes.length - 1]};
        return sent;
    }

    /**
     * A stream: its pieces are copied on their way. If its client goes away, its handler may still be working, unless it has made all of
     * it.
     */
    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> content) {
        Flux<Publisher<? extends DataBuffer>> copied = Flux.from(content).map(piece -> {
            passing = true;
            return Flux.from(piece).doOnNext(this::copy).doOnError(this::streamFailed);
        });
        return super.writeAndFlushWith(copied.doOnComplete(() -> streamEnded = true)
                        .doOnError(this::streamFailed)
                        .doOnCancel(this::abandon))
                .onErrorResume(e -> {
                    if (!streamFailed && streamEnded) {
                        return Mono.empty(); // the client's connection has failed, and the handler hasn't
                    }
                    if (!streamFailed) {
                        abandon();
                    }
                    return Mono.error(e);
                });
    }

    private void streamFailed(Throwable thrown) {
        streamFailed = true;
        noteFailure(thrown);
    }

    private void copy(DataBuffer buffer) {
        ByteBuffer bytes = ByteBuffer.allocate(buffer.readableByteCount());
        buffer.toByteBuffer(bytes);
        body.append(bytes.array(), 0, bytes.capacity());
    }

    /** Whether somebody else may be handling the request by now. */
    boolean isOverdue() {
        return run.execution().isOverdue();
    }

    void abandon() {
        if (beginSettling()) {
            run.abandoned();
        }
    }

    @Override
    public Mono<Void> setComplete() {
        return Mono.deferContextual(context -> {
            if (!isCommitted()) {
                completion = Mono.defer(super::setComplete).contextWrite(own -> own.putAll(context));
                handed = true;
            }
            return Mono.empty();
        });
    }

    private int status() {
        HttpStatusCode status = getStatusCode();
        return status == null ? OK : status.value();
    }

    private StoredResponse stored() {
        Map<String, List<String>> sent = headersSent;
        return new StoredResponse(
                status(),
                false,
                !body.isComplete(),
                null,
                getHeaders().getFirst(HttpHeaders.CONTENT_TYPE),
                sent == null ? made() : sent,
                body.toByteArray());
    }

    /** The handler's headers, as far as duplicates get them. */
    private Map<String, List<String>> made() {
        Map<String, List<String>> made = new LinkedHashMap<>();
        getHeaders().forEach((name, values) -> {
            if (!headersBefore.contains(name) && run.path().headers().isReplayed(name)) {
                made.put(name, new ArrayList<>(values));
            }
        });
        return made;
    }
}
