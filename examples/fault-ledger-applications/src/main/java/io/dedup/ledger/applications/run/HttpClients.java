package io.dedup.ledger.applications.run;

import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.Traffic;
import io.dedup.testkit.faults.TcpProxy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that send a request again, to the next process, until one answers that it is done. */
final class HttpClients implements Entrance {
    private static final Duration TIMEOUT = Duration.ofSeconds(8);
    private static final Duration RETRY = Duration.ofMillis(150);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final ExecutorService callers = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "client");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Integer> ports = new ArrayList<>();
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final Map<String, AtomicInteger> unanswered = new ConcurrentHashMap<>();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    HttpClients() throws Exception {
        for (int i = 0; i < FaultPlan.CONSUMERS; i++) {
            ports.add(JmsQueue.freePort());
            proxies.add(TcpProxy.to(ports.get(i)));
        }
    }

    @Override
    public List<String> properties(int process) {
        return List.of(
                "spring.main.web-application-type=servlet",
                "server.port=" + ports.get(process),
                "server.address=127.0.0.1",
                "dedup.http.paths.orders.path=/orders",
                "dedup.http.paths.orders.consumer=orders-api",
                "dedup.http.paths.orders.scope-by=none");
    }

    /** Returns at once: a client is patient by itself. */
    @Override
    public void send(Traffic.Send send) {
        String id = send.message().id();
        unanswered.computeIfAbsent(id, any -> new AtomicInteger()).incrementAndGet();
        callers.execute(() -> {
            try {
                for (int attempt = send.partition(); !isAnswered(send, attempt % proxies.size()); attempt++) {
                    TimeUnit.NANOSECONDS.sleep(RETRY.toNanos());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private boolean isAnswered(Traffic.Send send, int process) throws InterruptedException {
        String id = send.message().id();
        int status;
        try {
            status = client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                            + proxies.get(process).port() + "/orders"))
                                    .timeout(TIMEOUT)
                                    .header("Idempotency-Key", id)
                                    .header("Content-Type", "text/plain")
                                    .POST(HttpRequest.BodyPublishers.ofString(Text.of(send.message())))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return false; // nobody knows whether it is done
        }
        boolean done = status / 100 == 2;
        boolean never = status / 100 == 4 && status != 409 && status != 429;
        if (never) {
            refused.add(id);
        }
        if (done || never) {
            var unused = unanswered.computeIfPresent(id, (any, count) -> count.decrementAndGet() == 0 ? null : count);
        }
        return done || never;
    }

    @Override
    public boolean isIdle() {
        return unanswered.isEmpty();
    }

    @Override
    public Set<String> waiting() {
        return new HashSet<>(unanswered.keySet());
    }

    @Override
    public Set<String> deadLetters() {
        return refused;
    }

    @Override
    public List<TcpProxy> proxies() {
        return proxies;
    }

    @Override
    public void close() {
        callers.shutdownNow();
        proxies.forEach(TcpProxy::close);
    }
}
