package io.dedup.spring.boot.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.text.WindowConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A reader can paste each YAML sample of the pages: its properties exist and its values are well-formed. */
class YamlDocsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern SAMPLE = Pattern.compile("```yaml\\n(dedup:\\n.*?)\\n```", Pattern.DOTALL);

    @Test
    @DisplayName("the starter reads each YAML sample that begins with dedup:")
    void samplesAreRead() throws IOException {
        List<String> wrong = new ArrayList<>();
        int samples = 0;
        for (Path page : pages()) {
            for (MatchResult sample :
                    SAMPLE.matcher(Files.readString(page)).results().toList()) {
                samples++;
                new ApplicationContextRunner()
                        .withUserConfiguration(Reader.class)
                        .withInitializer(context -> add(sample.group(1), context))
                        .run(context -> {
                            if (context.getStartupFailure() != null) {
                                wrong.add(page + "\n" + sample.group(1) + "\n" + context.getStartupFailure());
                            }
                        });
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(samples).isGreaterThan(3);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> top = Files.walk(ROOT, 2);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .distinct()
                    .toList();
        }
    }

    private static void add(String yaml, ConfigurableApplicationContext context) {
        try {
            for (PropertySource<?> source : new YamlPropertySourceLoader()
                    .load("sample", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))) {
                context.getEnvironment().getPropertySources().addFirst(source);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @EnableConfigurationProperties(DedupProperties.class)
    static class Reader {
        @Bean
        static WindowConverter windows() {
            return new WindowConverter();
        }
    }
}
