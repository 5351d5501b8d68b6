package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.http.HttpPaths;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.util.ClassUtils;

/** A web application without dedup-http, in a JVM of its own, so that none of its classes is there. */
class NoHttpModuleTest {
    private static final String STARTED = "the application has started";

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @SuppressWarnings("SystemOut")
        public static void main(String[] arguments) {
            assertThat(ClassUtils.isPresent("io.dedup.http.HttpDedup", null)).isFalse();
            SpringApplication.run(App.class, arguments).close();
            System.out.println(STARTED);
        }
    }

    @Test
    @DisplayName("without dedup.http.paths it starts: no class of the starter needs the module")
    void unused() throws Exception {
        assertThat(start()).contains(STARTED);
    }

    @Test
    @DisplayName("with dedup.http.paths the start fails, and the error names the dependency to add")
    void configured() throws Exception {
        assertThat(start(
                        "--dedup.http.paths.[/payments].window=1h",
                        "--dedup.http.paths.[/payments].on-client-error=store"))
                .contains("APPLICATION FAILED TO START")
                .contains("dedup.http.paths is set, but dedup-http is not on the class path")
                .contains("Add the dependency io.dedup:dedup-http")
                .doesNotContain(STARTED);
    }

    private static String start(String... arguments) throws IOException, InterruptedException {
        Path module = Path.of(HttpPaths.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        String[] parts = System.getProperty("java.class.path").split(File.pathSeparator);
        String others = Stream.of(parts)
                .filter(part -> !Path.of(part).equals(module))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(others.length())
                .isLessThan(String.join(File.pathSeparator, parts).length());
        Stream<String> command = Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                others,
                App.class.getName(),
                "--server.port=0",
                "--dedup.store=memory",
                "--spring.datasource.generate-unique-name=true");
        List<String> all = Stream.concat(command, Arrays.stream(arguments)).toList();
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return output;
    }
}
