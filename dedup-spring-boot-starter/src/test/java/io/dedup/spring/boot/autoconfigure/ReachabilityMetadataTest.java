package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.AntPathMatcher;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What GraalVM's native image keeps of the modules that are used without Spring's ahead-of-time processing. In an image, what isn't named
 * is absent without an error: a check would pass, such as the one that refuses a consumer that commits by itself.
 */
class ReachabilityMetadataTest {
    private static final Path ROOT = Path.of("..");

    /** A class that is looked for by its name, or a file that is read. */
    private static final Pattern CLASS = Pattern.compile("\"((?:org|com|oracle)\\.[a-z0-9.]+\\.[A-Z]\\w+)\"");

    private static final Pattern LOOKS_UP = Pattern.compile("Class\\.forName\\(|ClassUtils\\.isPresent\\(");

    @ParameterizedTest
    @ValueSource(strings = {"dedup-core", "dedup-store-jdbc", "dedup-store-redis", "dedup-kafka-clients", "dedup-http"})
    @DisplayName("a module's metadata has GraalVM's form, names what exists, and all that the module looks for by name")
    void metadata(String module) throws IOException {
        JsonNode metadata = JsonMapper.shared()
                .readTree(ROOT.resolve(module)
                        .resolve("src/main/resources/META-INF/native-image/io.dedup")
                        .resolve(module)
                        .resolve("reachability-metadata.json")
                        .toFile());
        assertThat(metadata.propertyNames()).isSubsetOf("comment", "reflection", "resources");
        Set<String> named = new TreeSet<>();
        for (JsonNode each : metadata.path("reflection")) {
            assertThat(each.propertyNames()).isSubsetOf("type", "methods", "fields");
            String type = each.required("type").asString();
            named.add(type);
            if (isComplete(type)) {
                requireMembers(ClassUtils.resolveClassName(type, null), each);
            }
        }
        assertThat(named).containsAll(lookedFor(ROOT.resolve(module).resolve("src/main/java")));

        List<String> globs = new ArrayList<>();
        metadata.path("resources").forEach(each -> {
            assertThat(each.propertyNames()).containsExactly("glob");
            globs.add(each.required("glob").asString());
        });
        assertThat(resources(ROOT.resolve(module).resolve("src/main/resources")))
                .allSatisfy(file -> assertThat(globs).anyMatch(glob -> new AntPathMatcher().match(glob, file)));
    }

    /** Whether it is there, with all that its members name: of Spring's classes for aspects, AspectJ isn't. */
    private static boolean isComplete(String type) {
        try {
            return ClassUtils.isPresent(type, null)
                    && ClassUtils.resolveClassName(type, null).getMethods().length > 0;
        } catch (NoClassDefFoundError e) {
            return false;
        }
    }

    private static void requireMembers(Class<?> type, JsonNode entry) {
        for (JsonNode method : entry.path("methods")) {
            assertThat(method.propertyNames()).containsExactlyInAnyOrder("name", "parameterTypes");
            List<String> parameters = new ArrayList<>();
            method.required("parameterTypes").forEach(each -> parameters.add(each.asString()));
            assertThat(type.getMethods())
                    .as("%s", type)
                    .anyMatch(each ->
                            each.getName().equals(method.required("name").asString())
                                    && names(each).equals(parameters));
        }
        for (JsonNode field : entry.path("fields")) {
            assertThat(field.propertyNames()).containsExactly("name");
            assertThat(type.getDeclaredFields())
                    .as("%s", type)
                    .anyMatch(
                            each -> each.getName().equals(field.required("name").asString()));
        }
    }

    private static List<String> names(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(Class::getName).toList();
    }

    private static Set<String> lookedFor(Path sources) throws IOException {
        Set<String> classes = new TreeSet<>();
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String source = Files.readString(file);
                Matcher name = CLASS.matcher(source);
                while (LOOKS_UP.matcher(source).find() && name.find()) {
                    classes.add(name.group(1));
                }
            }
        }
        return classes;
    }

    private static List<String> resources(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> !file.startsWith("META-INF"))
                    .toList();
        }
    }
}
