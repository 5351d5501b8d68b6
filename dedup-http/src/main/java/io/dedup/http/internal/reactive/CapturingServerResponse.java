package io.dedup.http.internal.reactive;

import io.dedup.http.internal.Answer;
import io.dedup.http.internal.BodyCapture;
import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.StoredResponse;
import io.dedup.step.LeaseLostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
import reactor.core.scheduler.Schedulers;

/**
 * Holds a response back until its request is recorded. What is larger than the limit, or is flushed piece by piece, as streams and events
 * are, goes to the client at once.
 */
final class CapturingServerResponse extends ServerHttpResponseDecorator {
    private static final int OK = 200;

    private final HttpRun run;
    private final Set<String> headersBefore = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final BodyCapture body;
    private final AtomicBoolean settling = new AtomicBoolean();
    private volatile boolean passing;
    private volatile boolean streamEnded;
    private volatile boolean streamFailed;
    /** What the handler's content failed with when its status had been sent. An exception handler may make an end of it all the same. */
    private volatile @Nullable Throwable failedTooLate;

    private volatile @Nullable ContinuedContent content;
    private volatile @Nullable LeaseLostException stopped;

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

    /** Settles the run by its status, or by the failure that came too late for one, if nobody has. Blocks for a call of the store. */
    void settle() {
        if (beginSettling()) {
            Throwable failure = failedTooLate;
            if (failure != null && run.stopped() == null) {
                run.failed(failure);
            } else {
                stopped = run.ended(stored());
            }
        }
    }

    private void noteFailure(Throwable thrown) {
        if (passing && failedTooLate == null) {
            failedTooLate = thrown;
        }
    }

    /** The answer that is still to be written, because the handler's must not be; null if there is none. */
    @Nullable
    Answer unanswered() {
        return stopped == null || isCommitted() ? null : run.leaseLost();
    }

    /** Puts the answer to a lost lease in place of what the handler has made. */
    private DataBuffer leaseLost() {
        Answer answer = run.leaseLost();
        HttpHeaders headers = getHeaders();
        made().keySet()
                .forEach(name -> headers.put(name, List.of())); // remove has another parameter in Spring Framework 6
        headers.clearContentHeaders();
        IdempotencyKeyWebFilter.writeHead(answer, this);
        return bufferFactory().wrap(answer.body());
    }

    private Mono<Void> settled() {
        return settling.get()
                ? Mono.empty()
                : Mono.<Void>fromRunnable(this::settle)
                        .subscribeOn(Schedulers.fromExecutor(run.path().settlements()));
    }

    /** Whether the client has gone away, and the content goes on to its end, which settles the run. */
    boolean continuesWithoutClient() {
        ContinuedContent continued = content;
        return continued != null && continued.isDetached();
    }

    /** If its client goes away, the handler goes on to its end, and is recorded then. */
    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> made) {
        ContinuedContent continued = new ContinuedContent(Flux.defer(() -> held(made)), this);
        content = continued;
        return super.writeWith(continued).doOnError(e -> continued.detach());
    }

    /** The content failed when its client had gone away. */
    void fail(Throwable thrown) {
        if (beginSettling()) {
            run.failed(thrown);
        }
    }

    /** Nothing until the content is complete and the run is settled, or it gets larger than the limit. */
    private Flux<DataBuffer> held(Publisher<? extends DataBuffer> content) {
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
                        sink.next(bufferFactory().wrap(bytes));
                    } else if (body.fits(bytes.length)) {
                        body.append(bytes, 0, bytes.length);
                    } else {
                        byte[] before = body.toByteArray();
                        body.append(bytes, 0, bytes.length); // which drops it
                        passing = true;
                        byte[] both = new byte[before.length + bytes.length];
                        System.arraycopy(before, 0, both, 0, before.length);
                        System.arraycopy(bytes, 0, both, before.length, bytes.length);
                        sink.next(bufferFactory().wrap(both));
                    }
                });
        return exceeding.concatWith(settled().thenMany(Flux.defer(() -> {
            LeaseLostException lost = stopped;
            if (lost != null) { // what has been sent is cut off
                return passing || isCommitted() ? Flux.error(lost) : Flux.just(leaseLost());
            }
            byte[] all = body.toByteArray();
            return passing || all.length == 0
                    ? Flux.empty()
                    : Flux.just(bufferFactory().wrap(all));
        })));
    }

    /** A stream: its pieces are copied on their way. If its client goes away, its handler may still be working. */
    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> content) {
        Flux<Publisher<? extends DataBuffer>> copied = Flux.from(content).map(piece -> {
            passing = true;
            return Flux.from(piece).doOnNext(this::copy).doOnError(this::streamFailed);
        });
        return super.writeAndFlushWith(copied.doOnComplete(() -> streamEnded = true)
                        .doOnError(this::streamFailed)
                        .doOnCancel(this::abandon))
                .doOnError(e -> {
                    if (!streamFailed && !streamEnded) { // it was the client's connection that failed
                        abandon();
                    }
                });
    }

    private void streamFailed(Throwable thrown) {
        streamFailed = true;
        noteFailure(thrown);
    }

    /** Whether the handler has made all of its stream, which may not have reached the client. */
    boolean isStreamComplete() {
        return streamEnded && !streamFailed;
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
        return Mono.defer(this::settled)
                .then(Mono.defer(() -> unanswered() == null
                        ? super.setComplete()
                        : super.writeWith(Mono.fromSupplier(this::leaseLost))));
    }

    private StoredResponse stored() {
        HttpStatusCode status = getStatusCode();
        Map<String, List<String>> sent = headersSent;
        return new StoredResponse(
                status == null ? OK : status.value(),
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
