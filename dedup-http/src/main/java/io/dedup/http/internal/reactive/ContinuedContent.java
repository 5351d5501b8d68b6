package io.dedup.http.internal.reactive;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The content of a response, which goes on to its end when its client goes away. Then it is dropped piece by piece. For one subscriber.
 */
final class ContinuedContent extends Flux<DataBuffer> {
    private final Flux<DataBuffer> source;
    private final CompletableFuture<Void> made;
    private final CapturingServerResponse response;
    private volatile @Nullable Pieces pieces;

    /** @param made completed exceptionally if the content fails when its client has gone away */
    ContinuedContent(Flux<DataBuffer> source, CompletableFuture<Void> made, CapturingServerResponse response) {
        this.source = source;
        this.made = made;
        this.response = response;
    }

    /** The client has gone away. No effect if the content has ended. */
    void detach() {
        Pieces now = pieces;
        if (now != null) {
            now.cancel();
        }
    }

    /** Stops whoever makes the content, and who may not have ended then. */
    void giveUp() {
        Pieces now = pieces;
        if (now != null) {
            now.giveUp();
        }
    }

    boolean isDetached() {
        Pieces now = pieces;
        return now != null && now.isDetached();
    }

    @Override
    public void subscribe(CoreSubscriber<? super DataBuffer> client) {
        Pieces made = new Pieces(client);
        pieces = made;
        source.subscribe(made);
    }

    private enum State {
        RUNNING,
        DETACHED,
        /** Before its client went away. */
        ENDED
    }

    private final class Pieces implements CoreSubscriber<DataBuffer>, Subscription {
        private final CoreSubscriber<? super DataBuffer> client;
        private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
        private volatile @Nullable Subscription upstream;

        Pieces(CoreSubscriber<? super DataBuffer> client) {
            this.client = client;
        }

        boolean isDetached() {
            return state.get() == State.DETACHED;
        }

        @Override
        public Context currentContext() {
            return client.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            client.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            Subscription subscription = upstream;
            if (subscription != null) {
                subscription.request(n);
            }
        }

        @Override
        public void cancel() {
            if (state.compareAndSet(State.RUNNING, State.DETACHED)) {
                var unused = Schedulers.boundedElastic().schedule(() -> request(Long.MAX_VALUE)); // it may block
            }
        }

        @Override
        public void onNext(DataBuffer piece) {
            if (isDetached()) {
                DataBufferUtils.release(piece);
                if (response.isOverdue()) {
                    giveUp();
                }
            } else {
                client.onNext(piece);
            }
        }

        void giveUp() {
            Subscription subscription = upstream;
            if (subscription != null) {
                subscription.cancel();
            }
            response.abandon();
            made.completeExceptionally(new CancellationException("the content of the response was cut off"));
        }

        @Override
        public void onError(Throwable thrown) {
            if (state.compareAndSet(State.RUNNING, State.ENDED)) {
                client.onError(thrown);
            } else {
                made.completeExceptionally(thrown);
            }
        }

        @Override
        public void onComplete() {
            if (state.compareAndSet(State.RUNNING, State.ENDED)) {
                client.onComplete();
            }
        }
    }
}
