package io.dedup.http.internal.reactive;

import io.dedup.Fingerprint;
import io.dedup.adapter.HandlerRun;
import io.dedup.http.internal.Answer;
import io.dedup.http.internal.HttpCall;
import io.dedup.http.internal.HttpDecision;
import io.dedup.http.internal.HttpPath;
import io.dedup.http.internal.HttpRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/**
 * A request whose content was read: claims it and runs its handler. From the claim on, it goes on to its end also when its client goes
 * away, which would cancel it otherwise: the effect may happen at any time, and has to be recorded then.
 */
final class ReactiveRequest {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

    /** The lease of a request of this process may be lost, and somebody else have its result. */
    private static final Duration ASK_ANYWAY = Duration.ofSeconds(1);

    private final HttpPath path;
    private final HttpCall call;
    private final String messageId;
    private final @Nullable Fingerprint fingerprint;
    private final IdempotencyKeyWebFilter filter;

    ReactiveRequest(
            HttpPath path,
            HttpCall call,
            String messageId,
            @Nullable Fingerprint fingerprint,
            IdempotencyKeyWebFilter filter) {
        this.path = path;
        this.call = call;
        this.messageId = messageId;
        this.fingerprint = fingerprint;
        this.filter = filter;
    }

    Mono<Void> run(ServerWebExchange exchange, WebFilterChain chain) {
        return OpenTransaction.isOpen()
                .doOnNext(path::requireOutsideOfTransaction)
                .then(Mono.deferContextual(context -> Mono.fromFuture(start(exchange, chain, context), true)))
                .flatMap(answer -> answer.map(it -> filter.write(it, exchange)).orElse(Mono.empty()));
    }

    /** Completes with an answer that is still to be written, if there is one. */
    private CompletableFuture<Optional<Answer>> start(
            ServerWebExchange exchange, WebFilterChain chain, ContextView context) {
        CompletableFuture<Optional<Answer>> end = new CompletableFuture<>();
        long deadline = System.nanoTime() + path.inFlightWait().toNanos();
        claim(deadline, FIRST_PAUSE, end, run -> handle(run, exchange, chain, context, end));
        return end;
    }

    /** Waits for a request in flight without a thread: that request may need one of the same scheduler. */
    private void claim(
            long deadline, Duration pause, CompletableFuture<Optional<Answer>> end, Consumer<HttpRun> whenAdmitted) {
        var unused = Schedulers.boundedElastic().schedule(() -> {
            try {
                HttpDecision decision = path.claimNow(call, messageId, fingerprint);
                if (decision instanceof HttpDecision.Run admitted) {
                    whenAdmitted.accept(admitted.run());
                } else if (decision instanceof HttpDecision.InFlight inFlight) {
                    Duration left = Duration.ofNanos(deadline - System.nanoTime());
                    if (left.isNegative() || left.isZero()) {
                        end.complete(Optional.of(inFlight.answer()));
                    } else {
                        Duration next = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0
                                ? LONGEST_PAUSE
                                : pause.multipliedBy(2);
                        afterPause(deadline, pause.compareTo(left) < 0 ? pause : left)
                                .subscribe(
                                        waited -> claim(deadline, next, end, whenAdmitted), end::completeExceptionally);
                    }
                } else if (decision instanceof HttpDecision.Reply reply) {
                    end.complete(Optional.of(reply.answer()));
                } else {
                    end.complete(Optional.empty());
                }
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        });
    }

    /** Longer while the other request runs in this process, so that its end is known without the store. */
    private Mono<Long> afterPause(long deadline, Duration pause) {
        long askAt = Math.min(deadline, System.nanoTime() + ASK_ANYWAY.toNanos());
        return Mono.delay(pause)
                .repeat()
                .takeUntil(turn -> !path.isHandling(messageId) || System.nanoTime() - askAt >= 0)
                .last();
    }

    private static void handle(
            HttpRun run,
            ServerWebExchange exchange,
            WebFilterChain chain,
            ContextView context,
            CompletableFuture<Optional<Answer>> end) {
        CapturingServerResponse response;
        ReactiveRun settlement;
        Exchange handled;
        try {
            response = new CapturingServerResponse(exchange.getResponse(), run);
            settlement = new ReactiveRun(run, response);
            handled = new Exchange(exchange, response);
            exchange.getAttributes().put(HttpRun.CONTEXT, run.execution());
        } catch (Throwable e) { // otherwise the claim would be renewed for maxProcessingTime
            run.execution().giveBack();
            throw e;
        }
        CompletableFuture<Optional<Answer>> settled = HandlerRun.run(
                run.execution(),
                () -> chain.filter(handled)
                        .contextWrite(own -> own.putAll(context))
                        .toFuture(),
                settlement);
        var unused = settled.whenComplete((answer, error) -> {
            if (error == null) {
                end.complete(answer);
            } else {
                end.completeExceptionally(error);
            }
        });
    }

    /** The exchange with the response that is held back. */
    private static final class Exchange extends ServerWebExchangeDecorator {
        private final CapturingServerResponse response;

        Exchange(ServerWebExchange exchange, CapturingServerResponse response) {
            super(exchange);
            this.response = response;
        }

        @Override
        public CapturingServerResponse getResponse() {
            return response;
        }
    }
}
