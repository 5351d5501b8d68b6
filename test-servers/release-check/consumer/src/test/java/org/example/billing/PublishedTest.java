package org.example.billing;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What is staged is what has to be published: nothing is missing, and nothing else is there. */
class PublishedTest {
    private static final Path STAGED = Path.of(System.getProperty("dedup.staged"), "io", "dedup");
    private static final String VERSION = System.getProperty("dedup.version");
    private static final Map<String, String> MODULES = Map.ofEntries(
            Map.entry("dedup-core", "io.dedup"),
            Map.entry("dedup-http", "io.dedup.http"),
            Map.entry("dedup-kafka", "io.dedup.kafka"),
            Map.entry("dedup-kafka-clients", "io.dedup.kafka.clients"),
            Map.entry("dedup-rocketmq", "io.dedup.rocketmq"),
            Map.entry("dedup-rocketmq-remoting", "io.dedup.rocketmq.remoting"),
            Map.entry("dedup-spring-boot-starter", "io.dedup.spring.boot"),
            Map.entry("dedup-spring-boot3-starter", "io.dedup.spring.boot"),
            Map.entry("dedup-store-jdbc", "io.dedup.store.jdbc"),
            Map.entry("dedup-store-redis", "io.dedup.store.redis"),
            Map.entry("dedup-testkit", "io.dedup.testkit"));

    /** Both starters are the same module: an application has one of them. */
    private static final Set<String> NAMES = Set.copyOf(MODULES.values());

    @SuppressWarnings("unused") // by its name
    private static final Set<String> JARS = MODULES.keySet();

    @Test
    void nothingElseIsPublished() throws IOException {
        try (Stream<Path> artifacts = Files.list(STAGED)) {
            assertThat(artifacts.map(artifact -> artifact.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(JARS.stream(), Stream.of("dedup-bom")).toList());
        }
    }

    @ParameterizedTest
    @FieldSource("JARS")
    void aModuleComesWithSourcesJavadocAndSbom(String artifact) throws IOException {
        for (String end : List.of(".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json", ".pom")) {
            assertThat(Files.size(staged(artifact, end))).as(artifact + end).isPositive();
        }
        try (var sources = new JarFile(staged(artifact, "-sources.jar").toFile());
                var javadoc = new JarFile(staged(artifact, "-javadoc.jar").toFile())) {
            assertThat(sources.stream()).anyMatch(entry -> entry.getName().endsWith("/package-info.java"));
            assertThat(javadoc.stream()).anyMatch(entry -> entry.getName().endsWith("/package-summary.html"));
            assertThat(javadoc.stream()).noneMatch(entry -> entry.getName().contains("/internal/"));
        }
    }

    @ParameterizedTest
    @FieldSource("JARS")
    void aJarHasItsModulesNameAndItsLicence(String artifact) throws IOException {
        try (var jar = new JarFile(staged(artifact, ".jar").toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
                    .isEqualTo(MODULES.get(artifact));
            assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
            assertThat(jar.getEntry("META-INF/NOTICE")).isNotNull();
        }
    }

    @Test
    void thePomsHaveWhatMavenCentralAsksFor() throws IOException {
        for (String artifact :
                Stream.concat(JARS.stream(), Stream.of("dedup-bom")).toList()) {
            assertThat(Files.readString(staged(artifact, ".pom")))
                    .as(artifact)
                    .contains("<name>" + artifact + "</name>", "<description>", "\n  <url>https://")
                    .contains("<name>Apache-2.0</name>", "<developer>", "<scm ", "<connection>scm:git:")
                    .doesNotContain("<parent>", "<properties>", "<profiles>", "<scope>test</scope>", "file:");
        }
    }

    @Test
    void theModulesCanBeOnOneModulePath() {
        Path[] jars = classPath().toArray(Path[]::new);
        ModuleFinder finder = ModuleFinder.of(jars);

        assertThat(finder.findAll().stream().map(ModuleReference::descriptor).map(ModuleDescriptor::name))
                .containsExactlyInAnyOrderElementsOf(NAMES);
        // Throws when two of them have a package in common.
        ModuleLayer.boot()
                .configuration()
                .resolve(finder, ModuleFinder.of(), NAMES);
        assertThat(BillingApplication.ONE_OF_EACH_MODULE).hasSize(NAMES.size() - 1);
    }

    @Test
    void dedupComesFromTheStagedRepositoryAlone() throws IOException {
        List<Path> jars = classPath();
        assertThat(jars).hasSize(NAMES.size());
        for (Path jar : jars) {
            List<String> origins = Files.readAllLines(jar.resolveSibling("_remote.repositories")).stream()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
            assertThat(origins).as(jar.toString()).isNotEmpty().allMatch(line -> line.endsWith(">staged="));
        }
    }

    private static List<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> JARS.contains(path.getParent().getParent().getFileName().toString()))
                .toList();
    }

    /** A snapshot's files have a time stamp in place of SNAPSHOT. */
    private static Path staged(String artifact, String end) throws IOException {
        String begin = artifact + "-" + VERSION.replace("-SNAPSHOT", "");
        try (Stream<Path> files = Files.list(STAGED.resolve(artifact).resolve(VERSION))) {
            Set<Path> found = files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(begin)
                                && name.endsWith(end)
                                && name.substring(begin.length(), name.length() - end.length())
                                        .matches("(-[0-9.]+-\\d+)?");
                    })
                    .collect(toSet());
            assertThat(found).as(artifact + end).hasSize(1);
            return found.iterator().next();
        }
    }
}
