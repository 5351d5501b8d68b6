package io.dedup.spring.boot.internal.http.reactive;

import io.dedup.Fingerprint;
import io.dedup.adapter.HandlerRun;
import io.dedup.spring.boot.HttpDedup;
import io.dedup.spring.boot.internal.http.Answer;
import io.dedup.spring.boot.internal.http.HttpCall;
import io.dedup.spring.boot.internal.http.HttpDecision;
import io.dedup.spring.boot.internal.http.HttpPath;
import io.dedup.spring.boot.internal.http.HttpRun;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
        return Mono.deferContextual(context -> Mono.fromFuture(start(exchange, chain, context), true))
                .flatMap(answer -> answer.map(it -> filter.write(it, exchange))
                        .orElse(Mono.empty()));
    }

    /** Completes with an answer that is still to be written, if there is one. */
    private CompletableFuture<Optional<Answer>> start(
            ServerWebExchange exchange, WebFilterChain chain, ContextView context) {
        CompletableFuture<Optional<Answer>> end = new CompletableFuture<>();
        var unused = Schedulers.boundedElastic().schedule(() -> {
            try {
                HttpDecision decision = path.claim(call, messageId, fingerprint);
                if (decision instanceof HttpDecision.Run admitted) {
                    handle(admitted.run(), exchange, chain, context, end);
                } else {
                    end.complete(
                            decision instanceof HttpDecision.Reply reply
                                    ? Optional.of(reply.answer())
                                    : Optional.empty());
                }
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        });
        return end;
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
            exchange.getAttributes().put(HttpDedup.CONTEXT, run.execution());
        } catch (Throwable e) { // otherwise the claim would be renewed
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
