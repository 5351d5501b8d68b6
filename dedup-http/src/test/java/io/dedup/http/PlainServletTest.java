package io.dedup.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupContext;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A servlet on Tomcat, without Spring Boot and without Spring MVC's handlers. */
class PlainServletTest {
    private final Tomcat tomcat = new Tomcat();
    private final AtomicInteger runs = new AtomicInteger();
    private final List<String> effects = new CopyOnWriteArrayList<>();

    @TempDir
    Path directory;

    private Deduplicator deduplicator;
    private HttpPaths paths;

    private final class Payments extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            DedupContext dedup = (DedupContext) request.getAttribute(HttpDedup.CONTEXT);
            if ("checkout".equals(request.getHeader("X-Client"))) {
                dedup.step("charge", () -> effects.add("charge " + dedup.attempt()));
                if (dedup.attempt() == 1) {
                    throw new IllegalStateException("the mail server is down");
                }
                dedup.step("mail", () -> effects.add("mail " + dedup.attempt()));
            }
            response.setStatus(201);
            response.getWriter().print("run " + runs.incrementAndGet() + " of " + (dedup == null ? "?" : dedup.key()));
        }
    }

    @BeforeEach
    void start() throws Exception {
        Filter filter = filter(new InMemoryDedupStore());
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        tomcat.setSilent(true);
        Context context = tomcat.addContext("", new File(directory.toString()).getAbsolutePath());
        Tomcat.addServlet(context, "payments", new Payments());
        context.addServletMapping("/*", "payments");
        add(context, "broken", this::breakResponse);
        add(context, "dedup", filter);
        tomcat.getConnector();
        tomcat.start();
    }

    private static void add(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        map.setDispatcher(DispatcherType.REQUEST.name());
        map.setDispatcher(DispatcherType.ASYNC.name());
        context.addFilterMap(map);
    }

    /** A filter in front, whose response cannot be read when the handler has made it. */
    private void breakResponse(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String breaks = ((HttpServletRequest) request).getHeader("X-Client");
        int before = runs.get();
        chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response) {
            @Override
            public Collection<String> getHeaderNames() {
                return broken("headers", super.getHeaderNames());
            }

            @Override
            public int getStatus() {
                return broken("status", super.getStatus());
            }

            private <T> T broken(String what, T value) {
                if (what.equals(breaks) && before == 0 && runs.get() == 1) {
                    throw new IllegalStateException("of the test");
                }
                return value;
            }
        });
    }

    private Filter filter(DedupStore store) {
        // docs:begin
        HttpPathSettings payments =
                HttpPathSettings.builder("/payments").scopeBy("header:X-Client").build();
        deduplicator = Deduplicators.builder(store)
                .consumer("payments-api")
                .topic(payments.topic(), policy -> policy.maxResultBytes(payments.maxResultBytes()))
                .build();
        paths = HttpPaths.builder().path(payments, deduplicator).build(); // close it before the deduplicator
        return new ServletDedup(paths).filter();
        // docs:end
    }

    @AfterEach
    void stop() throws Exception {
        tomcat.stop();
        tomcat.destroy();
        paths.close();
        deduplicator.close();
    }

    @Test
    @DisplayName("a repeated request gets the first response; another client's key is another key")
    void repeated() throws Exception {
        HttpResponse<String> first = post("/payments", "a");
        HttpResponse<String> second = post("/payments", "a");
        HttpResponse<String> other = post("/payments", "b");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).startsWith("run 1 of ").contains("payments-api", "/payments");
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(second.headers().firstValue("Idempotency-Replayed")).contains("true");
        assertThat(other.body()).startsWith("run 2 of ");
    }

    @Test
    @DisplayName("a request that failed and is sent again goes on at the step that hasn't run")
    void steps() throws Exception {
        assertThat(post("/payments", "checkout").statusCode()).isEqualTo(500);
        assertThat(post("/payments", "checkout").statusCode()).isEqualTo(201);

        assertThat(effects).containsExactly("charge 1", "mail 2");
    }

    @Test
    @DisplayName("a success whose response cannot be kept is done, without it")
    void unreadable() throws Exception {
        assertThat(post("/payments", "headers").statusCode()).isEqualTo(500);
        HttpResponse<String> second = post("/payments", "headers");
        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(second.headers().firstValue("Idempotency-Replayed")).contains("true");
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName("a response whose status cannot be read is a failure: its key isn't claimed for long")
    void unknownStatus() throws Exception {
        assertThat(post("/payments", "status").statusCode()).isEqualTo(500);
        assertThat(post("/payments", "status").body()).startsWith("run 2 of ");
    }

    @Test
    @DisplayName("other paths run as before")
    void otherPaths() throws Exception {
        assertThat(post("/refunds", "a").body()).isEqualTo("run 1 of ?");
        assertThat(post("/refunds", "a").body()).isEqualTo("run 2 of ?");
    }

    private HttpResponse<String> post(String path, String client) throws Exception {
        URI uri = URI.create("http://localhost:" + tomcat.getConnector().getLocalPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .header("Idempotency-Key", "key-1")
                                .header("X-Client", client)
                                .POST(BodyPublishers.ofString("10 EUR"))
                                .build(),
                        BodyHandlers.ofString());
    }
}
