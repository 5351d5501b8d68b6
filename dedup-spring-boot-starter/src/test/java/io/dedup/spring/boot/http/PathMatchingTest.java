package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.spring.boot.DedupConfigurationException;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.AntPathMatcher;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.UrlHandlerFilter;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.pattern.PathPatternParser;

/** Whatever spelling of a path reaches the handler, its requests run once for a key. */
class PathMatchingTest {
    @RestController
    static class Payments {
        @PostMapping("/payments")
        String pay(@RequestHeader("Idempotency-Key") String key) {
            return "charge " + Work.run(key);
        }
    }

    private static PathPatternParser anyCase() {
        PathPatternParser parser = new PathPatternParser();
        parser.setCaseSensitive(false);
        return parser;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Payments.class)
    static class Mvc implements WebMvcConfigurer {
        @Override
        public void configurePathMatch(PathMatchConfigurer paths) {
            paths.setPatternParser(anyCase());
        }

        @Bean
        UrlHandlerFilter slashes() {
            return UrlHandlerFilter.trailingSlashHandler("/**").wrapRequest().build();
        }

        @Bean
        Filter forwards() {
            return (request, response, chain) -> {
                if (((HttpServletRequest) request).getRequestURI().endsWith("/old")) {
                    request.getRequestDispatcher("/payments").forward(request, response);
                } else {
                    chain.doFilter(request, response);
                }
            };
        }

        @Bean
        RouterFunction<ServerResponse> functional() {
            return RouterFunctions.route()
                    .POST(
                            "/functional",
                            request -> ServerResponse.ok()
                                    .body("charge " + Work.run(request.headers().firstHeader("Idempotency-Key"))))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Payments.class)
    static class AsText implements WebMvcConfigurer {
        @Override
        @SuppressWarnings({"deprecation", "removal"}) // which applications still use
        public void configurePathMatch(PathMatchConfigurer paths) {
            paths.setPathMatcher(new AntPathMatcher());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Payments.class)
    static class WebFlux implements WebFluxConfigurer {
        @Override
        public void configurePathMatching(org.springframework.web.reactive.config.PathMatchConfigurer paths) {
            paths.setUseCaseSensitiveMatch(false);
        }

        @Bean
        WebFilter slashes() {
            return org.springframework.web.filter.reactive.UrlHandlerFilter.trailingSlashHandler("/**")
                    .mutateRequest()
                    .build();
        }
    }

    private static ConfigurableApplicationContext start(Class<?> app, WebApplicationType type, String... more) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(type);
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.kafka.listener.auto-startup=false",
                "--spring.datasource.generate-unique-name=true",
                "--dedup.store=memory",
                "--dedup.http.defaults.consumer=paths",
                "--dedup.http.defaults.scope-by=none",
                "--dedup.http.paths.payments.path=/payments",
                "--dedup.http.paths.functional.path=/functional"));
        arguments.addAll(List.of(more));
        return application.run(arguments.toArray(String[]::new));
    }

    /** As it is, which an HTTP client would normalize. */
    private static String post(int port, String path, String key) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: " + key
                            + "\r\nContent-Length: 2\r\n\r\n10")
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void chargedOnce(ConfigurableApplicationContext application, String... paths) throws IOException {
        int port = HttpContract.portOf(application);
        for (String path : paths) {
            String key = UUID.randomUUID().toString();
            assertThat(post(port, path, key)).as(path).contains(" 200 ", "charge 1");
            assertThat(post(port, path, key)).as(path).contains(" 200 ", "charge 1", HttpContract.REPLAYED);
            assertThat(Work.runs(key)).as(path).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("Spring MVC: a filter that removes slashes or forwards, and a parser that ignores case")
    void mvc() throws IOException {
        try (ConfigurableApplicationContext application = start(Mvc.class, WebApplicationType.SERVLET)) {
            chargedOnce(application, "/payments", "/payments/", "/PAYMENTS", "/Payments/", "/old", "/FUNCTIONAL");
        }
    }

    @Test
    @DisplayName("Spring MVC within a context path and a servlet path")
    void prefixes() throws IOException {
        try (ConfigurableApplicationContext application = start(
                Mvc.class,
                WebApplicationType.SERVLET,
                "--server.servlet.context-path=/shop",
                "--spring.mvc.servlet.path=/api")) {
            chargedOnce(application, "/shop/api/payments", "/shop/api/PAYMENTS", "/shop/api/payments;v=1");
        }
    }

    @Test
    @DisplayName("Spring MVC with a PathMatcher")
    void asText() throws IOException {
        try (ConfigurableApplicationContext application = start(AsText.class, WebApplicationType.SERVLET)) {
            chargedOnce(application, "/payments", "//payments", "/;v=1/payments", "/payments;v=1");
        }
    }

    @Test
    @DisplayName("a pattern that the application's PathMatcher cannot match is refused at start")
    void notMatched() {
        assertThatThrownBy(() -> start(
                                AsText.class, WebApplicationType.SERVLET, "--dedup.http.paths.rest.path=/rest/{*path}")
                        .close())
                .isInstanceOf(DedupConfigurationException.class)
                .hasMessageContaining("dedup.http.paths.\"[rest]\"")
                .hasMessageContaining("PathMatcher");
    }

    @Test
    @DisplayName("WebFlux: a filter that removes slashes, and mappings that ignore case")
    void webFlux() throws IOException {
        try (ConfigurableApplicationContext application = start(WebFlux.class, WebApplicationType.REACTIVE)) {
            chargedOnce(application, "/payments", "/payments/", "/PAYMENTS", "/Payments/");
        }
    }
}
